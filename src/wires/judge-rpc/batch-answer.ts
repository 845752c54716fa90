/** The answer to a batch: once it is long it is written as it grows, so that a hundred answers of 32 MiB are never in memory together. */
import type { ServerResponse } from 'node:http'
import type { RpcAnswer } from './protocol.ts'
import { serializeAnswer } from './serialized-result.ts'

/** Up to this size it is sent at once, with its length and the cookie that its last call sets. */
const longAnswer = 4 * 1024 * 1024

export type BatchAnswer = {
  add(answer: RpcAnswer): Promise<void>
  /** Answers the whole text if it was not long; otherwise the text is sent already, and this ends the response. */
  finish(): string | undefined
}

/** `begin` writes the head of an answer whose length is not known yet. */
export function makeBatchAnswer(raw: ServerResponse, begin: () => void): BatchAnswer {
  let texts: string[] = []
  let length = 0
  let hasBegun = false

  return {
    async add(answer) {
      const text = serializeAnswer(answer)
      if (hasBegun) return write(raw, `,${text}`)
      texts.push(text)
      length += text.length
      if (length < longAnswer) return
      begin()
      hasBegun = true
      const start = `[${texts.join(',')}`
      texts = []
      await write(raw, start)
    },
    finish() {
      if (!hasBegun) return `[${texts.join(',')}]`
      raw.end(']')
      return undefined
    },
  }
}

/** Waits for a slow client, but not for one that has disconnected. */
async function write(raw: ServerResponse, text: string): Promise<void> {
  if (raw.destroyed || raw.write(text)) return
  await new Promise<void>((resolve) => {
    const goOn = () => {
      raw.off('drain', goOn).off('close', goOn)
      resolve()
    }
    raw.on('drain', goOn).on('close', goOn)
  })
}
