/**
 * The device flow (RFC 8628): a program without a browser asks for a code, its user types the short code elsewhere, and
 * the program fetches the token.
 */
import { randomInt } from 'node:crypto'
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import { makeLockout } from '../../accounts/sign-in/lockout.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { generateAlphanumeric, hashSecret } from '../../lib/ids.ts'
import type { Store } from '../../store/store.ts'
import type { App } from '../apps/app.ts'
import type { AppRegistration } from '../apps/registration/app-registration.ts'
import { countRows } from '../row-pages.ts'
import { type Grants, withGrantsLock } from './grants.ts'
import { type Refusal, refusals } from './refusal.ts'
import { deviceFamily, type GivenTokens, type UserTokens } from './user-tokens.ts'

export const deviceLifetimeSeconds = 15 * 60
const firstInterval = 5
/** Seconds added to the interval by each early poll (RFC 8628, section 3.5). */
const slowing = 5
const longestInterval = 300

/** Consonants only, so that they form no words: 20 to the 8th combinations. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const userCodeLength = 8
const userCodeForm = /^[A-Z]{8}$/

const maxOfApp = 10_000
const maxInAll = 100_000

export type DeviceRequest = {
  readonly deviceHash: string
  readonly userCode: string
  readonly app: App
  readonly scopes: readonly string[]
}

type Needs = { store: Store; clock: Clock; registration: AppRegistration; grants: Grants; userTokens: UserTokens }

export type DeviceCodes = ReturnType<typeof makeDeviceCodes>

export function makeDeviceCodes({ store, clock, registration, grants, userTokens }: Needs) {
  const { db } = store
  const lockout = makeLockout({
    store,
    clock,
    rule: {
      name: 'device-code',
      tries: 10,
      withinMs: 15 * 60_000,
      blockMs: 15 * 60_000,
      message: 'Too many wrong codes: wait 15 minutes and try again.',
    },
  })

  async function find(userCode: string): Promise<DeviceRequest | undefined> {
    const row = await db
      .selectFrom('app_device_code')
      .selectAll()
      .where('user_code', '=', userCode)
      .where('state', '=', 'pending')
      .where('expires_at', '>', clock.now())
      .executeTakeFirst()
    if (!row) return undefined
    const app = await registration.read(row.app_id)
    return { deviceHash: row.device_hash, userCode, app, scopes: JSON.parse(row.scopes) }
  }

  return {
    async begin(app: App, scopes: readonly string[]) {
      const deviceCode = generateAlphanumeric(40)
      const userCode = generateUserCode()
      await store.write(
        async (trx) => {
          const live = trx.selectFrom('app_device_code').where('expires_at', '>', clock.now())
          const isSpace = (await countRows(live)) < maxInAll
          const isSpaceForApp = (await countRows(live.where('app_id', '=', app.id))) < maxOfApp
          demand(
            isSpace && isSpaceForApp,
            'limited',
            'busy',
            'Too many devices are waiting for their users: try again later.',
          )
          await trx
            .insertInto('app_device_code')
            .values({
              device_hash: hashSecret(deviceCode),
              user_code: userCode,
              app_id: app.id,
              scopes: JSON.stringify(scopes),
              state: 'pending',
              grant_id: null,
              interval_seconds: firstInterval,
              polled_at: null,
              expires_at: clock.now() + deviceLifetimeSeconds * 1000,
            })
            .execute()
        },
        { locks: ['device-codes'] },
      )
      return { deviceCode, userCode: spell(userCode), interval: firstInterval, expiresInSeconds: deviceLifetimeSeconds }
    },

    /** Wrong codes count against the user, so that nobody finds another's code by trying. */
    async look({ account }: SignedIn, typed: string): Promise<DeviceRequest> {
      const key = String(account.id)
      await lockout.check(key)
      const userCode = typed.toUpperCase().replace(/[\s-]/g, '')
      const found = userCodeForm.test(userCode) ? await find(userCode) : undefined
      await lockout.settle(key, found !== undefined)
      if (!found) throw new Failure('not-found', 'device-code-unknown', 'This code is wrong or has expired.')
      return found
    },

    /** False if it expired, or was decided meanwhile. */
    decide(actor: SignedIn, { deviceHash, app, scopes }: DeviceRequest, isAllowed: boolean): Promise<boolean> {
      return store.write(async (trx) => {
        const change = (to: { state: 'granted' | 'denied' } | { grant_id: number }) =>
          trx.updateTable('app_device_code').set(to).where('device_hash', '=', deviceHash)
        const { numUpdatedRows } = await change({ state: isAllowed ? 'granted' : 'denied' })
          .where('state', '=', 'pending')
          .where('expires_at', '>', clock.now())
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return false
        if (isAllowed) await change({ grant_id: (await grants.allow(trx, actor, app, scopes)).id }).execute()
        return true
      }, withGrantsLock(actor.account.id))
    },

    /** The device asks whether its user has decided. */
    poll(by: Actor, app: App, deviceCode: string): Promise<GivenTokens | Refusal> {
      const hash = hashSecret(deviceCode)
      return store.write(async (trx) => {
        const row = await trx
          .selectFrom('app_device_code')
          .selectAll()
          .where('device_hash', '=', hash)
          .executeTakeFirst()
        const now = clock.now()
        if (!row || row.app_id !== app.id) return refusals.deviceCode
        if (row.expires_at <= now) return refusals.expired
        const isEarly = row.polled_at !== null && now - row.polled_at < row.interval_seconds * 1000
        const interval = Math.min(row.interval_seconds + (isEarly ? slowing : 0), longestInterval)
        if (isEarly || row.state === 'pending') {
          const seen = { polled_at: now, interval_seconds: interval }
          await trx.updateTable('app_device_code').set(seen).where('device_hash', '=', hash).execute()
          return isEarly ? refusals.slowDown(interval) : refusals.pending
        }
        const { numDeletedRows } = await trx
          .deleteFrom('app_device_code')
          .where('device_hash', '=', hash)
          .executeTakeFirstOrThrow()
        if (row.state === 'denied') return refusals.denied
        const grant = row.grant_id === null ? undefined : await grants.read(trx, row.grant_id)
        if (!grant || numDeletedRows === 0n) return refusals.deviceCode
        const family = deviceFamily + generateAlphanumeric(20)
        return userTokens.give(trx, by, app, grant, JSON.parse(row.scopes), family)
      })
    },
  }
}

function generateUserCode(): string {
  let text = ''
  for (let i = 0; i < userCodeLength; i++) text += letters[randomInt(letters.length)]
  return text
}

/** `WDJB-MJHT`: in two halves, for reading out. */
const spell = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
