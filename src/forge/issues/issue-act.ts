/** Who changes a repository's issues, and when; and the lock that keeps other changes out meanwhile. */
import type { Actor } from '../../accounts/actor.ts'
import type { KeptCredential } from '../../accounts/kept-credential.ts'
import { appOf } from '../access/need.ts'
import type { Access, HeldLevel } from '../access/opening.ts'
import type { OpenRepository } from '../access/repository.ts'
import type { EventPlace } from './event-recording.ts'

export type IssueAct = {
  readonly repository: OpenRepository
  readonly actorId: number
  /** Who acts, with their credential. Absent where an act follows from an earlier one, such as a push. */
  readonly actor?: Actor
  /** Of an act that follows from a push: what the push came by. */
  readonly pushedBy?: KeptCredential | undefined
  /** The app through which it is done. */
  readonly appId: number | null
  readonly now: number
}

export const actOf = ({ actor, repository }: Access<HeldLevel>, now: number): IssueAct => ({
  repository,
  actorId: actor.account.id,
  actor,
  appId: appOf(actor),
  now,
})

export const placeOf = ({ repository, actorId, appId, now }: IssueAct, issueId: number): EventPlace => ({
  repositoryId: repository.id,
  issueId,
  actorId,
  appId,
  now,
})

/**
 * Whoever changes an issue is alone on its repository's issues: numbers have no holes, counts are right, an event stands for
 * a change, and the ids of a repository's events ascend in the order they become visible in.
 */
export const aloneOnIssues = (...repositoryIds: readonly number[]) => ({
  alone: [...new Set(repositoryIds)].map((id) => `issues:${id}`),
})
