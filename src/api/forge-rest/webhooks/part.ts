/** A part of a payload: the members that only one kind of event has. */

import type { SignedIn } from '../../../accounts/actor.ts'
import type { Opening } from '../../../forge/access/opening.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { reachesRepository, tokenOf } from '../../../forge/access/required-grant.ts'
import type { CheckReading } from '../../../forge/checks/check-reading.ts'
import type { CommitComments } from '../../../forge/commits/comments.ts'
import type { Statuses } from '../../../forge/commits/statuses.ts'
import type { Deployments } from '../../../forge/deployments/deployments.ts'
import type { Comparing } from '../../../forge/git/read/comparing.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import type { Comments } from '../../../forge/issues/comments/comments.ts'
import type { IssueReading } from '../../../forge/issues/issue-reading.ts'
import type { Verifications } from '../../../forge/keys/signing/verifications.ts'
import type { People } from '../../../forge/people/people.ts'
import type { Teams } from '../../../forge/people/teams.ts'
import type { Person } from '../../../forge/person.ts'
import type { PullMerging } from '../../../forge/pulls/merging/pull-merging.ts'
import type { TestMerging } from '../../../forge/pulls/merging/test-merging.ts'
import type { PullFigures } from '../../../forge/pulls/pull-figures.ts'
import type { Pulls } from '../../../forge/pulls/pulls.ts'
import type { ReviewReading } from '../../../forge/pulls/reviews/review-reading.ts'
import type { Releases } from '../../../forge/releases/releases.ts'
import type { HookSource } from '../../../forge/webhooks/hook-event.ts'
import type { Webhook } from '../../../forge/webhooks/webhook.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import type { View } from '../view.ts'

/** The services that payloads are built from. */
export type PayloadServices = {
  readonly checkReading: CheckReading
  readonly comments: Comments
  readonly commitComments: CommitComments
  readonly comparing: Comparing
  readonly deployments: Deployments
  readonly issueReading: IssueReading
  readonly opening: Opening
  readonly people: People
  readonly pullFigures: PullFigures
  readonly pullMerging: PullMerging
  readonly pulls: Pulls
  readonly reading: GitReading
  readonly releases: Releases
  readonly reviewReading: ReviewReading
  readonly statuses: Statuses
  readonly teams: Teams
  readonly ssh: View['ssh']
  readonly testMerging: TestMerging
  readonly verifications: Verifications
}

export type PartContext = {
  readonly services: PayloadServices
  readonly viewer: SignedIn
  readonly view: View
  readonly action: string | null
  readonly source: HookSource
  readonly hook: Webhook
  /** The event's repository; present for every event of a repository. */
  readonly repository: OpenRepository
  readonly sender: Person
}

/** Builds the members of an event's payload that other events lack. */
export type PayloadPart = (context: PartContext) => Promise<object | undefined>

/** Another repository in a payload: shown if the viewer may read it, and to an app only if it is installed there. */
export async function findShown({ services, viewer }: PartContext, id: number): Promise<OpenRepository | undefined> {
  const found = await services.opening.find(viewer, { id })
  if (!found || found.level === 'none') return undefined
  const token = tokenOf(viewer)
  return !token || !found.isPrivate || reachesRepository(token, found) ? found : undefined
}

/** A deleted object as its event recorded it, with its times turned back into dates. */
export function revive<T>(gone: object): T {
  return JSON.parse(JSON.stringify(gone), (key, value) =>
    /(?:At|On)$/.test(key) && typeof value === 'string' ? new Date(value) : value,
  )
}

export const presentHookRepository = (repository: OpenRepository, view: View) => ({
  ...presentListedRepository(repository, view),
  custom_properties: {},
})
