/**
 * Parsing of what callers send: long JSON is parsed in slices of some milliseconds, by callers in turn, so that nobody
 * waits for another's body.
 */
import { setImmediate as turnLoop } from 'node:timers/promises'
import type { Actor } from '../../accounts/actor.ts'
import { payerOf } from '../../http/byte-budget.ts'
import { Failure } from '../../lib/failure.ts'
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import { hasMoreValues, isDeeperThan, maxAnonymousValues, maxValues } from './json-values.ts'
import { LongJson, type LongJsonBounds, tooDeep } from './long-json.ts'

/**
 * Short texts are parsed at once. It throws a SyntaxError for what is not JSON, and a failure where
 * there is more of it than anybody needs. A byte order mark before the text is passed over.
 */
export type ParseJson = (
  actor: Pick<Actor, 'account' | 'address'>,
  bytes: Buffer,
  most?: { readonly values?: number; readonly depth?: number },
) => Promise<unknown>

/** Of the shortest names there are, this takes JSON.parse some milliseconds. */
const shortBytes = 64 * 1024
const sliceMs = 5

/** What waits has been paid for in the budget of bytes, which bounds it. */
const what = 'long bodies to be read'

export function makeJsonParsing(): ParseJson {
  /** Of each caller one text is half parsed and in memory, and one of them all is gone on with. */
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
