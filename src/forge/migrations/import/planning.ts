/** Plans an import: which accounts it maps to, who will own its repositories, and whether quotas allow it. */
import type { Quotas } from '../../../accounts/quotas.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { CheckedArchive } from './archive-checks.ts'
import type { OrganisationRecord, UserRecord } from './definitions/people.ts'
import type { RepositoryRecord } from './definitions/repositories.ts'
import { demandImport } from './refusal.ts'

export type ImportOptions = {
  /** Maps logins of the archive to accounts here that have another login: `ann` → `anna`. */
  readonly logins: Readonly<Record<string, string>>
  /** The owner of all its repositories, if not those whom the archive names. */
  readonly owner: string | undefined
  /** The web address of this server, for links to attachments in texts; empty if unknown. */
  readonly origin: string
  /** Only checks and plans the import. */
  readonly isPreview: boolean
}

export type PlannedAccount = {
  readonly record: UserRecord | OrganisationRecord
  /** Its login on this server. */
  readonly login: string
  /** Undefined if the account must be made. */
  readonly id: number | undefined
}

export type PlannedRepository = {
  readonly record: RepositoryRecord
  /** The account that will own it; undefined if that is made by this import. */
  readonly ownerId: number | undefined
  readonly ownerLogin: string
}

export type ImportPlan = {
  readonly accounts: readonly PlannedAccount[]
  readonly repositories: readonly PlannedRepository[]
}

type Needs = { db: Db; checked: CheckedArchive; options: ImportOptions; quotas: Quotas }

export async function planImport({ db, checked, options, quotas }: Needs): Promise<ImportPlan> {
  const accounts = await planAccounts(db, [...checked.users, ...checked.organisations], options)
  const byUrl = new Map(accounts.map((account) => [account.record.url, account]))
  const owner = options.owner === undefined ? undefined : await findOwner(db, options.owner)
  const repositories = checked.repositories.map((record): PlannedRepository => {
    const own = byUrl.get(record.owner)!
    return { record, ownerId: owner ? owner.id : own.id, ownerLogin: owner ? owner.name : own.login }
  })
  await demandFree(db, repositories)
  await demandSpace(db, repositories, quotas)
  return { accounts, repositories }
}

async function planAccounts(
  db: Db,
  records: readonly (UserRecord | OrganisationRecord)[],
  { logins }: ImportOptions,
): Promise<PlannedAccount[]> {
  const given = new Map(Object.entries(logins).map(([from, to]) => [from.toLowerCase(), to]))
  const planned: PlannedAccount[] = []
  const meant = new Set<string>()
  for (const record of records) {
    const login = given.get(record.login.toLowerCase()) ?? record.login
    const row = await db
      .selectFrom('account')
      .select(['id', 'kind', 'name'])
      .where('name_key', '=', login.toLowerCase())
      .executeTakeFirst()
    const isMapped = given.delete(record.login.toLowerCase())
    demandImport(!isMapped || row, `There is no account ${login} here to stand for ${record.login}.`)
    const kinds = { user: 'a user', organisation: 'an organisation', bot: 'an app' }
    demandImport(
      !row || row.kind === record.kind,
      `${login} is ${row && kinds[row.kind]} here, and ${kinds[record.kind]} in the archive: map ${record.login} to another account.`,
    )
    demandImport(!meant.has(login.toLowerCase()), `Two accounts of the archive would become ${login}.`)
    meant.add(login.toLowerCase())
    planned.push({ record, login: row?.name ?? login, id: row?.id })
  }
  const [unknown] = given.keys()
  demandImport(unknown === undefined, `The archive has no account ${unknown} that could be mapped.`)
  return planned
}

async function findOwner(db: Db, login: string): Promise<{ readonly id: number; readonly name: string }> {
  const row = await db
    .selectFrom('account')
    .select(['id', 'name'])
    .where('name_key', '=', login.toLowerCase())
    .executeTakeFirst()
  demandImport(row, `There is no account ${login} to own the repositories.`)
  return row
}

async function demandFree(db: Db, repositories: readonly PlannedRepository[]): Promise<void> {
  const names = new Set<string>()
  for (const { record, ownerId, ownerLogin } of repositories) {
    const name = `${ownerLogin}/${record.name}`
    demandImport(!names.has(name.toLowerCase()), `Two repositories of the archive would become ${name}.`)
    names.add(name.toLowerCase())
    if (ownerId === undefined) continue
    const taken = await db
      .selectFrom('repository')
      .select('id')
      .where('owner_id', '=', ownerId)
      .where('name_key', '=', record.name.toLowerCase())
      .executeTakeFirst()
    demandImport(!taken, `There is a repository ${name} already: rename it, or import under another owner.`)
  }
}

async function demandSpace(db: Db, repositories: readonly PlannedRepository[], quotas: Quotas): Promise<void> {
  if (!Number.isFinite(quotas.repositories)) return
  for (const [ownerId, planned] of Map.groupBy(repositories, ({ ownerId: id }) => id)) {
    const { count } = await db
      .selectFrom('repository')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('owner_id', '=', ownerId ?? 0)
      .executeTakeFirstOrThrow()
    demandImport(
      Number(count) + planned.length <= quotas.repositories,
      `${planned[0]!.ownerLogin} would have more than ${quotas.repositories} repositories.`,
    )
  }
}
