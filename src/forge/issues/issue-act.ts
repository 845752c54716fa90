/** The actor and the time of a change to a repository's issues, and the lock that keeps other changes out meanwhile. */
import type { Actor } from '../../accounts/actor.ts'
import type { KeptCredential } from '../../accounts/kept-credential.ts'
import type { Access, HeldLevel } from '../access/opening.ts'
import type { OpenRepository } from '../access/repository.ts'
import { appOf } from '../access/required-grant.ts'
import type { EventPlace } from './event-recording.ts'

export type IssueAct = {
  readonly repository: OpenRepository
  readonly actorId: number
  /** The actor with their credential. Absent if the act follows from an earlier one, such as a push. */
  readonly actor?: Actor
  /** If the act follows from a push: the credential of the push. */
  readonly pushedBy?: KeptCredential | undefined
  /** The app that acts. */
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
 * The write lock for changing a repository's issues: numbers have no gaps, counts are right, each event stands for a
 * change, and event ids ascend in the order in which events become visible.
 */
export const withIssueLocks = (...repositoryIds: readonly number[]) => ({
  locks: [...new Set(repositoryIds)].map((id) => `issues:${id}`),
})
