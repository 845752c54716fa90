/** People: users and organisations by name, their profiles, and admins' operations on them. */

import { demandNotServersOwn } from '../../accounts/account-rules.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Actor } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { jsonRows, readJson } from '../../store/json-rows.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { AccountKind, AccountRole } from '../../store/schema/account-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { auditUser } from '../access/audit-place.ts'
import { actsForPerson, isGrantedTo, isSiteAdmin } from '../access/required-grant.ts'
import type { SelfAccess } from '../access/self-access.ts'
import type { SiteAdmin } from '../access/site-admin.ts'
import { invalidField, notFound } from '../failures.ts'
import {
  asPerson,
  defaultMemberRank,
  hiddenAddress,
  loginOfHidden,
  type Person,
  type Profile,
  toPerson,
} from '../person.ts'
import { type AnyQuery, readPage } from '../row-pages.ts'

export type ProfileChange = {
  readonly name?: string
  readonly email?: string | null
  readonly bio?: string | null
  readonly company?: string | null
  readonly location?: string | null
  readonly website?: string | null
  readonly plan?: Profile['plan']
  readonly memberRank?: number
  readonly membersMayCreate?: boolean
}

export type AccountCounts = {
  readonly publicCount: number
  readonly privateCount: number
  readonly sizeKib: number
  readonly followers: number
  readonly following: number
}

export type People = ReturnType<typeof makePeople>

export function makePeople({ store, clock, accounts }: { store: Store; clock: Clock; accounts: Accounts }) {
  const { db } = store
  const profiles = (on: Db) =>
    on
      .selectFrom('account')
      .leftJoin('profile', 'profile.account_id', 'account.id')
      .select(['account.id', 'kind', 'name', 'role', 'display_name', 'suspended_at', 'created_at', 'updated_at'])
      .select(['email', 'is_email_public', 'bio', 'company', 'location', 'website', 'plan', 'member_rank'])
      .select('members_may_create')
  const whole = () =>
    profiles(db)
      .leftJoin('follow_count', 'follow_count.account_id', 'account.id')
      .select(['followers', 'following'])
      .select((eb) =>
        jsonRows(
          db,
          db
            .selectFrom('repository')
            .select(({ fn }) => [
              'is_private',
              fn.countAll<number>().as('count'),
              fn.sum<number>('size_kib').as('size'),
            ])
            .where('owner_id', '=', eb.ref('account.id'))
            .groupBy('is_private'),
        ).as('repositories'),
      )
  const wholeByName = prepareQuery(db, ({ key }: { key: string }) => whole().where('name_key', '=', key))
  const wholeById = prepareQuery(db, ({ id }: { id: number }) => whole().where('account.id', '=', id))
  const byName = prepareQuery(db, ({ key }: { key: string }) => profiles(db).where('name_key', '=', key))
  const byId = prepareQuery(db, ({ id }: { id: number }) => profiles(db).where('account.id', '=', id))

  async function find(login: string): Promise<Profile | undefined> {
    const [row] = await byName({ key: login.toLowerCase() })
    return row && toProfile(row)
  }

  async function get(login: string, kind?: Person['kind']): Promise<Profile> {
    const found = await find(login)
    if (!found || (kind && found.kind !== kind)) throw notFound()
    return found
  }

  async function getById(id: number, on: Db = db): Promise<Profile> {
    const [row] = await byId({ id }, on)
    if (!row) throw notFound()
    return toProfile(row)
  }

  /** The profile together with its counts, in one query. */
  async function getWhole(
    who: { readonly login: string } | { readonly id: number },
  ): Promise<{ profile: Profile; counts: AccountCounts }> {
    const [row] = await ('id' in who ? wholeById(who) : wholeByName({ key: who.login.toLowerCase() }))
    if (!row) throw notFound()
    const rows = readJson(row.repositories)
    const count = (isPrivate: number) => Number(rows.find((each) => each.is_private === isPrivate)?.count ?? 0)
    return {
      profile: toProfile(row),
      counts: {
        publicCount: count(0),
        privateCount: count(1),
        sizeKib: rows.reduce((sum, each) => sum + Number(each.size), 0),
        followers: row.followers ?? 0,
        following: row.following ?? 0,
      },
    }
  }

  async function getMany(ids: readonly number[]): Promise<Map<number, Profile>> {
    if (ids.length === 0) return new Map()
    const rows = await profiles(db).where('account.id', 'in', ids).execute()
    return new Map(rows.map((row) => [row.id, toProfile(row)]))
  }

  async function change(trx: Db, id: number, given: ProfileChange): Promise<void> {
    const { name, membersMayCreate, memberRank, ...plain } = given
    if (given.email) {
      await demandFreeEmail(trx, id, given.email)
      // What was one of several is the first from now on.
      await trx.deleteFrom('account_email').where('account_id', '=', id).where('email', '=', given.email).execute()
    }
    await trx
      .updateTable('account')
      .set({ updated_at: clock.now(), ...(name !== undefined && { display_name: name }) })
      .where('id', '=', id)
      .execute()
    const set = {
      ...plain,
      ...(memberRank !== undefined && { member_rank: memberRank }),
      ...(membersMayCreate !== undefined && { members_may_create: membersMayCreate ? 1 : 0 }),
    }
    await trx
      .insertInto('profile')
      .values({ account_id: id, plan: 'free', member_rank: defaultMemberRank, members_may_create: 1, ...set })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ account_id: id, ...set }))
      .execute()
  }

  async function list(kind: Person['kind'], since: number, limit: number): Promise<Person[]> {
    const rows = await db
      .selectFrom('account')
      .select(['id', 'kind', 'name', 'role'])
      .where('kind', '=', kind)
      .where('id', '>', since)
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(toPerson)
  }

  async function addKnown(known: Map<string, Person>, addresses: readonly string[]): Promise<void> {
    const logins = addresses.flatMap((address) => loginOfHidden(address) ?? [])
    const users = db.selectFrom('account').select(['account.id', 'kind', 'name', 'role']).where('kind', '=', 'user')
    const [rows, others] = await Promise.all([
      users
        .leftJoin('profile', 'profile.account_id', 'account.id')
        .select('email')
        .where((eb) =>
          eb.or([
            eb('account.id', 'in', eb.selectFrom('profile').select('account_id').where('email', 'in', addresses)),
            ...(logins.length > 0 ? [eb('name_key', 'in', logins)] : []),
          ]),
        )
        .execute(),
      users
        .innerJoin('account_email', 'account_email.account_id', 'account.id')
        .select('email')
        .where('email', 'in', addresses)
        .execute(),
    ])
    for (const row of rows) if (row.email) known.set(row.email, toPerson(row))
    for (const row of others) known.set(row.email, toPerson(row))
    for (const row of rows) known.set(hiddenAddress(row.name), toPerson(row))
  }

  return {
    find,
    get,
    getById,
    getMany,
    change,
    list,

    getWhole,

    /** A page of profiles whose ids a query finds, ordered by id. */
    listAmong: (ids: AnyQuery<{ id: number }>, page: PageRequest): Promise<Page<Profile>> =>
      readPage(profiles(db).where('account.id', 'in', ids).orderBy('account.id'), page, toProfile),

    /** The account's public and private repositories, followers and followed accounts. */
    countAround: async (id: number): Promise<AccountCounts> => (await getWhole({ id })).counts,

    /** The users whom commits with these addresses belong to. */
    async findByEmails(emails: readonly string[]): Promise<Map<string, Person>> {
      const addresses = [...new Set(emails.map((email) => email.toLowerCase()))]
      const known = new Map<string, Person>()
      // A query's number of values is bounded.
      for (let at = 0; at < addresses.length; at += 5_000) await addKnown(known, addresses.slice(at, at + 5_000))
      return known
    },

    /** The names among these that accounts have, in lower case. */
    async listKnown(names: readonly string[]): Promise<string[]> {
      const keys = [...new Set(names.map((name) => name.toLowerCase()))]
      if (keys.length === 0) return []
      const rows = await db.selectFrom('account').select('name_key').where('name_key', 'in', keys).execute()
      return rows.map((row) => row.name_key)
    },

    /** The addresses on a login's commits. If the name is an address, that address. */
    async addressesOf(name: string): Promise<string[]> {
      // git would treat separate lines as alternatives.
      if (name.includes('@')) return /[\s<>]/.test(name) ? [] : [name]
      const found = await find(name)
      if (!found) return []
      const others = await db.selectFrom('account_email').select('email').where('account_id', '=', found.id).execute()
      const all = others.map(({ email }) => email)
      return [hiddenAddress(found.login), ...(found.email ? [found.email] : []), ...all]
    },

    /** Private data of an account is shown to the account itself, with a token that may read it, and to admins. */
    seesPrivate(actor: Actor, profile: Person): boolean {
      if (isSiteAdmin(actor)) return true
      return actor.account?.id === profile.id && actsForPerson(actor) && isGrantedTo(actor, ownPrivate)
    },

    getSelf: ({ actor }: SelfAccess): Promise<Profile> => getById(actor.account.id),

    async updateSelf({ actor }: SelfAccess, given: ProfileChange): Promise<Profile> {
      const { id } = actor.account
      return store.write(async (trx) => {
        await change(trx, id, given)
        return getById(id, trx)
      }, withEmailsLock)
    },

    async createUser(
      { actor }: SiteAdmin,
      { login, email }: { login: string; email?: string | undefined },
    ): Promise<Person> {
      const account = await accounts.insert(
        { name: login, displayName: login, role: 'contestant' },
        async (trx, { id }) => {
          if (email !== undefined) await change(trx, id, { email: email.toLowerCase() })
        },
        withEmailsLock,
        actor,
      )
      return asPerson(account)
    },

    async suspend({ actor }: SiteAdmin, login: string, isSuspended: boolean): Promise<void> {
      const person = await get(login, 'user')
      demand(person.id !== actor.account.id, 'forbidden', 'self', 'You can’t suspend yourself: ask another admin.')
      if (isSuspended) demandNotServersOwn((await accounts.findById(person.id))!)
      await store.write(async (trx) => {
        const now = clock.now()
        const { numUpdatedRows } = await trx
          .updateTable('account')
          .set({ suspended_at: isSuspended ? now : null })
          .where('id', '=', person.id)
          .where('suspended_at', isSuspended ? 'is' : 'is not', null)
          .executeTakeFirstOrThrow()
        const action = isSuspended ? 'user.suspend' : 'user.unsuspend'
        if (numUpdatedRows > 0n) await recordAudit(trx, now, actor, { action, ...auditUser(person) })
      })
    },
  }
}

/** Commits are attributed by mail address: nobody may take another account's. */
export async function demandFreeEmail(trx: Db, id: number, email: string): Promise<void> {
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) throw invalidField('email', 'invalid', 'This is not an email address.')
  // A hidden address belongs to its account without being stored.
  if (loginOfHidden(email) !== undefined)
    throw invalidField('email', 'invalid', 'This address belongs to the account that it names.')
  const other = await trx
    .selectFrom('profile')
    .select('account_id')
    .where('email', '=', email)
    .where('account_id', '!=', id)
    .unionAll(
      trx.selectFrom('account_email').select('account_id').where('email', '=', email).where('account_id', '!=', id),
    )
    .executeTakeFirst()
  if (other) throw invalidField('email', 'already_exists', 'Another account has this address.')
}

/** The lock for setting an address, so that two accounts cannot get the same one. */
export const withEmailsLock = { locks: ['emails'] } as const

/** The grants that a token needs to show its user's private data. */
const ownPrivate = { scopes: ['read:user'], permissions: [{ name: 'email_addresses', level: 'read' }] } as const

type ProfileRow = {
  id: number
  kind: AccountKind
  name: string
  role: AccountRole
  display_name: string
  suspended_at: number | null
  created_at: number
  updated_at: number
  email: string | null
  is_email_public: number | null
  bio: string | null
  company: string | null
  location: string | null
  website: string | null
  plan: Profile['plan'] | null
  member_rank: number | null
  members_may_create: number | null
}

const toProfile = (row: ProfileRow): Profile => ({
  ...toPerson(row),
  name: row.display_name,
  email: row.email,
  isEmailPublic: row.is_email_public === 1,
  bio: row.bio,
  company: row.company,
  location: row.location,
  website: row.website,
  plan: row.plan ?? 'free',
  memberRank: row.member_rank ?? defaultMemberRank,
  membersMayCreate: row.members_may_create !== 0,
  suspendedAt: row.suspended_at === null ? null : new Date(row.suspended_at),
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})
