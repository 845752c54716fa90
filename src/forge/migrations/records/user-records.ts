/** Records of all accounts that other records name. */
import { formatTime } from './addresses.ts'
import type { ExportContext } from './export-context.ts'
import { writeOrganisations } from './organisation-records.ts'
import { makeTeamAddresses } from './team-addresses.ts'

/** Writes the last of all records. An organisation named as an author gets a record of an organisation. */
export async function writeNamed(context: ExportContext, written: ReadonlySet<number>): Promise<void> {
  const { db, people, files, ownerId } = context
  for (const ids of people.listNamed()) {
    const rows = await db
      .selectFrom('account')
      .leftJoin('profile', 'profile.account_id', 'account.id')
      .select(['account.id', 'kind', 'name', 'display_name', 'created_at'])
      .select(['bio', 'company', 'website', 'location', 'email'])
      .where('account.id', 'in', ids)
      .orderBy('account.id')
      .execute()
    for (const row of rows) {
      if (row.kind === 'organisation') {
        if (!written.has(row.id)) await writeOrganisations(context, [row.id], new Set(), makeTeamAddresses())
        continue
      }
      const isOwn = row.id === ownerId && row.email !== null
      await files.add({
        type: 'user',
        url: people.address(row.id),
        login: row.name,
        name: row.display_name,
        bio: row.bio,
        company: row.company,
        website: row.website,
        location: row.location,
        emails: isOwn ? [{ address: row.email, primary: true, verified: true }] : [],
        created_at: formatTime(row.created_at),
      })
    }
  }
}
