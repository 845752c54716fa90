/**
 * Ids of events: a place in their sequence, encrypted under a key of this process, so that nobody reads out of two ids how
 * much happened between them that was not for their eyes.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export type EventIds = {
  /** Another one each time, for the same place too. */
  write(place: number): string
  /** Undefined for what was not written here: by another server, or by this one before it was started anew. */
  read(id: string): number | undefined
}

/** Of a block: the place, a number that no other block has, and zeros, by which a block is known to be ours. */
const [blockBytes, numberBytes] = [16, 6]

export function makeEventIds(): EventIds {
  const key = randomBytes(blockBytes)
  const encrypt = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  const decrypt = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  let written = 0

  return {
    write(place) {
      const block = Buffer.alloc(blockBytes)
      block.writeUIntBE(place, 0, numberBytes)
      block.writeUIntBE(written++, numberBytes, numberBytes)
      return encrypt.update(block).toString('base64url')
    },
    read(id) {
      const block = Buffer.from(id, 'base64url')
      if (block.length !== blockBytes) return undefined
      const plain = decrypt.update(block)
      return plain.readUInt32BE(2 * numberBytes) === 0 ? plain.readUIntBE(0, numberBytes) : undefined
    },
  }
}
