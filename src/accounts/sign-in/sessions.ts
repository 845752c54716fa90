/** Sessions: a name and a password are exchanged for an opaque token that is valid for a day after its last use. */

import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import { generateSecret, hashSecret, secretLength } from '../../lib/ids.ts'
import { ignoreOutage } from '../../lib/outages/outage.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { runAs } from '../../lib/scheduling/work-kind.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { accountColumns, toAccount } from '../account-row.ts'
import { type Account, type Actor, demandServed, requireSignIn, type SignedIn } from '../actor.ts'
import { recordAudit } from '../audit/audit-log.ts'
import type { Quotas } from '../quotas.ts'
import type { Switches } from '../switches.ts'
import { credentialBlock, credentialRule, type Lockout } from './lockout.ts'
import type { Passwords } from './passwords.ts'

export const sessionLifetimeMs = 24 * 60 * 60 * 1000
/**
 * A session is renewed at most this often: a write for each request would slow every read, and ten seconds of a day do
 * not matter.
 */
const renewalGrainMs = 10_000

export type OpenSession = {
  readonly actor: SignedIn
  readonly wasRenewed: boolean
  /** Until when credentials of the account or of the sender are locked out; 0 if never. */
  readonly blockedUntil: number
}

/** `id` is the start of the stored hash: enough to name the session, and useless for signing in. */
export type SessionEntry = {
  readonly id: string
  readonly createdAt: Date
  readonly lastUsedAt: Date
  readonly expiresAt: Date
  readonly hash: string
}

/** `stored`: the password's hash. */
export type Verified = { readonly account: Account; readonly stored: string }

const idLength = 16

type Needs = { store: Store; clock: Clock; passwords: Passwords; lockout: Lockout; switches: Switches; quotas: Quotas }

/** Only a session's secret has this length; no token does. */
export const hasSessionForm = (secret: string): boolean => secret.length === secretLength

export type Sessions = ReturnType<typeof makeSessions>

export function makeSessions({ store, clock, passwords, lockout, switches, quotas }: Needs) {
  async function findSecret(name: string): Promise<{ account: Account; hash: string | undefined } | undefined> {
    const row = await store.db
      .selectFrom('account')
      .select([...accountColumns, 'password_hash'])
      .where('name_key', '=', name.toLowerCase())
      .where('kind', '=', 'user')
      .executeTakeFirst()
    return row && { account: toAccount(row), hash: row.password_hash ?? undefined }
  }

  const sessionByHash = prepareQuery(store.db, ({ hash, sender }: { hash: string; sender: string }) =>
    store.db
      .selectFrom('session')
      .innerJoin('account', 'account.id', 'session.account_id')
      .select([...accountColumns, 'expires_at'])
      .select(credentialBlock(sender))
      .where('token_hash', '=', hash),
  )
  async function findSession(token: string, sender: string) {
    const hash = hashSecret(token)
    const [row] = await runAs('sign-in', () => sessionByHash({ hash, sender: `${credentialRule.name}:${sender}` }))
    return row && { hash, expiresAt: row.expires_at, account: toAccount(row), blockedUntil: row.blocked_until ?? 0 }
  }

  /** Ends the oldest sessions to make room: a program that signs in for each call must not be refused after a day. */
  async function endOldest(trx: Db, accountId: number): Promise<void> {
    if (!Number.isFinite(quotas.sessions)) return
    const last = await trx
      .selectFrom('session')
      .select('expires_at')
      .where('account_id', '=', accountId)
      .orderBy('expires_at', 'desc')
      .offset(Math.max(0, quotas.sessions - 1))
      .limit(1)
      .executeTakeFirst()
    if (!last) return
    const old = trx.deleteFrom('session').where('account_id', '=', accountId)
    await old.where('expires_at', '<=', last.expires_at).execute()
  }

  /** The account with this name and password, if it may sign in. */
  async function verifyPassword(actor: Actor, name: string, password: string): Promise<Verified> {
    const { address } = actor
    const key = lockoutKey(name)
    await lockout.check(key)
    const found = await findSecret(name)
    const isRight = await passwords.matches(password, found?.hash, { address, name })
    // Nothing is recorded for unknown names: anyone can make up any number of them. The audit entries are part of the
    // write that counts the try, so that timing does not reveal which names exist.
    await lockout.settle(key, isRight, async (trx, isLocking) => {
      if (!found) return
      const user = found.account
      await recordAudit(trx, clock.now(), actor, { action: 'user.failed_login', user })
      if (isLocking) await recordAudit(trx, clock.now(), actor, { action: 'user.lockout', user })
    })
    demand(found && isRight, 'unauthenticated', 'wrong-credentials', 'Wrong account name or password.')
    demandServed(found.account)
    return { account: found.account, stored: found.hash! }
  }

  return {
    /** The account with this password, for an interface without sessions. A wrong password counts as in `create`. */
    async verify(actor: Actor, name: string, password: string): Promise<Verified> {
      const found = await verifyPassword(actor, name, password)
      await switches.demandSessionFor(found.account.role)
      return found
    },

    /** The account, if its stored password is still the one that was verified. */
    async findVerified(name: string, stored: string): Promise<Account | undefined> {
      await lockout.check(lockoutKey(name))
      const found = await findSecret(name)
      if (!found || found.hash !== stored) return undefined
      demandServed(found.account)
      return found.account
    },

    /**
     * A wrong name and a wrong password get the same answer in the same time. The switch is checked last, so that its
     * refusal reveals nobody's role.
     */
    async create(actor: Actor, name: string, password: string): Promise<{ account: Account; token: string }> {
      const found = await verifyPassword(actor, name, password)
      await switches.demandSessionFor(found.account.role)
      const token = generateSecret()
      const now = clock.now()
      await store.write(async (trx) => {
        await endOldest(trx, found.account.id)
        await trx
          .insertInto('session')
          .values({
            token_hash: hashSecret(token),
            account_id: found.account.id,
            created_at: now,
            expires_at: now + sessionLifetimeMs,
          })
          .execute()
        const { account } = found
        await recordAudit(trx, now, { ...actor, account }, { action: 'user.login', user: account })
      })
      return { account: found.account, token }
    },

    /** Finds a token's session and renews it; undefined if the token is unknown, ended or expired. */
    async open(token: string, address: string, sender = ''): Promise<OpenSession | undefined> {
      if (!hasSessionForm(token)) return undefined
      const session = await findSession(token, sender)
      const now = clock.now()
      if (!session || session.expiresAt <= now) return undefined
      const { hash, account, blockedUntil } = session
      const expiresAt = now + sessionLifetimeMs
      const wasRenewed = expiresAt - session.expiresAt >= renewalGrainMs
      if (wasRenewed) {
        const renew = (trx: Db) =>
          trx.updateTable('session').set({ expires_at: expiresAt }).where('token_hash', '=', hash).execute()
        // A full disk must not prevent reading.
        await store.write(renew).catch(ignoreOutage)
      }
      return { actor: { account, credential: { kind: 'session', hash }, address }, wasRenewed, blockedUntil }
    },

    async end(actor: Actor): Promise<void> {
      requireSignIn(actor)
      const { credential } = actor
      demand(
        credential.kind === 'session',
        'precondition',
        'not-a-session',
        'You are signed in with a token, which is not a session: revoke the token instead.',
      )
      await store.write((trx) => trx.deleteFrom('session').where('token_hash', '=', credential.hash).execute())
    },

    /** Open sessions, the most recently used first. */
    async list({ id }: Account, { offset, limit }: PageRequest): Promise<Page<SessionEntry>> {
      const open = store.db.selectFrom('session').where('account_id', '=', id).where('expires_at', '>', clock.now())
      const { count } = await open.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
      const rows = await open
        .selectAll()
        .orderBy('expires_at', 'desc')
        .orderBy('token_hash')
        .offset(offset)
        .limit(limit)
        .execute()
      return { total: Number(count), items: rows.map(toEntry) }
    },

    async endById(account: Account, id: string): Promise<void> {
      const { numDeletedRows } = await store.write((trx) =>
        trx
          .deleteFrom('session')
          .where('account_id', '=', account.id)
          .where('token_hash', '>=', id)
          .where('token_hash', '<', `${id}g`)
          .executeTakeFirstOrThrow(),
      )
      demand(numDeletedRows > 0n, 'not-found', 'session-unknown', `You have no session ${id}; list them first.`)
    },

    async prune(): Promise<void> {
      await store.write((trx) => trx.deleteFrom('session').where('expires_at', '<=', clock.now()).execute())
    },
  }
}

/** Names are compared without case, whether an account has them or not. */
const lockoutKey = (name: string): string => name.toLowerCase()

const toEntry = (row: { token_hash: string; created_at: number; expires_at: number }): SessionEntry => ({
  id: row.token_hash.slice(0, idLength),
  hash: row.token_hash,
  createdAt: new Date(row.created_at),
  lastUsedAt: new Date(row.expires_at - sessionLifetimeMs),
  expiresAt: new Date(row.expires_at),
})
