/** Writes all records of an export, type by type. The accounts that they name come last. */

import { writeAttachments } from './attachment-records.ts'
import { writeCommitComments, writeProtectedBranches } from './commit-records.ts'
import type { ExportContext } from './export-context.ts'
import { writeIssueComments } from './issue-comment-records.ts'
import { writeIssueEvents } from './issue-event-records.ts'
import { writeIssues } from './issue-records.ts'
import { writeMilestones } from './milestone-records.ts'
import { listOwnedOrganisations, writeOrganisations } from './organisation-records.ts'
import { writePulls } from './pull-records.ts'
import { writeReleases } from './release-records.ts'
import { writeRepositories } from './repository-records.ts'
import { writeReviewComments, writeReviews } from './review-records.ts'
import { makeTeamAddresses } from './team-addresses.ts'
import { writeNamed } from './user-records.ts'

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
