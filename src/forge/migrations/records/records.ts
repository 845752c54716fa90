/** All records of an export, each type in its turn; those who are named in them come last. */

import { writeAttachments } from './attachments.ts'
import { writeCommitComments, writeProtectedBranches } from './commits.ts'
import type { ExportContext } from './export-context.ts'
import { writeIssueComments } from './issue-comments.ts'
import { writeIssueEvents } from './issue-events.ts'
import { writeIssues } from './issues.ts'
import { writeMilestones } from './milestones.ts'
import { listOwnedOrganisations, writeOrganisations } from './organisations.ts'
import { writePulls } from './pulls.ts'
import { writeReleases } from './releases.ts'
import { writeRepositories } from './repositories.ts'
import { writeReviewComments, writeReviews } from './reviews.ts'
import { makeTeamAddresses } from './team-addresses.ts'
import { writeNamed } from './users.ts'

export async function writeRecords(context: ExportContext): Promise<void> {
  const { people, files, flags, ownerId, repositories } = context
  await people.look([ownerId])
  people.address(ownerId)
  const owned = await listOwnedOrganisations(context)
  const owners = repositories.flatMap(({ ownerId: id, ownerKind }) => (ownerKind === 'organisation' ? [id] : []))
  const organisations = flags.orgMetadataOnly ? owned : new Set(owners)
  const teams = makeTeamAddresses()
  await writeOrganisations(context, [...organisations], owned, teams)
  await writeRepositories(context)
  for (const repository of repositories) {
    await writeMilestones(context, repository)
    await writeIssues(context, repository)
    await writePulls(context, repository, teams)
    await writeReviews(context, repository)
    await writeReviewComments(context, repository)
    await writeIssueComments(context, repository)
    await writeIssueEvents(context, repository, teams)
    await writeCommitComments(context, repository)
    await writeProtectedBranches(context, repository, teams)
    if (!flags.excludeReleases) await writeReleases(context, repository)
    if (!flags.excludeAttachments) await writeAttachments(context, repository)
  }
  await writeNamed(context, organisations)
  await files.finish()
}
