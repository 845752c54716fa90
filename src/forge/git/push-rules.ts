/** The rules that a push is judged by before git sees it, whichever way it comes: over git's protocol or over REST. */
import type { Access } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import type { RefChange } from './ref-change.ts'
import { zeroId } from './ref-name.ts'

export type PushVerdict = {
  /** Refs that must not be moved so, each with the reason, in a sentence. */
  readonly refused: ReadonlyMap<string, string>
  /** Whether a branch that it moves must keep all of its commits. */
  readonly forbidsForce: boolean
}

/** Git knows "no force" for all branches of a push or none: one that moves a branch with that rule keeps to it for all. */
export type JudgePush = (access: Access<'write'>, changes: readonly RefChange[]) => Promise<PushVerdict>

/** What holds for every repository: the default branch keeps its commits, unless the repository allows otherwise. */
export const forbidsForceTo = (repository: Repository, changes: readonly RefChange[]): boolean =>
  !repository.options.allowForcePushes &&
  changes.some(({ ref, before, after }) => isDefault(repository, ref) && before !== zeroId && after !== zeroId)

const isDefault = ({ defaultBranch }: Repository, ref: string): boolean => ref === `refs/heads/${defaultBranch}`

export const isSameVerdict = (a: PushVerdict, b: PushVerdict): boolean =>
  a.forbidsForce === b.forbidsForce &&
  a.refused.size === b.refused.size &&
  [...a.refused.keys()].every((ref) => b.refused.has(ref))
