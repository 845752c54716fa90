/**
 * Checks the filter that a fetch asks for (`blob:none`, `tree:0`, several as `combine:…`). Git keeps a set of all
 * objects for each part and has no limit of its own: nine thousand parts, which are 63 KB, took most of a gibibyte.
 * https://git-scm.com/docs/git-rev-list#Documentation/git-rev-list.txt---filterltfilter-specgt
 */
import { demand } from '../../../lib/failure.ts'
import { PacketFault, readPacket } from './pkt-line.ts'

export const filterRefused = 'filter-refused'

/** Git's client sends one part for each `--filter` option. */
const maxParts = 8
/** A filter by patterns (`sparse:oid=branch:path`) contains a path. */
const maxBytes = 8 * 1024
const word = Buffer.from('filter ')

/** Inspects a request as it arrives, in order; throws if its filter is too large. */
export function makeFilterCheck(): (bytes: Buffer) => void {
  let unread: Buffer = Buffer.alloc(0)
  let isReadable = true

  return (bytes) => {
    if (!isReadable) return
    unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes])
    try {
      let at = 0
      for (let next = readPacket(unread, at); next; next = readPacket(unread, at)) {
        if (next.packet.kind === 'data') demandBounded(next.packet.data)
        at = next.end
      }
      unread = unread.subarray(at)
    } catch (error) {
      if (!(error instanceof PacketFault)) throw error
      // Git reads no further either.
      isReadable = false
    }
  }
}

function demandBounded(line: Buffer): void {
  if (!line.subarray(0, word.length).equals(word)) return
  demand(line.length <= maxBytes, 'invalid', filterRefused, `A filter can have at most ${maxBytes} bytes.`)
  const parts = 1 + [...line.toString('latin1').matchAll(partEnd)].length
  demand(parts <= maxParts, 'invalid', filterRefused, `A filter is combined of ${maxParts} others at most.`)
}

/** Inside a nested combination a `+` is escaped, once for each level. */
const partEnd = /\+|%(?:25)*2b/gi
