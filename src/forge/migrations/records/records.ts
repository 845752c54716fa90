/** All records of an export, each type in its turn; those who are named in them come last. */
import type { ExportContext } from './export-context.ts'
import { writeIssueComments } from './issue-comments.ts'
import { writeIssueEvents } from './issue-events.ts'
import { writeIssues } from './issues.ts'
import { writeMilestones } from './milestones.ts'
import { listOwnedOrganisations, writeOrganisations } from './organisations.ts'
import { writeRepositories } from './repositories.ts'
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
    await writeIssueComments(context, repository)
    await writeIssueEvents(context, repository, teams)
  }
  await writeNamed(context, organisations)
  await files.finish()
}
