/**
 * Long texts in results. A test of 16 MiB may become 96 MiB of JSON: its stored bytes are kept, and become JSON piece
 * by piece while they are sent.
 */
import { randomUUID } from 'node:crypto'
import { toText } from '../../judge/submissions/submission-row.ts'
import type { RpcAnswer } from './protocol.ts'

const longBytes = 64 * 1024

export class LongText {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** The text as JSON without its quotes, cut between characters. */
  *pieces(): Generator<string> {
    const { bytes } = this
    for (let at = 0; at < bytes.length; ) {
      let end = Math.min(at + longBytes, bytes.length)
      while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
      yield JSON.stringify(toText(bytes.subarray(at, end))).slice(1, -1)
      at = end
    }
  }
}

/** Typed as a string, because schemas know it as one. */
export const asText = (bytes: Uint8Array): string =>
  bytes.length > longBytes ? (new LongText(bytes) as unknown as string) : toText(bytes)

/** An unguessable mark stands for each long text while the rest is serialized. */
const mark = randomUUID()

/** In pieces if the result contains long texts. */
export const serializeAnswer = (answer: RpcAnswer): string | Iterable<string> =>
  'result' in answer && hasLongTexts(answer.result) ? serializeWithLongTexts(answer) : JSON.stringify(answer)

/** The response as pieces of JSON. */
function serializeWithLongTexts(answer: RpcAnswer): Iterable<string> {
  const texts: LongText[] = []
  const json = JSON.stringify(answer, (_name, value) => {
    if (!(value instanceof LongText)) return value
    texts.push(value)
    return mark
  })
  return interleave(json.split(mark), texts)
}

function* interleave(parts: readonly string[], texts: readonly LongText[]): Generator<string> {
  for (const [i, part] of parts.entries()) {
    yield part
    if (i < texts.length) yield* texts[i]!.pieces()
  }
}

const hasLongTexts = (result: object): boolean =>
  Object.values(result).some(
    (part) => typeof part === 'object' && part !== null && Object.values(part).some((one) => one instanceof LongText),
  )
