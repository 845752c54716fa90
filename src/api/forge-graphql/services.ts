/** The forge services that GraphQL reads from. */

import type { Opening } from '../../forge/access/opening.ts'
import type { OrganisationDoor } from '../../forge/access/organisation-access.ts'
import type { CheckReading } from '../../forge/checks/check-reading.ts'
import type { CommitStanding } from '../../forge/commits/commit-standing.ts'
import type { Protection } from '../../forge/commits/protection.ts'
import type { Statuses } from '../../forge/commits/statuses.ts'
import type { Blame } from '../../forge/git/read/blame.ts'
import type { GitReading } from '../../forge/git/read/git-reading.ts'
import type { Insights } from '../../forge/git/read/insights.ts'
import type { Templates } from '../../forge/git/read/templates.ts'
import type { Assignees } from '../../forge/issues/assignees/assignees.ts'
import type { Comments } from '../../forge/issues/comments/comments.ts'
import type { IssueLists } from '../../forge/issues/issue-lists.ts'
import type { Issues } from '../../forge/issues/issues.ts'
import type { Labels } from '../../forge/issues/labels/labels.ts'
import type { Milestones } from '../../forge/issues/milestones/milestones.ts'
import type { ClosingReferences } from '../../forge/issues/references/closing-references.ts'
import type { LinkedBranches } from '../../forge/issues/references/linked-branches.ts'
import type { IssueSearch } from '../../forge/issues/search/issue-search.ts'
import type { Verifications } from '../../forge/keys/signing/verifications.ts'
import type { SshPlace } from '../../forge/keys/ssh-place.ts'
import type { NodePlaces } from '../../forge/node-places.ts'
import type { Following } from '../../forge/people/following.ts'
import type { Memberships } from '../../forge/people/memberships.ts'
import type { Organisations } from '../../forge/people/organisations.ts'
import type { People } from '../../forge/people/people.ts'
import type { Teams } from '../../forge/people/teams.ts'
import type { PullMerging } from '../../forge/pulls/merging/pull-merging.ts'
import type { TestMerging } from '../../forge/pulls/merging/test-merging.ts'
import type { PullFigures } from '../../forge/pulls/pull-figures.ts'
import type { Pulls } from '../../forge/pulls/pulls.ts'
import type { ReviewReading } from '../../forge/pulls/reviews/review-reading.ts'
import type { ReviewThreads } from '../../forge/pulls/reviews/review-threads.ts'
import type { Releases } from '../../forge/releases/releases.ts'
import type { Forks } from '../../forge/repositories/forks.ts'
import type { RepositoryLists } from '../../forge/repositories/repository-lists.ts'
import type { Stars } from '../../forge/repositories/stars.ts'
import type { Watching } from '../../forge/repositories/watching.ts'
import type { Searches } from '../../forge/search/search-services.ts'

export type GraphServices = {
  readonly ssh: Readonly<SshPlace>
  readonly assignees: Assignees
  readonly blame: Blame
  readonly checkReading: CheckReading
  readonly closingReferences: ClosingReferences
  readonly comments: Comments
  readonly commitStanding: CommitStanding
  readonly following: Following
  readonly forks: Forks
  readonly insights: Insights
  readonly issueLists: IssueLists
  readonly issueSearch: IssueSearch
  readonly issues: Issues
  readonly labels: Labels
  readonly linkedBranches: LinkedBranches
  readonly memberships: Memberships
  readonly milestones: Milestones
  readonly nodePlaces: NodePlaces
  readonly opening: Opening
  readonly organisationDoor: OrganisationDoor
  readonly organisations: Organisations
  readonly people: People
  readonly protection: Protection
  readonly pullFigures: PullFigures
  readonly pullMerging: PullMerging
  readonly pulls: Pulls
  readonly reading: GitReading
  readonly releases: Releases
  readonly repositoryLists: RepositoryLists
  readonly reviewReading: ReviewReading
  readonly reviewThreads: ReviewThreads
  readonly search: Searches
  readonly stars: Stars
  readonly statuses: Statuses
  readonly teams: Teams
  readonly templates: Templates
  readonly testMerging: TestMerging
  readonly verifications: Verifications
  readonly watching: Watching
}
