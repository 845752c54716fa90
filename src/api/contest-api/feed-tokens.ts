/**
 * Tokens of feeds: the position in the contest's log is encrypted, because it counts events that are hidden from the
 * client. Every server accepts the tokens of every other, for the same contest and edition of its feed.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** A position in a feed. */
export type FeedPosition = {
  readonly sequence: number
  /** In the snapshot: the current type, and its last object that was sent. */
  readonly snapshot: { readonly type: number; readonly last: string } | undefined
}

export type FeedTokens = ReturnType<typeof makeFeedTokens>

/** A block consists of the position, a unique number, and zeros that prove that it is ours. */
const [blockBytes, numberBytes] = [16, 6]
const form = /^([A-Za-z0-9_-]{22})(?:\.(\d{1,2})\.([A-Za-z0-9_.-]{0,60}))?$/

/** Unique within this process, and with a random start most likely elsewhere, too. */
let written = randomBytes(numberBytes).readUIntBE(0, numberBytes)
const mostWritten = 2 ** (8 * numberBytes)

export function makeFeedTokens(secret: string, { id, feedEpoch }: { readonly id: number; readonly feedEpoch: number }) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `contest ${id}, edition ${feedEpoch}`, blockBytes))
  const encrypt = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  const decrypt = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false)

  return {
    /** A different token each time, also for the same place. */
    write({ sequence, snapshot }: FeedPosition): string {
      const block = Buffer.alloc(blockBytes)
      block.writeUIntBE(sequence, 0, numberBytes)
      written = (written + 1) % mostWritten
      block.writeUIntBE(written, numberBytes, numberBytes)
      const text = encrypt.update(block).toString('base64url')
      // What the client was sent is no secret from it.
      return snapshot ? `${text}.${snapshot.type}.${snapshot.last}` : text
    },

    /** Undefined for a token that was not written for this contest and edition. */
    read(token: string): FeedPosition | undefined {
      const found = form.exec(token)
      if (!found) return undefined
      const [, text, type, last = ''] = found
      const plain = decrypt.update(Buffer.from(text!, 'base64url'))
      if (plain.readUInt32BE(2 * numberBytes) !== 0) return undefined
      return {
        sequence: plain.readUIntBE(0, numberBytes),
        snapshot: type === undefined ? undefined : { type: Number(type), last },
      }
    },
  }
}
