/** All records of an export, each type in its turn; those who are named in them come last. */
import type { ExportContext } from './export-context.ts'
import { listOwnedOrganisations, writeOrganisations } from './organisations.ts'
import { writeRepositories } from './repositories.ts'
import { writeNamed } from './users.ts'

export async function writeRecords(context: ExportContext): Promise<void> {
  const { people, files, flags, ownerId, repositories } = context
  await people.look([ownerId])
  people.address(ownerId)
  const owned = await listOwnedOrganisations(context)
  const owners = repositories.flatMap(({ ownerId: id, ownerKind }) => (ownerKind === 'organisation' ? [id] : []))
  const organisations = flags.orgMetadataOnly ? owned : new Set(owners)
  await writeOrganisations(context, [...organisations], owned)
  await writeRepositories(context)
  await writeNamed(context, organisations)
  await files.finish()
}
