/**
 * The response to a batch: a long one is sent while it grows, so that a hundred answers of 32 MiB are never in memory
 * together.
 */
import type { Writable } from 'node:stream'
import type { Hold } from '../../http/byte-budget.ts'
import { cut, writePieces } from '../../http/long-answers.ts'
import { serializeAnswer } from './long-text.ts'
import type { RpcAnswer } from './protocol.ts'

/** Up to this size it is sent as a whole, with its length and the cookie that its last call sets. */
const longAnswer = 4 * 1024 * 1024

export type BatchAnswer = {
  /** `hold` pays for the answer until it is written. */
  add(answer: RpcAnswer, hold: Hold): Promise<void>
  /** Returns the whole text if it was short; otherwise ends the text already sent. */
  finish(): string | undefined
}

/** `begin` sends the head of a response of unknown length, and returns the stream for its text. */
export function makeBatchAnswer(begin: () => Writable): BatchAnswer {
  let texts: string[] = []
  let length = 0
  let output: Writable | undefined

  return {
    async add(answer, hold) {
      const text = serializeAnswer(answer)
      if (!output && typeof text === 'string' && length + text.length < longAnswer) {
        texts.push(text)
        length += text.length
        return
      }
      const start = output ? ',' : texts.length > 0 ? `[${texts.join(',')},` : '['
      output ??= begin()
      texts = []
      await writePieces(output, [start], hold)
      await writePieces(output, typeof text === 'string' ? cut(Buffer.from(text)) : text, hold)
    },
    finish() {
      if (!output) return `[${texts.join(',')}]`
      output.end(']')
      return undefined
    },
  }
}
