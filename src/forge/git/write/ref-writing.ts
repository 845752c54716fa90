/** Creates, moves and deletes refs by name. */
import { demand } from '../../../lib/failure.ts'
import type { PushAccess } from '../../access/opening.ts'
import { invalidField } from '../../failures.ts'
import type { StorageQuota } from '../../storage/storage-quota.ts'
import type { CheckedMoves } from '../push/checked-moves.ts'
import { isObjectId, zeroId } from '../ref-name.ts'
import type { Objects } from './objects.ts'

export type WrittenRef = { readonly name: string; readonly sha: string; readonly type: string }

type Needs = { objects: Objects; moves: CheckedMoves; storage: Pick<StorageQuota, 'demandSpace'> }

export type RefWriting = ReturnType<typeof makeRefWriting>

export function makeRefWriting({ objects, moves, storage }: Needs) {
  /** The type of the ref's target: a branch needs a commit, any other ref takes any object. */
  async function demandTarget({ repository }: PushAccess, ref: string, sha: string): Promise<string> {
    const [type] = isObjectId(sha) ? await objects.types(repository, [sha]) : []
    if (!type) throw invalidField('sha', 'invalid', 'Object does not exist')
    if (ref.startsWith('refs/heads/') && type !== 'commit')
      throw invalidField('sha', 'invalid', 'Reference cannot be updated: the object of a branch is a commit')
    return type
  }

  async function demandRef({ repository }: PushAccess, ref: string): Promise<string> {
    const before = await moves.find(repository, ref)
    demand(before !== zeroId, 'invalid', 'no-ref', 'Reference does not exist')
    return before
  }

  return {
    async create(access: PushAccess, name: string, sha: string): Promise<WrittenRef> {
      const type = await demandTarget(access, name, sha)
      const isThere = (await moves.find(access.repository, name)) !== zeroId
      demand(!isThere, 'invalid', 'ref-exists', 'Reference already exists')
      await storage.demandSpace(access.repository)
      await moves.move(access, [{ ref: name, before: zeroId, after: sha }])
      return { name, sha, type }
    },

    async update(access: PushAccess, name: string, sha: string, isForced: boolean): Promise<WrittenRef> {
      const before = await demandRef(access, name)
      const type = await demandTarget(access, name, sha)
      if (before !== sha) await moves.move(access, [{ ref: name, before, after: sha }], { isForced })
      return { name, sha, type }
    },

    async remove(access: PushAccess, name: string): Promise<void> {
      const before = await demandRef(access, name)
      await moves.move(access, [{ ref: name, before, after: zeroId }])
    },
  }
}
