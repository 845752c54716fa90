/**
 * Ids of events: a position in their sequence, encrypted under a key of this process, so that two ids do not reveal how
 * many hidden events lie between them.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export type EventIds = {
  /** A different id each time, also for the same position. */
  write(place: number): string
  /** Undefined for an id from another server, or from before a restart. */
  read(id: string): number | undefined
}

/** A block consists of the position, a unique number, and zeros that prove that it is ours. */
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
