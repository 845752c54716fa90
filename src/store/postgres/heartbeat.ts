/** The heartbeat of the listening connection: whether it is alive, the database's time, and whether it is writable. */
import type pg from 'pg'
import type { ClockReading } from './database-clock.ts'
import { unanswered } from './refusals.ts'
import { querySerially } from './serial-queries.ts'

export type Beat = ClockReading & { readonly isReadOnly: boolean }

/** A second look at the socket if the process itself was busy: timers run before sockets are read. */
const secondLookMs = 100
/** A timer this late means that the process or the machine hung: the answer gets its time again, a few times. */
const stoodStillMs = 500
const mostRenewals = 3

export const takesNoChanges = "(pg_is_in_recovery() or current_setting('transaction_read_only') = 'on')"

const question = `select extract(epoch from clock_timestamp())::float8 * 1000 as database_ms,
  ${takesNoChanges} as is_read_only`

/** Rejects if no answer comes in time; the connection is then useless. */
export async function beat(client: pg.Client, withinMs: number): Promise<Beat> {
  const askedAt = performance.now()
  const { rows } = await within(querySerially(client, { text: question }), withinMs)
  const { database_ms, is_read_only } = rows[0]!
  return { databaseMs: database_ms, isReadOnly: is_read_only, askedAt, answeredAt: performance.now() }
}

export function within<T>(answer: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(unanswered())
    let timer: NodeJS.Timeout
    const wait = (renewals: number) => {
      const dueAt = performance.now() + ms
      timer = setTimeout(() => {
        if (renewals > 0 && performance.now() - dueAt > stoodStillMs) wait(renewals - 1)
        else timer = setTimeout(giveUp, secondLookMs)
      }, ms)
    }
    wait(mostRenewals)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
