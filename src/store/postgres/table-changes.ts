/**
 * What other servers have committed to PostgreSQL, by table: asked for before each request, many requests at a time. What
 * was committed before a look began is known after it, so a cache that looked first is never behind the database.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import { nextReading } from '../../base/gathering.ts'
import type { TableChanges } from '../observed-read.ts'
import type { PiggybackedCall } from '../store.ts'
import { sever } from './connections.ts'
import { within } from './heartbeat.ts'
import { inTurn, queryInTurn } from './in-turn.ts'

/** What PostgreSQL showed to a look, on which connection. */
type View = { readonly client: pg.Client; readonly snapshot: string; readonly begunAt: number }

export type Follower = TableChanges & {
  /** Resolves once all that was committed before the call is known, or that it can't be known: then nothing is current. */
  catchUp(): Promise<void>
  /** The same, and what the call answers. Undefined where there was no answer: it may have been run nonetheless. */
  catchUpWith(call: PiggybackedCall): Promise<Record<string, unknown> | undefined>
  /** How many connections were met and lost: whoever is at the end of a new one may know less than the one before. */
  epoch(): number
  close(): void
}

type Needs = {
  /** The connection that listens; undefined while there is none. */
  readonly client: () => pg.Client | undefined
  readonly keptMs?: number
}

/** For readers that did not ask to catch up, a timer's say: what they find is not older than this and a look. */
const freshMs = 50
/** Who waits for a look that takes longer goes on without caches. */
const lookBoundMs = 1_000
/** An idle server looks so often, lest its caches be dropped. */
const lookEveryMs = 3_000
/** Between the beginning of a look and the end of the next one: after a longer gap what happened in it may be deleted. */
const longestGapMs = 15_000
/** So long a change is kept after all can see it: well over the gap, for clocks run differently under load. */
const usuallyKeptMs = 60_000

const pruneBatch = 500

/** PostgreSQL does not know a statement that was prepared (a pooler's doing, or `deallocate`): a new connection prepares it again. */
const statementGone = '26000'

const everything = '*'

/**
 * All of one snapshot. What the earlier snapshot `$1` did not show is of transactions that began after it (`xmax`) or went
 * on while it was taken (`xip`): both are found by the index, however long some transaction stays open.
 */
const question = `select pg_current_snapshot()::text as snapshot, array(
  select name from table_change where xid >= pg_snapshot_xmax($1::pg_snapshot)
  union
  select c.name from pg_snapshot_xip($1::pg_snapshot) as open (xid),
    lateral (select t.name from table_change t where t.xid = open.xid offset 0) c) as names`

const compose = (call: PiggybackedCall | undefined) =>
  call
    ? { name: call.name, text: `${question}, called.* from ${call.call} called`, values: call.values }
    : { name: 'table-changes', text: question, values: [] }

/**
 * What all could see at `$1`; and what a dump of another cluster brought, whose transactions are yet to come here. Some at a
 * time, for looks wait behind it.
 */
const pruning = `delete from table_change where ctid = any (array(
  select ctid from table_change
  where (xid < pg_snapshot_xmax($1::pg_snapshot) and pg_visible_in_snapshot(xid, $1::pg_snapshot))
    or xid >= pg_snapshot_xmax(pg_current_snapshot())
  limit ${pruneBatch} for update skip locked))`

export function followTableChanges({ client: findClient, keptMs = usuallyKeptMs }: Needs): Follower {
  const changedAt = new Map<string, number>()
  let now = 0
  let allChangedAt = 0
  /** Undefined where the last look failed: the next one takes everything for changed. */
  let view: View | undefined
  let seenAt = Number.NEGATIVE_INFINITY
  let oldView: View | undefined
  /** How often a look failed. */
  let forgotten = 0
  let lastClient: pg.Client | undefined
  let epoch = 0
  /** Those who wait for a look that is yet to be sent, whoever sends it. */
  let waiting: (() => void)[] = []
  let isServing = false
  let lastLook: Promise<unknown> = Promise.resolve()
  let underWay = 0

  function look(call?: PiggybackedCall): Promise<Record<string, unknown> | undefined> {
    const client = findClient()
    if (client !== lastClient) epoch++
    lastClient = client
    underWay++
    const looked = lookBy(client, call).finally(() => underWay--)
    lastLook = looked
    return looked
  }

  async function lookBy(client: pg.Client | undefined, call: PiggybackedCall | undefined) {
    if (!client) return forget()
    let joined: (() => void)[] = []
    let isOver = false
    try {
      const asked = inTurn(client, () => {
        if (!isOver) joined = takeWaiting()
        return ask(client, call)
      })
      return await within(asked, lookBoundMs)
    } catch (error) {
      // The connection says itself that it is lost; on a standby, which has no unlogged tables, nothing is cached.
      if ((error as { code?: string }).code === statementGone) sever(client)
      return forget()
    } finally {
      isOver = true
      for (const resolve of joined) resolve()
    }
  }

  function takeWaiting(): (() => void)[] {
    const taken = waiting
    waiting = []
    return taken
  }

  /** While others look, whoever waits goes with the next of them: one is sent for them alone where none comes. */
  const serveWaiting = AsyncLocalStorage.bind(async () => {
    while (waiting.length > 0) {
      if (underWay > 0) {
        await lastLook
        await nextReading()
        await nextTurn()
        if (waiting.length === 0) break
      }
      const served = takeWaiting()
      await look()
      for (const resolve of served) resolve()
    }
    isServing = false
  })

  /** In turn, since it is by the answer to the look before that it asks. */
  async function ask(client: pg.Client, call: PiggybackedCall | undefined): Promise<Record<string, unknown>> {
    // A snapshot says nothing of another server's transactions, nor of this one's from before a crash or a restore.
    const earlier = view?.client === client ? view : undefined
    const failures = forgotten
    const begunAt = performance.now()
    const { name, text, values } = compose(call)
    const { rows } = await client.query({ name, text, values: [earlier?.snapshot ?? null, ...values] })
    const { snapshot, names } = rows[0] as { snapshot: string; names: string[] }
    const endedAt = performance.now()
    note(!earlier || endedAt - earlier.begunAt > longestGapMs ? [everything] : names)
    // An answer that nobody waited for any longer is no look for those who came meanwhile.
    if (failures === forgotten) {
      view = { client, snapshot, begunAt }
      seenAt = endedAt
    }
    return rows[0]
  }

  function forget(): undefined {
    forgotten++
    view = undefined
    seenAt = Number.NEGATIVE_INFINITY
  }

  function note(names: readonly string[]): void {
    if (names.length === 0) return
    now++
    for (const name of names) {
      if (name === everything) allChangedAt = now
      else changedAt.set(name, now)
    }
  }

  const catchUp = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (isServing) return
      isServing = true
      setImmediate(serveWaiting)
    })

  /** Over the connection that the snapshot is of: after a failover its numbers would mean other transactions. */
  async function prune(): Promise<void> {
    const seen = oldView
    oldView = view
    if (!seen || findClient() !== seen.client) return
    for (let count = pruneBatch; count >= pruneBatch; )
      count = (await queryInTurn(seen.client, { text: pruning, values: [seen.snapshot] })).rowCount ?? 0
  }

  const looking = setInterval(() => void catchUp(), lookEveryMs).unref()
  const tidying = setInterval(() => void prune().catch(() => {}), keptMs).unref()

  return {
    now: () => now,
    isUnknownSince: (since) => allChangedAt > since,
    hasChanged: (table, since) => allChangedAt > since || (changedAt.get(table) ?? 0) > since,
    isFresh: () => performance.now() - seenAt < freshMs,
    catchUp,
    catchUpWith: look,
    epoch: () => epoch,
    close() {
      clearInterval(looking)
      clearInterval(tidying)
    },
  }
}
