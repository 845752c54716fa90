/** The context that all writers of records share: a snapshot of the database, the repositories, the people index. */
import type { Selectable } from 'kysely'
import type { AccountKind } from '../../../store/schema/account-tables.ts'
import type { RepositoryTable } from '../../../store/schema/forge-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { MigrationFlags } from '../migration.ts'
import { type Addresses, makeAddresses, type RepositoryPlace } from './addresses.ts'
import { type AttachmentMentions, makeAttachmentMentions } from './attachment-mentions.ts'
import { makePeopleIndex, type PeopleIndex } from './people-index.ts'
import type { RecordFiles } from './record-files.ts'
import type { StoredFiles } from './stored-files.ts'

/** A repository of the export, as of the snapshot. */
export type ExportedRepository = RepositoryPlace & {
  readonly id: number
  readonly ownerId: number
  readonly ownerKind: AccountKind
  readonly row: Selectable<RepositoryTable>
}

export type ExportContext = {
  readonly db: Db
  readonly addresses: Addresses
  readonly people: PeopleIndex
  readonly files: RecordFiles
  readonly flags: MigrationFlags
  /** The owner of the migration; no other person's mail address is exported. */
  readonly ownerId: number
  /** Ordered by id. */
  readonly repositories: readonly ExportedRepository[]
  /** The text that shows each attachment. */
  readonly mentions: AttachmentMentions
  readonly stored: StoredFiles
  /** The ids of repositories whose wiki is exported. */
  readonly wikis: ReadonlySet<number>
}

type Needs = Pick<ExportContext, 'db' | 'files' | 'flags' | 'ownerId' | 'repositories' | 'stored' | 'wikis'> & {
  origin: string
}

export function makeExportContext({ origin, ...needs }: Needs): ExportContext {
  const addresses = makeAddresses(origin)
  return { ...needs, addresses, people: makePeopleIndex(needs.db, addresses), mentions: makeAttachmentMentions() }
}

/** The path of the bare repository in the archive. */
export const gitPath = ({ owner, name }: RepositoryPlace): string => `repositories/${owner}/${name}.git`

/** The path of its wiki. */
export const wikiPath = ({ owner, name }: RepositoryPlace): string => `repositories/${owner}/${name}.wiki.git`

export const readExported = async (db: Db, ids: readonly number[]): Promise<ExportedRepository[]> => {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('repository')
    .innerJoin('account', 'account.id', 'repository.owner_id')
    .selectAll('repository')
    .select(['account.name as owner_name', 'account.kind as owner_kind'])
    .where('repository.id', 'in', ids)
    .orderBy('repository.id')
    .execute()
  return rows.map(({ owner_name, owner_kind, ...row }) => ({
    id: row.id,
    owner: owner_name,
    ownerId: row.owner_id,
    ownerKind: owner_kind,
    name: row.name,
    row,
  }))
}
