/** Accounts: one account is a judge account, a forge user and a data-set owner. */

import type { Clock } from '../lib/clock.ts'
import { demand, Failure } from '../lib/failure.ts'
import type { Page, PageRequest } from '../lib/page.ts'
import { everyone, makeCountedList } from '../store/counted-list.ts'
import { prepareQuery } from '../store/prepared.ts'
import type { Db } from '../store/schema/schema.ts'
import { isForeignKeyViolation, isUniqueViolation, type Store, type WriteOptions } from '../store/store.ts'
import { accountColumns, toAccount } from './account-row.ts'
import { demandNotServersOwn } from './account-rules.ts'
import { searchAccounts } from './account-search.ts'
import {
  type Account,
  type Actor,
  isAdmin,
  type Role,
  requireRole,
  requireSignIn,
  type SignedIn,
  theServer,
} from './actor.ts'
import { recordAudit } from './audit/audit-log.ts'
import type { Lockout } from './sign-in/lockout.ts'
import type { Passwords } from './sign-in/passwords.ts'
import type { Switches } from './switches.ts'
import { hasScope } from './tokens/token.ts'
import { deleteUnused } from './unused-accounts.ts'

const walkPage = 500

export type AccountDraft = {
  /** A user by default. An organisation has no password and never signs in. */
  readonly kind?: Account['kind']
  readonly name: string
  readonly displayName: string
  readonly role: Role
  readonly password?: string
}

export type AccountChange = {
  readonly displayName?: string
  readonly role?: Role
  readonly password?: string
  /** Must be right if given. */
  readonly currentPassword?: string
}

type Needs = {
  store: Store
  clock: Clock
  passwords: Passwords
  switches: Switches
  lockout: Lockout
  /** Counts new accounts for an address, and throws beyond the quota. */
  spendCreation(address: string, count: number): Promise<void>
  /** Whether an actor other than the account itself or an admin may set its password. */
  maySetPassword(actor: Actor, id: number): Promise<boolean>
  /** Whether no classmate of the account has this display name. */
  isFreeName(id: number, displayName: string): Promise<boolean>
}

export type Accounts = ReturnType<typeof makeAccounts>

export function makeAccounts(needs: Needs) {
  const { store, clock, passwords, switches, lockout, spendCreation, maySetPassword, isFreeName } = needs
  const users = makeCountedList(store, 'user')
  const byId = prepareQuery(store.db, ({ id }: { id: number }) =>
    store.db.selectFrom('account').select(accountColumns).where('id', '=', id),
  )

  async function findById(id: number, db: Db = store.db): Promise<Account | undefined> {
    const [row] = await byId({ id }, db)
    return row && toAccount(row)
  }

  async function findByName(name: string): Promise<Account | undefined> {
    const row = await store.db
      .selectFrom('account')
      .select(accountColumns)
      .where('name_key', '=', name.toLowerCase())
      .executeTakeFirst()
    return row && toAccount(row)
  }

  const hashPassword = async ({ name, password }: AccountDraft, { address }: Actor) =>
    password === undefined ? null : passwords.hash(password, { address, name })

  const hashChange = async ({ address }: Actor, name: string, { password }: AccountChange) =>
    password === undefined ? undefined : passwords.hash(password, { address, name })

  async function insertWithin(
    trx: Db,
    actor: Actor,
    draft: AccountDraft,
    passwordHash: string | null,
  ): Promise<Account> {
    const now = clock.now()
    const { id } = await trx
      .insertInto('account')
      .values({
        kind: draft.kind ?? 'user',
        name: draft.name,
        name_key: draft.name.toLowerCase(),
        display_name: draft.displayName,
        role: draft.role,
        password_hash: passwordHash,
        creator_id: actor.account?.id ?? null,
        created_at: now,
        updated_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return (await findById(id, trx))!
  }

  /** `also` runs in the transaction that inserts the account. */
  async function insert(
    draft: AccountDraft,
    also?: (trx: Db, account: Account) => Promise<unknown>,
    options?: WriteOptions,
    actor: Actor = theServer,
  ): Promise<Account> {
    const passwordHash = await hashPassword(draft, actor)
    try {
      return await store.write(async (trx) => {
        const account = await insertWithin(trx, actor, draft, passwordHash)
        await also?.(trx, account)
        const { kind, role } = account
        const place = kind === 'user' ? { user: account } : { organisation: account }
        const action = kind === 'user' ? 'user.create' : 'org.create'
        // A bot is part of its app, whose audit entry covers it.
        if (kind !== 'bot') await recordAudit(trx, clock.now(), actor, { action, ...place, data: { role } })
        return account
      }, options)
    } catch (error) {
      throw isUniqueViolation(error) ? nameTaken(draft.name) : error
    }
  }

  const userById = async (id: number): Promise<Account> => {
    const account = await findById(id)
    demand(account?.kind === 'user', 'not-found', 'account-unknown', `There is no account ${id}.`)
    return account
  }

  return {
    findByName,
    findById: (id: number) => findById(id),
    /** Inserts an account without a permission check, for the first start and the command line. */
    insert,

    async create(actor: Actor, draft: AccountDraft): Promise<Account> {
      if (draft.role === 'admin' || draft.role === 'worker') {
        requireRole(actor, ['admin'], `make an account with the role ${draft.role}`)
      }
      if (draft.role === 'admin') demandWholeAccount(actor)
      await switches.demandAccountCreation()
      if (await findByName(draft.name)) throw nameTaken(draft.name)
      await spendCreation(actor.address, 1)
      return insert(draft, undefined, undefined, actor)
    },

    async get(actor: Actor, id: number): Promise<Account> {
      requireSignIn(actor)
      // The actor's own account was read a moment ago, together with its session.
      const account = actor.account.id === id ? actor.account : await userById(id)
      const maySee =
        actor.account.id === id || actor.account.role === 'admin' || actor.account.role === 'problem_setter'
      demand(maySee, 'forbidden', 'not-yours', 'You may see only your own account.')
      return account
    },

    /**
     * For a class's contestants. Answers a function that makes one within a transaction, with a password of the list.
     */
    async prepareMany(actor: SignedIn, list: readonly string[]) {
      if (list.length > 0) {
        await switches.demandAccountCreation()
        await spendCreation(actor.address, list.length)
      }
      const hashes = new Map<string, string>()
      const { address, account } = actor
      for (const password of list) hashes.set(password, await passwords.hash(password, { address, name: account.name }))
      return async (trx: Db, draft: AccountDraft, password: string): Promise<Account> => {
        const user = await insertWithin(trx, actor, draft, hashes.get(password)!)
        await recordAudit(trx, clock.now(), actor, { action: 'user.create', user, data: { role: user.role } })
        return user
      }
    },

    async hasAdmin(): Promise<boolean> {
      const row = await store.db
        .selectFrom('account')
        .select('id')
        .where('role', '=', 'admin')
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Throws if the id is no user's. */
    async demandKnown(id: number): Promise<void> {
      await userById(id)
    },

    /** Deletes an account that a class made by mistake. Answers false if it was used: then it stays. */
    async deleteUnused(actor: SignedIn, id: number): Promise<boolean> {
      try {
        return await store.write(async (trx) => {
          const user = await findById(id, trx)
          if (!user || !(await deleteUnused(trx, id))) return false
          await recordAudit(trx, clock.now(), actor, { action: 'user.delete', user, data: { role: user.role } })
          return true
        })
      } catch (error) {
        if (isForeignKeyViolation(error)) return false
        throw error
      }
    },

    /** `search`: a part of the login or of the display name. */
    async list(actor: Actor, { offset, limit }: PageRequest, search = ''): Promise<Page<Account>> {
      requireRole(actor, ['admin', 'problem_setter'], 'list accounts')
      if (search) return searchAccounts(store.db, search, { offset, limit })
      const { total, place } = await users.locate(everyone, offset)
      if (!place) return { total, items: [] }
      const rows = await store.db
        .selectFrom('account')
        .select(accountColumns)
        .where('kind', '=', 'user')
        .where('id', '<=', place.highestId)
        .orderBy('id', 'desc')
        .offset(place.skip)
        .limit(limit)
        .execute()
      return { total, items: rows.map(toAccount) }
    },

    /** Yields every user, oldest first, read in pages, for the command line. */
    async *walk(): AsyncGenerator<Account> {
      for (let after = 0; ; ) {
        const rows = await store.db
          .selectFrom('account')
          .select(accountColumns)
          .where('kind', '=', 'user')
          .where('id', '>', after)
          .orderBy('id')
          .limit(walkPage)
          .execute()
        yield* rows.map(toAccount)
        if (rows.length < walkPage) return
        after = rows.at(-1)!.account_id
      }
    },

    /** Changes an account as the server itself, regardless of switches, for the command line. */
    async amend(account: Account, change: AccountChange): Promise<Account> {
      const passwordHash = await hashChange(theServer, account.name, change)
      // The actor is not the account itself: a new password ends all of its sessions.
      return store.write((trx) => applyChange(trx, theServer, account.id, change, passwordHash), { locks: ['admins'] })
    },

    /** For acts that need more than a session: wrong tries count as at sign-in. */
    demandOwnPassword: (actor: SignedIn, password: string): Promise<void> =>
      confirmPassword(actor, actor.account.id, password),

    /** A new password ends the account's other sessions. The last admin can't lose the role. */
    async update(actor: Actor, id: number, change: AccountChange): Promise<Account> {
      requireSignIn(actor)
      const isSelf = actor.account.id === id
      if (change.role !== undefined && !isAdmin(actor)) {
        const isNoChange = isSelf && change.role === actor.account.role
        demand(isNoChange, 'forbidden', 'role-denied', 'Only an admin may change a role.')
      }
      await switches.demandAccountUpdate()
      await userById(id)
      demand(
        isSelf || isAdmin(actor) || (isPasswordAlone(change) && (await maySetPassword(actor, id))),
        'forbidden',
        'not-yours',
        'You may change only your own account.',
      )
      const { displayName } = change
      if (displayName !== undefined && isSelf && displayName !== actor.account.displayName)
        demand(
          await isFreeName(id, displayName),
          'conflict',
          'roster-name',
          'Somebody else in your class has this name.',
        )
      if (change.currentPassword !== undefined) await confirmPassword(actor, id, change.currentPassword)
      if (change.password !== undefined || change.role === 'admin') demandWholeAccount(actor)
      const passwordHash = await hashChange(actor, actor.account.name, change)
      return store.write((trx) => applyChange(trx, actor, id, change, passwordHash), { locks: ['admins'] })
    },
  }

  /** Wrong tries count towards the name's lock-out, as at sign-in. */
  async function confirmPassword({ address }: Actor, id: number, password: string): Promise<void> {
    const { name, password_hash } = await store.db
      .selectFrom('account')
      .select(['name', 'password_hash'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const key = name.toLowerCase()
    await lockout.check(key)
    const isRight = await passwords.matches(password, password_hash ?? undefined, { address, name })
    await lockout.settle(key, isRight)
    demand(isRight, 'forbidden', 'wrong-password', 'The current password is wrong.')
  }

  async function applyChange(
    trx: Db,
    actor: Actor,
    id: number,
    change: AccountChange,
    passwordHash: string | undefined,
  ): Promise<Account> {
    const before = await findById(id, trx)
    demand(before, 'not-found', 'account-unknown', `There is no account ${id}.`)
    if (before.role === 'admin' && change.role !== undefined && change.role !== 'admin') await demandOtherAdmin(trx, id)
    if (change.role !== undefined && change.role !== before.role) demandNotServersOwn(before)
    await trx
      .updateTable('account')
      .set({
        updated_at: clock.now(),
        ...(change.displayName !== undefined && { display_name: change.displayName }),
        ...(change.role !== undefined && { role: change.role }),
        ...(passwordHash !== undefined && { password_hash: passwordHash }),
      })
      .where('id', '=', id)
      .execute()
    if (passwordHash !== undefined) {
      const kept = actor.account?.id === id && actor.credential.kind === 'session' ? actor.credential.hash : ''
      await trx.deleteFrom('session').where('account_id', '=', id).where('token_hash', '!=', kept).execute()
      // Of others' guesses at the old password nothing is left. One's own change lifts nothing: a session may be stolen.
      if (actor.account?.id !== id) await lockout.lift(before.name.toLowerCase(), trx)
    }
    const now = clock.now()
    if (passwordHash !== undefined) await recordAudit(trx, now, actor, { action: 'user.change_password', user: before })
    if (change.role !== undefined && change.role !== before.role) {
      const data = { role: change.role, role_was: before.role }
      await recordAudit(trx, now, actor, { action: wordOfRole(before.role, change.role), user: before, data })
    }
    return (await findById(id, trx))!
  }
}

/**
 * With a password one can sign in and do everything the account may; a new admin may do everything. Tokens may do
 * neither, except an admin's with the scope `site_admin`, which can make tokens for every account anyway.
 */
function demandWholeAccount({ account, credential }: Actor): void {
  if (credential.kind !== 'token') return
  const { token } = credential
  demand(
    account?.role === 'admin' && token.kind === 'classic' && hasScope(token, 'site_admin'),
    'forbidden',
    'session-needed',
    'Setting passwords and making admins needs a session, or an admin’s token with the scope site_admin: sign in.',
  )
}

const isPasswordAlone = ({ password, displayName, role }: AccountChange): boolean =>
  password !== undefined && displayName === undefined && role === undefined

/** Gaining and losing the admin role have actions of their own. */
function wordOfRole(before: Role, after: Role): string {
  if (after === 'admin') return 'user.promote'
  return before === 'admin' ? 'user.demote' : 'user.change_role'
}

async function demandOtherAdmin(trx: Db, id: number): Promise<void> {
  const other = await trx
    .selectFrom('account')
    .select('id')
    .where('role', '=', 'admin')
    .where('id', '!=', id)
    .limit(1)
    .executeTakeFirst()
  demand(other, 'precondition', 'last-admin', 'This is the last admin: make another account an admin first.')
}

const nameTaken = (name: string) =>
  new Failure('conflict', 'name-taken', `The account name ${name} is taken: choose another.`)
