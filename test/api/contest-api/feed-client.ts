/** Clients of feeds: they stay connected, go on from any token that they have had, and have what they were told. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { makeFeedTokens } from '../../../src/api/contest-api/feed-tokens.ts'
import type { Services } from '../../../src/services.ts'
import type { Json } from '../../support/rpc.ts'
import { applyEvents, collections, readAll } from './full-contest.ts'

/** A token of this place in the log, as the server writes it: 0 is the very beginning, which no client was given. */
export async function tokenAt(services: Services, ContestID: string, sequence: number): Promise<string> {
  const contest = await services.store.db
    .selectFrom('contest')
    .select(['id', 'feed_epoch as feedEpoch'])
    .where('public_id', '=', ContestID)
    .executeTakeFirstOrThrow()
  const secret = await services.sharedSecrets.read('contest-feeds')
  return makeFeedTokens(secret, contest).write({ sequence, snapshot: undefined })
}

export type FeedClient = ReturnType<typeof makeFeedClient>

/** A client that stays connected, and goes on from any token that it has had. */
export function makeFeedClient(address: () => string, token: string | undefined) {
  const lines: Json[] = []
  let leaving = new AbortController()
  let reading: Promise<void> = Promise.resolve()
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }

  async function read(since: string | undefined, signal: AbortSignal): Promise<void> {
    const query = since === undefined ? '' : `?since_token=${since}`
    try {
      const response = await fetch(`${address()}${query}`, { headers, signal })
      if (response.status === 400) {
        lines.length = 0
        await response.text()
        return read(undefined, signal)
      }
      assert.equal(response.status, 200)
      let rest = ''
      for await (const chunk of response.body!) {
        rest += Buffer.from(chunk).toString()
        const parts = rest.split('\n')
        rest = parts.pop()!
        for (const line of parts) if (line !== '') lines.push(JSON.parse(line))
      }
      // The server ended it: what it had told counts no longer.
      if (!signal.aborted) return read(lines.at(-1)?.token, signal)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      // The server died, or was not there: another is asked.
      if (signal.aborted) return
      await sleep(100)
      return read(lines.at(-1)?.token, signal)
    }
  }

  const connect = (since?: string) => {
    leaving = new AbortController()
    reading = read(since, leaving.signal)
  }
  const leave = async () => {
    leaving.abort()
    await reading
  }
  connect()
  return {
    lines,
    leave,
    /** Forgets what came after the token, as one that crashed. */
    async reconnect(draw: (below: number) => number): Promise<void> {
      await leave()
      if (lines.length > 0) lines.length = 1 + draw(lines.length)
      connect(lines.at(-1)?.token)
    },
  }
}

/** Compares what a client was told with what the lists have. */
export function hasWhatListsHave(
  { lines }: FeedClient,
  url: () => string,
  ContestID: string,
  token: string | undefined,
) {
  let [found, expected]: [Json, Json] = [undefined, undefined]
  return {
    async isAlike(): Promise<boolean> {
      const { objects } = await readAll(url(), ContestID, token, '', false)
      expected = { 'contest null': objects.get('contest'), 'state null': objects.get('state') }
      const seen = new Set(objects.get('access').endpoints.map(({ type }: Json) => type))
      for (const type of collections) for (const one of objects.get(type) ?? []) expected[`${type} ${one.id}`] = one
      // A list that is hidden by now is told of no more.
      const all = Object.entries(applyEvents(lines)).filter(([key]) => seen.has(key.split(' ')[0]))
      found = Object.fromEntries(all)
      return isDeepStrictEqual(found, expected)
    },
    demand: (message: string): void => assert.deepEqual(found, expected, message),
  }
}
