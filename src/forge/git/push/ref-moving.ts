/** Moves refs from the server by compare-and-swap. Each move is recorded and settled like any other push. */
import { Failure } from '../../../lib/failure.ts'
import { demandNoMirror, type PushAccess } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import type { Git } from '../process/git.ts'
import { gitError } from '../process/process.ts'
import { isRefPart, zeroId } from '../ref-name.ts'
import { findOverreach } from './push-rules.ts'
import type { Pushes, RecordOptions } from './pushes.ts'
import type { RefChange } from './ref-change.ts'

export type RefMoving = ReturnType<typeof makeRefMoving>

export function makeRefMoving({ git, pushes }: { git: Git; pushes: Pushes }) {
  /** Moves all of the refs or none. Throws `ref-moved` if one is no longer at `before`. */
  async function update(repository: Repository, changes: readonly RefChange[]): Promise<void> {
    const words = ['update-ref', '--stdin']
    const input = ['start', ...changes.map(spellChange), 'prepare', 'commit', ''].join('\n')
    const { code, complaint } = await git.run(repository, words, { input })
    if (code === 0) return
    if (/exists; cannot create|non-empty directory/.test(complaint))
      throw new Failure('invalid', 'ref-in-the-way', 'Another reference is in the way: a and a/b can’t both be there.')
    if (/cannot lock ref|Unable to create .*\.lock|reference already exists|unable to resolve ref/.test(complaint))
      throw refMoved(changes)
    throw gitError(words, code, complaint)
  }

  return {
    update,

    /** Moves refs with the rights of `access`. `within` joins the write that records the push. */
    async move(access: PushAccess, changes: readonly RefChange[], options: RecordOptions = {}): Promise<void> {
      const { repository } = access
      demandNoMirror(repository)
      for (const change of changes) {
        const overreach = findOverreach(access, change)
        if (overreach) throw new Failure('forbidden', 'beyond-branch', overreach)
      }
      // If the server of an earlier push died, only its refs show that it arrived: settle it before they move on.
      await pushes.settleArrived(repository)
      const act = async () => {
        await update(repository, changes)
        return new Set(changes.map(({ ref }) => ref))
      }
      await pushes.record(access, changes, act, options)
    },
  }
}

function spellChange({ ref, before, after }: RefChange): string {
  if (!ref.startsWith('refs/') || !isRefPart(ref))
    throw new Failure('invalid', 'ref-name', 'This is not a valid ref name.')
  if (after === zeroId) return `delete ${ref} ${before}`
  return before === zeroId ? `create ${ref} ${after}` : `update ${ref} ${after} ${before}`
}

const refMoved = (changes: readonly RefChange[]) =>
  new Failure('conflict', 'ref-moved', `${changes.map(({ ref }) => ref).join(', ')} was moved meanwhile.`)
