/**
 * Parsing of request bodies. Long JSON is parsed in slices of some milliseconds, one caller after another, so that
 * nobody waits for another's body.
 */
import { setImmediate as turnLoop } from 'node:timers/promises'
import type { Actor } from '../../accounts/actor.ts'
import { payerOf } from '../../http/byte-budget.ts'
import { Failure } from '../../lib/failure.ts'
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import { hasMoreValues, isDeeperThan, maxAnonymousValues, maxValues } from './json-values.ts'
import { LongJson, type LongJsonBounds, tooDeep } from './long-json.ts'

/**
 * Short texts are parsed at once. Throws a SyntaxError for invalid JSON, and a failure if it exceeds the limits. A
 * leading byte order mark is skipped.
 */
export type ParseJson = (
  actor: Pick<Actor, 'account' | 'address'>,
  bytes: Buffer,
  most?: { readonly values?: number; readonly depth?: number },
) => Promise<unknown>

/** JSON.parse takes some milliseconds for this much, even with the shortest names. */
const shortBytes = 64 * 1024
const sliceMs = 5

/** The byte budget bounds the waiting bodies, which are charged to it. */
const what = 'long bodies to be read'

export function makeJsonParsing(): ParseJson {
  /** Each caller has at most one half-parsed text in memory, and one text of all callers is parsed at a time. */
  const { run: takePlace } = makeFairScheduler({ slots: Number.POSITIVE_INFINITY, slotsPerCaller: 1, what })
  const { run: takeTurn } = makeFairScheduler({ slots: 1, slotsPerCaller: 1, what })

  const parseLong = (payer: string, bytes: Buffer, most: LongJsonBounds): Promise<unknown> =>
    takePlace(payer, async () => {
      const json = new LongJson(bytes, most)
      let isDone = false
      while (!isDone)
        await takeTurn(payer, async ({ giveUpIfWanted }) => {
          do {
            await turnLoop()
            const end = performance.now() + sliceMs
            do isDone = json.read()
            while (!isDone && performance.now() < end)
          } while (!isDone && !giveUpIfWanted())
        })
      return json.value
    })

  return async (actor, bytes, { values: usual = maxValues, depth = Number.POSITIVE_INFINITY } = {}) => {
    const values = actor.account ? usual : maxAnonymousValues
    if (bytes.length > shortBytes) return parseLong(payerOf(actor), bytes, { values, depth })
    if (depth < bytes.length && isDeeperThan(depth, bytes)) throw tooDeep(depth)
    if (!actor.account && hasMoreValues(bytes, values))
      throw new Failure('invalid', 'too-large', `The body has more than ${values} values: sign in first.`)
    const text = bytes.toString('utf8')
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  }
}
