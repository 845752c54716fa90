/**
 * Tracks whose turn it is in a fetch over one open channel: git's while it packs, otherwise the client's, who then must
 * not block git. https://git-scm.com/docs/gitprotocol-pack, gitprotocol-v2
 */
import { PacketFault, readPacket } from './pkt-line.ts'

export type FetchTurns = {
  hear(input: Buffer): void
  say(output: Buffer): void
  /** Whether the client only has to read from now on. */
  readonly isPacking: boolean
}

const packfile = Buffer.from('packfile\n')

export function makeFetchTurns(): FetchTurns {
  let unread: Buffer = Buffer.alloc(0)
  let isPacking = false
  let isReadable = true

  return {
    hear(input) {
      if (!isReadable) return
      unread = unread.length === 0 ? input : Buffer.concat([unread, input])
      try {
        let at = 0
        for (let next = readPacket(unread, at); next; next = readPacket(unread, at)) {
          const { packet, end } = next
          at = end
          if (packet.kind === 'data') isPacking = /^done\n?$/.test(packet.data.toString('latin1', 0, 6))
        }
        unread = unread.subarray(at)
      } catch (error) {
        if (!(error instanceof PacketFault)) throw error
        isReadable = false
      }
    },
    say(output) {
      // Protocol version 2 announces the pack in a short packet of its own.
      if (!isPacking && output.subarray(0, 64).includes(packfile)) isPacking = true
    },
    get isPacking() {
      return isPacking
    },
  }
}
