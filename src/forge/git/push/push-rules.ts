/** The rules for a push, checked before git sees it, both over git's protocol and over REST. */
import type { PushAccess } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import { zeroId } from '../ref-name.ts'
import type { RefChange } from './ref-change.ts'

export type PushDecision = {
  /** Refs that must not move in this way, each with the reason as a sentence. */
  readonly refused: ReadonlyMap<string, string>
  /** Branches that must keep all of their commits. */
  readonly keeping: ReadonlySet<string>
  /** Branches that must not get merge commits. */
  readonly linear: ReadonlySet<string>
}

export type CheckPush = (access: PushAccess, changes: readonly RefChange[]) => Promise<PushDecision>

/**
 * Why the change is beyond the caller's right to push; undefined if it is within. Who may push only by leave of a pull
 * request's author may neither make nor delete branches.
 */
export function findOverreach({ branches }: PushAccess, { ref, before, after }: RefChange): string | undefined {
  if (!branches) return undefined
  const [, branch = ''] = /^refs\/heads\/(.+)$/s.exec(ref) ?? []
  const isWithin = branches.has(branch) && before !== zeroId && after !== zeroId
  return isWithin
    ? undefined
    : `You may push only to ${[...branches].join(', ')}, as the author of a pull request allows.`
}

/** An unprotected default branch keeps its commits only if the repository’s options forbid force-pushes. */
export const forbidsForceTo = (repository: Repository, changes: readonly RefChange[]): boolean =>
  !repository.options.allowForcePushes &&
  changes.some(({ ref, before, after }) => isDefault(repository, ref) && before !== zeroId && after !== zeroId)

const isDefault = ({ defaultBranch }: Repository, ref: string): boolean => ref === `refs/heads/${defaultBranch}`

/** Git's clients cannot delete the default branch. Git would refuse by HEAD, too, but HEAD may be a moment behind. */
export function keepDefault(
  repository: Repository,
  changes: readonly RefChange[],
  verdict: PushDecision,
): PushDecision {
  const gone = changes.find(({ ref, after }) => isDefault(repository, ref) && after === zeroId)
  if (!gone || verdict.refused.has(gone.ref)) return verdict
  const reason = 'This is the default branch. Make another branch the default first, then delete this one.'
  return { ...verdict, refused: new Map([...verdict.refused, [gone.ref, reason]]) }
}

export const isSameDecision = (a: PushDecision, b: PushDecision): boolean =>
  isSameSet(a.keeping, b.keeping) &&
  isSameSet(a.linear, b.linear) &&
  isSameSet(new Set(a.refused.keys()), new Set(b.refused.keys()))

const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((each) => b.has(each))
