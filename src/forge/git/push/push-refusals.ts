/** Explains to the pusher which refs were refused and why. Git's own messages are for its developers. */
import { Failure } from '../../../lib/failure.ts'
import type { Repository } from '../../access/repository.ts'
import { isRefPart, isWritableRef, maxRefLength, nameRule, passesForObject, zeroId } from '../ref-name.ts'
import type { PushDecision } from './push-rules.ts'
import type { RefChange } from './ref-change.ts'

/** Git is told each of them by name, and takes only so many. */
const maxRefused = 20

/**
 * The refs that git is to refuse one by one: those that a rule refuses, and names that an older server accepted, which
 * may be deleted but neither made nor moved.
 */
export function listHidden(changes: readonly RefChange[], forbidden: ReadonlyMap<string, string>): string[] {
  const named = changes.filter(({ ref, after }) => after !== zeroId && isMisnamed(ref)).map(({ ref }) => ref)
  if (named.length > maxRefused) throw new Failure('invalid', 'names-refused', `Refused: ${nameRule}.`)
  const [first] = forbidden.values()
  if (forbidden.size > maxRefused) throw new Failure('forbidden', 'branches-protected', first!)
  return [...named, ...forbidden.keys()]
}

/** Git itself refuses names that are not ref names at all. */
const isMisnamed = (ref: string): boolean => !isWritableRef(ref) && (isRefPart(ref) || ref.length > maxRefLength)

/** A refusal: one line for the report, and advice on what to do. */
export type Explanation = { readonly reason: string; readonly advice: string }

/** Git names a rule; this explains what the rule is for. */
export function explain(
  repository: Repository,
  { refused, keeping, linear }: PushDecision,
  ref: string,
  reason: string,
): Explanation | undefined {
  if (reason === 'hook declined' && linear.has(ref))
    return { reason: 'protected branch', advice: `${ref} must not contain merge commits.` }
  if (reason === 'non-fast-forward') return explainForce(repository, keeping, ref)
  if (!/^deny (?:updating|deleting) a hidden ref$/.test(reason)) return undefined
  const rule = refused.get(ref)
  if (rule !== undefined) return { reason: 'protected branch', advice: `${ref}: ${rule}` }
  if (passesForObject(ref)) return { reason: 'named like a commit', advice: `${ref}: ${nameRule}.` }
  if (isMisnamed(ref)) return { reason: 'a name that is not taken', advice: `${ref}: ${nameRule}.` }
  return { reason: 'written by the server alone', advice: `${ref}: refs/pull is written by the server alone.` }
}

function explainForce(
  { owner, name, defaultBranch }: Repository,
  keeping: ReadonlySet<string>,
  ref: string,
): Explanation {
  if (!keeping.has(ref)) {
    const [other = ''] = keeping
    const branch = other.replace('refs/heads/', '')
    const reason = 'non-fast-forward: the push moves a branch that must not be forced as well'
    return { reason, advice: `${ref}: push it by itself; force is forbidden to a push that moves ${branch}.` }
  }
  if (ref !== `refs/heads/${defaultBranch}`) {
    return {
      reason: 'non-fast-forward: protected branch',
      advice: `${ref}: Cannot force-push to this protected branch.`,
    }
  }
  const how = `PATCH /repos/${owner.login}/${name} {"allow_force_pushes": true}`
  return {
    reason: 'non-fast-forward: the repository forbids force-pushes to its default branch',
    advice: `${owner.login}/${name} forbids force-pushes to its default branch (${defaultBranch}). An admin of the repository can allow them: ${how}, or in the branch's protection.`,
  }
}
