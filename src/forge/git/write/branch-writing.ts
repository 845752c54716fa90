/** Merges and renames branches. */
import type { Clock } from '../../../lib/clock.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { reaches } from '../../access/level.ts'
import type { Access, PushAccess } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import { demandGrant } from '../../access/required-grant.ts'
import { invalidField, notFound } from '../../failures.ts'
import type { StorageQuota } from '../../storage/storage-quota.ts'
import type { CheckedMoves } from '../push/checked-moves.ts'
import type { RefMoving } from '../push/ref-moving.ts'
import { isBranchName, zeroId } from '../ref-name.ts'
import { signAs } from './commit-text.ts'
import type { Merging } from './merging.ts'

export type BranchMerge = {
  /** The name of a branch. */
  readonly base: string
  /** The commit that is merged into it, and the caller's name for it. */
  readonly head: string
  readonly headName: string
  readonly message: string | undefined
}

/** The rules that are stored by a branch's name. */
export type RulesByName = {
  find(repository: Repository, branch: string): Promise<unknown>
  copyWithin(trx: Db, access: Access<'write'>, from: string, to: string): Promise<void>
  drop(access: Access<'write'>, branch: string): Promise<void>
}

/** The default branch and the rules by name are settings, which not every token with write access may change. */
const administration = {
  tokens: [],
  scopes: [],
  permissions: [{ name: 'administration', level: 'write' }],
} as const

type Needs = {
  clock: Clock
  merging: Merging
  moves: CheckedMoves
  refMoving: RefMoving
  rules: RulesByName
  storage: Pick<StorageQuota, 'demandSpace'>
}

export type BranchWriting = ReturnType<typeof makeBranchWriting>

export function makeBranchWriting({ clock, merging, moves, refMoving, rules, storage }: Needs) {
  return {
    /** Answers the merge commit; undefined if the base has all of it already. */
    async merge(access: PushAccess, draft: BranchMerge): Promise<string | undefined> {
      const { repository, actor } = access
      const ref = `refs/heads/${draft.base}`
      const base = isBranchName(draft.base) ? await moves.find(repository, ref) : zeroId
      if (base === zeroId) throw notFound()
      if (await merging.isAncestor(repository, draft.head, base)) return undefined
      await storage.demandSpace(repository)
      const author = signAs(actor.account, clock.now())
      const message = draft.message || `Merge ${draft.headName} into ${draft.base}`
      const merged = await merging.merge(repository, { base, head: draft.head, author, committer: author, message })
      if (merged.kind !== 'merged') throw new Failure('conflict', 'merge-conflict', 'Merge conflict')
      await moves.move(access, [{ ref, before: base, after: merged.sha }], { isForward: true })
      return merged.sha
    },

    /** Moves both refs in one push, so that a renamed default branch stays the default. Answers its commit. */
    async rename(access: Access<'write'>, from: string, to: string): Promise<string> {
      const { repository } = access
      if (!isBranchName(to)) throw invalidField('new_name', 'invalid', 'new_name is not a valid branch name.')
      const sha = isBranchName(from) ? await moves.find(repository, `refs/heads/${from}`) : zeroId
      if (sha === zeroId) throw notFound()
      const isProtected = (await rules.find(repository, from)) !== undefined
      demand(
        (from !== repository.defaultBranch && !isProtected) || reaches(repository.level, 'admin'),
        'forbidden',
        'level-missing',
        'Must have admin rights to Repository to rename its default branch, or one that is protected.',
      )
      if (from === repository.defaultBranch || isProtected)
        demandGrant(access.actor, administration, administration.scopes, repository.owner)
      const isTaken = (await moves.find(repository, `refs/heads/${to}`)) !== zeroId
      if (isTaken) throw invalidField('new_name', 'already_exists', 'A branch of this name already exists.')
      // A branch made under a protected name is judged by the rules of that name.
      await moves.demandRules(access, [{ ref: `refs/heads/${to}`, before: zeroId, after: sha }])
      const changes = [
        { ref: `refs/heads/${to}`, before: zeroId, after: sha },
        { ref: `refs/heads/${from}`, before: sha, after: zeroId },
      ]
      await refMoving.move(access, changes, { within: (trx) => rules.copyWithin(trx, access, from, to) })
      if (isProtected) await rules.drop(access, from)
      return sha
    },
  }
}
