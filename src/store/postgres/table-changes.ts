/**
 * What other servers have committed to PostgreSQL, by table: asked for before each request, many requests at a time. What
 * was committed before a look began is known after it, so a cache that looked first is never behind the database.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import type { Awaitable } from '../../base/awaitable.ts'
import { nextReading } from '../../base/gathering.ts'
import type { TableChanges } from '../observed-read.ts'
import type { PiggybackedCall } from '../store.ts'
import { sever } from './connections.ts'
import { within } from './heartbeat.ts'
import { inTurn, queryInTurn } from './in-turn.ts'
import { leaseMs, type SoleServer } from './sole-server.ts'

/** What PostgreSQL showed to a look, on which connection. */
type View = {
  readonly client: pg.Client
  readonly snapshot: string
  readonly begunAt: number
  readonly begunOn: number
}

export type Follower = TableChanges & {
  /** Once all that was committed before the call is known, or that it can't be known: then nothing is current. */
  catchUp(): Awaitable<void>
  /** The same, by a look in any case. */
  look(): Promise<void>
  /** The same, and what the call answers. Undefined where there was no answer: it may have been run nonetheless. */
  catchUpWith(call: PiggybackedCall): Promise<Record<string, unknown> | undefined>
  /** How many connections were met and lost: whoever is at the end of a new one may know less than the one before. */
  epoch(): number
  /** A write of this process, from its beginning. */
  beginWrite(): OwnWrite
  /** Something was read from the database, by no write. */
  noteRead(): void
  close(): void
}

export type OwnWrite = {
  /** From now on it may be committed. */
  commit(): void
  isCommitting(): boolean
  /** Resolves once what it changed is known here. */
  end(): Promise<void>
  /** Whether no other server can have been alone since the beginning: one that was knows of it after the lease at the latest. */
  isKnownToAll(): boolean
}

type Needs = {
  /** The connection that listens; undefined while there is none. */
  readonly client: () => pg.Client | undefined
  readonly sole?: () => Pick<SoleServer, 'isAlone' | 'distrust'> | undefined
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

/** Of so many it is known when they changed; where they are more, all count as changed. */
const mostRows = 10_000

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

export function followTableChanges({
  client: findClient,
  sole = () => undefined,
  keptMs = usuallyKeptMs,
}: Needs): Follower {
  const changedAt = new Map<string, number>()
  /** Of rows, by `table#key`, and by `table#*` where all of a table may be others. */
  const rowChangedAt = new Map<string, number>()
  let rowsForgottenAt = 0
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
  let writes = 0
  let commits = 0
  /** Whether anything was read while commits were under way, which may show what they changed. */
  let isShown = false
  let writtenAt = Number.NEGATIVE_INFINITY

  function send(call?: PiggybackedCall): Promise<Record<string, unknown> | undefined> {
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
      await send()
      for (const resolve of served) resolve()
    }
    isServing = false
  })

  /** In turn, since it is by the answer to the look before that it asks. */
  async function ask(client: pg.Client, call: PiggybackedCall | undefined): Promise<Record<string, unknown>> {
    // A snapshot says nothing of another server's transactions, nor of this one's from before a crash or a restore.
    const earlier = view?.client === client ? view : undefined
    const failures = forgotten
    const [begunAt, begunOn] = [performance.now(), Date.now()]
    const { name, text, values } = compose(call)
    const { rows } = await client.query({ name, text, values: [earlier?.snapshot ?? null, ...values] })
    const { snapshot, names } = rows[0] as { snapshot: string; names: string[] }
    const endedAt = performance.now()
    note(!earlier || endedAt - earlier.begunAt > longestGapMs ? [everything] : names)
    const isByOthers = earlier && names.length > 0 && writes === 0 && writtenAt < earlier.begunAt
    if (isByOthers && sole()?.isAlone()) sole()?.distrust()
    // An answer that nobody waited for any longer is no look for those who came meanwhile.
    if (failures === forgotten) {
      view = { client, snapshot, begunAt, begunOn }
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
    const toldByRow = new Set(names.map((name) => name.slice(0, Math.max(0, name.indexOf('#')))))
    for (const name of names) {
      if (name === everything) allChangedAt = now
      else if (name.includes('#')) noteRow(name)
      else {
        changedAt.set(name, now)
        // By a database that tells no rows, as one that was restored to a version of before.
        if (!toldByRow.has(name)) noteRow(`${name}#*`)
      }
    }
  }

  function noteRow(name: string): void {
    if (rowChangedAt.size >= mostRows) {
      rowChangedAt.clear()
      rowsForgottenAt = now
    }
    rowChangedAt.set(name, now)
  }

  function hasRowChanged(name: string, end: number, since: number): boolean {
    if (rowsForgottenAt > since || (rowChangedAt.get(name) ?? 0) > since) return true
    return (rowChangedAt.get(`${name.slice(0, end)}#*`) ?? 0) > since
  }

  function hasChanged(name: string, since: number): boolean {
    if (allChangedAt > since) return true
    const end = name.indexOf('#')
    return end < 0 ? (changedAt.get(name) ?? 0) > since : hasRowChanged(name, end, since)
  }

  /** Whether nobody else can have committed since the last look; the clock of the day as well, which goes on where a machine stands still. */
  function isReliable(atMost: number): boolean {
    if (!view || !sole()?.isAlone() || view.client !== findClient()) return false
    const passed = Date.now() - view.begunOn
    return performance.now() - view.begunAt < atMost && passed < atMost && passed >= 0
  }

  /** A commit of this process that is under way counts once anybody may have read what it changed. */
  function catchUp(): Awaitable<void> {
    if (isShown || !isReliable(leaseMs)) return look()
    if (underWay === 0 && !isReliable(leaseMs / 2)) void look()
  }

  const look = (): Promise<void> =>
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

  function beginWrite(): OwnWrite {
    const witness = findClient()
    let isCommitting = false
    writes++
    return {
      commit() {
        if (!isCommitting) commits++
        isCommitting = true
      },
      isCommitting: () => isCommitting,
      async end() {
        writtenAt = performance.now()
        await look()
        writes--
        if (isCommitting) commits--
        if (commits === 0) isShown = false
      },
      isKnownToAll: () => witness !== undefined && view?.client === witness,
    }
  }

  const looking = setInterval(() => void look(), lookEveryMs).unref()
  const tidying = setInterval(() => void prune().catch(() => {}), keptMs).unref()

  return {
    now: () => now,
    isUnknownSince: (since) => allChangedAt > since,
    hasChanged,
    isFresh: () => performance.now() - seenAt < freshMs || isReliable(leaseMs),
    catchUp,
    look,
    catchUpWith: send,
    epoch: () => epoch,
    beginWrite,
    noteRead() {
      if (commits > 0) isShown = true
    },
    close() {
      clearInterval(looking)
      clearInterval(tidying)
    },
  }
}
