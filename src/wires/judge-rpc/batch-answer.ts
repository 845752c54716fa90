/** The answer to a batch: written out as it grows once it is long, so that a hundred answers of 32 MiB are never held together. */
import type { ServerResponse } from 'node:http'
import type { RpcAnswer } from './protocol.ts'

/** Up to here it is sent in one piece, with its length and whatever cookie its last call sets. */
const longAnswer = 4 * 1024 * 1024

export type BatchAnswer = {
  add(answer: RpcAnswer): Promise<void>
  /** All of it where it was not long, else nothing: then it is on its way already, and its end with this. */
  finish(): string | undefined
}

/** `begin` writes the head of an answer whose length is not known yet. */
export function makeBatchAnswer(raw: ServerResponse, begin: () => void): BatchAnswer {
  let texts: string[] = []
  let length = 0
  let hasBegun = false

  return {
    async add(answer) {
      const text = JSON.stringify(answer)
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

/** Waits for a slow reader, not for one that has gone. */
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
