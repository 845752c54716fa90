/** The rules that a push is judged by before git sees it, whichever way it comes: over git's protocol or over REST. */
import type { PushAccess } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import { zeroId } from '../ref-name.ts'
import type { RefChange } from './ref-change.ts'

export type PushVerdict = {
  /** Refs that must not be moved so, each with the reason, in a sentence. */
  readonly refused: ReadonlyMap<string, string>
  /** Branches that must keep all of their commits. */
  readonly keeping: ReadonlySet<string>
  /** Branches that must not get merge commits. */
  readonly linear: ReadonlySet<string>
}

export type JudgePush = (access: PushAccess, changes: readonly RefChange[]) => Promise<PushVerdict>

/** Why the change is beyond what the proof is for; undefined where it is not. Who pushes by somebody's leave makes and deletes nothing. */
export function findOverreach({ branches }: PushAccess, { ref, before, after }: RefChange): string | undefined {
  if (!branches) return undefined
  const [, branch = ''] = /^refs\/heads\/(.+)$/s.exec(ref) ?? []
  const isWithin = branches.has(branch) && before !== zeroId && after !== zeroId
  return isWithin
    ? undefined
    : `You may push to ${[...branches].join(', ')} alone, by leave of the author of a pull request.`
}

/** Where the repository wants it so, its default branch keeps its commits without being protected. */
export const forbidsForceTo = (repository: Repository, changes: readonly RefChange[]): boolean =>
  !repository.options.allowForcePushes &&
  changes.some(({ ref, before, after }) => isDefault(repository, ref) && before !== zeroId && after !== zeroId)

const isDefault = ({ defaultBranch }: Repository, ref: string): boolean => ref === `refs/heads/${defaultBranch}`

/** git's own clients can't take the default branch away. Its HEAD would tell git so too, but may be a moment behind. */
export function keepDefault(repository: Repository, changes: readonly RefChange[], verdict: PushVerdict): PushVerdict {
  const gone = changes.find(({ ref, after }) => isDefault(repository, ref) && after === zeroId)
  if (!gone || verdict.refused.has(gone.ref)) return verdict
  const reason = 'This is the default branch. Make another branch the default first, then delete this one.'
  return { ...verdict, refused: new Map([...verdict.refused, [gone.ref, reason]]) }
}

export const isSameVerdict = (a: PushVerdict, b: PushVerdict): boolean =>
  isSameSet(a.keeping, b.keeping) &&
  isSameSet(a.linear, b.linear) &&
  isSameSet(new Set(a.refused.keys()), new Set(b.refused.keys()))

const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((each) => b.has(each))
