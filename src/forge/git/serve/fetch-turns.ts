/**
 * Whose turn it is in a fetch over one open channel: git's while it packs, else the client's, who then may not keep git waiting.
 * https://git-scm.com/docs/gitprotocol-pack, gitprotocol-v2
 */
import { PacketFault, readPacket } from './pkt-line.ts'

export type FetchTurns = {
  hear(input: Buffer): void
  say(output: Buffer): void
  /** Whether nothing more is expected of the client but that it reads. */
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
      // The second version says so; the packet is short, and git writes it by itself.
      if (!isPacking && output.subarray(0, 64).includes(packfile)) isPacking = true
    },
    get isPacking() {
      return isPacking
    },
  }
}
