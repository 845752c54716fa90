/** Moves refs over REST, by the same rules as any other push. */
import { demand, Failure } from '../../../lib/failure.ts'
import type { PushAccess } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import { invalidField } from '../../failures.ts'
import type { Git } from '../process/git.ts'
import { isObjectId, isRefPart, isWritableRef, nameRule, zeroId } from '../ref-name.ts'
import type { Merging } from '../write/merging.ts'
import type { CheckPush, PushDecision } from './push-rules.ts'
import type { RefChange } from './ref-change.ts'
import type { RefMoving } from './ref-moving.ts'

export type MoveOptions = {
  /** Whether a branch may move to a commit that does not descend from its current one. */
  readonly isForced?: boolean
  /** The caller has built the new commits on top of the old ones. */
  readonly isForward?: boolean
}

type Needs = { git: Git; merging: Merging; refMoving: RefMoving; checkPush: CheckPush }

export type CheckedMoves = ReturnType<typeof makeCheckedMoves>

export function makeCheckedMoves({ git, merging, refMoving, checkPush }: Needs) {
  async function demandForward(
    repository: Repository,
    changes: readonly RefChange[],
    keeping: ReadonlySet<string>,
    isForced: boolean,
  ): Promise<void> {
    const moved = changes.filter(({ before, after }) => before !== zeroId && after !== zeroId)
    for (const { ref, before, after } of moved.filter(({ ref }) => !isForced || keeping.has(ref))) {
      if (await merging.isAncestor(repository, before, after)) continue
      if (!isForced) throw new Failure('invalid', 'not-forward', 'Update is not a fast forward')
      throw new Failure('invalid', 'force-forbidden', `Cannot force-push to this protected branch (${ref}).`)
    }
  }

  /** Throws the first rule that refuses a change. */
  async function demandRules(access: PushAccess, changes: readonly RefChange[]): Promise<PushDecision> {
    const verdict = await checkPush(access, changes)
    for (const reason of verdict.refused.values()) throw new Failure('invalid', 'branch-protected', reason)
    return verdict
  }

  /** Finds merge commits by asking git. For pushes over git's protocol a hook does this. */
  async function demandLinear(
    repository: Repository,
    changes: readonly RefChange[],
    linear: ReadonlySet<string>,
  ): Promise<void> {
    for (const { ref, before, after } of changes.filter((change) => linear.has(change.ref))) {
      const words = ['rev-list', '--merges', '--max-count=1', after, ...(before === zeroId ? [] : [`^${before}`])]
      const { output } = await git.run(repository, words)
      demand(output.length === 0, 'invalid', 'branch-protected', `${ref} must not contain merge commits.`)
    }
  }

  return {
    demandRules,

    /** The ref's current commit, read anew; all zeros if there is none. */
    async find(repository: Repository, ref: string): Promise<string> {
      if (!isRefPart(ref)) return zeroId
      const { code, output } = await git.run(repository, ['show-ref', '--verify', '--hash', ref])
      const sha = output.toString().trim()
      return code === 0 && isObjectId(sha) ? sha : zeroId
    },

    /** The rights are those of `access`; the events name its actor as the pusher. */
    async move(
      access: PushAccess,
      changes: readonly RefChange[],
      { isForced = false, isForward = false }: MoveOptions = {},
    ): Promise<void> {
      const { repository } = access
      for (const change of changes) demandName(change)
      demandDefaultStays(repository, changes)
      const { keeping, linear } = await demandRules(access, changes)
      await demandLinear(repository, changes, linear)
      if (!isForward) await demandForward(repository, changes, keeping, isForced)
      await refMoving.move(access, changes)
    },
  }
}

function demandName({ ref, after }: RefChange): void {
  const name = ref.replace(/^refs\//, '')
  const isNamed = ref.startsWith('refs/') && name.includes('/') && isRefPart(name)
  if (!isNamed) throw invalidField('ref', 'invalid', 'Reference name is not valid: refs/heads/name, say.')
  demand(!ref.startsWith('refs/pull/'), 'invalid', 'server-ref', 'refs/pull is written by the server alone.')
  // Names that an older server accepted may still be deleted.
  if (after === zeroId) return
  if (!isWritableRef(ref)) throw invalidField('ref', 'invalid', `A reference of this name is not taken: ${nameRule}.`)
}

function demandDefaultStays({ defaultBranch }: Repository, changes: readonly RefChange[]): void {
  const goes = changes.some(({ ref, after }) => ref === `refs/heads/${defaultBranch}` && after === zeroId)
  demand(!goes, 'invalid', 'default-branch', 'Cannot delete the default branch.')
}
