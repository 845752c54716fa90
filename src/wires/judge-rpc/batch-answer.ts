/** The answer to a batch: once it is long it is written as it grows, so that a hundred answers of 32 MiB are never in memory together. */
import type { ServerResponse } from 'node:http'
import type { Hold } from '../byte-budget.ts'
import { cut, writePieces } from '../long-answer.ts'
import type { RpcAnswer } from './protocol.ts'
import { serializeAnswer } from './serialized-result.ts'

/** Up to this size it is sent at once, with its length and the cookie that its last call sets. */
const longAnswer = 4 * 1024 * 1024

export type BatchAnswer = {
  /** What it takes is paid for by `hold` until it is written. */
  add(answer: RpcAnswer, hold: Hold): Promise<void>
  /** Answers the whole text if it was not long; otherwise the text is sent already, and this ends the response. */
  finish(): string | undefined
}

/** `begin` writes the head of an answer whose length is not known yet. */
export function makeBatchAnswer(raw: ServerResponse, begin: () => void): BatchAnswer {
  let texts: string[] = []
  let length = 0
  let hasBegun = false

  return {
    async add(answer, hold) {
      const text = serializeAnswer(answer)
      if (!hasBegun && typeof text === 'string' && length + text.length < longAnswer) {
        texts.push(text)
        length += text.length
        return
      }
      const start = hasBegun ? ',' : texts.length > 0 ? `[${texts.join(',')},` : '['
      if (!hasBegun) begin()
      hasBegun = true
      texts = []
      await writePieces(raw, [start], hold)
      await writePieces(raw, typeof text === 'string' ? cut(Buffer.from(text)) : text, hold)
    },
    finish() {
      if (!hasBegun) return `[${texts.join(',')}]`
      raw.end(']')
      return undefined
    },
  }
}
