/** What git reports of a push: passed on as it comes, but the verdict itself is held back until the push is written down. */
import { type Packet, readPacket } from './pkt-line.ts'

export type PushReport = {
  /** What may be sent on at once: progress, and signs of life. */
  take(chunk: Buffer): Buffer
  /** The rest, and the refs that git says it has moved. */
  finish(): { held: Buffer; moved: ReadonlySet<string> }
}

const reportBand = 1

/** With side bands the report is band 1 and progress goes past it; without, all there is, is the report. */
export function makePushReport(hasSideBands: boolean): PushReport {
  let unread = Buffer.alloc(0)
  const held: Buffer[] = []
  const report: Buffer[] = []

  function place(packet: Packet, bytes: Buffer): Buffer | undefined {
    if (!hasSideBands) {
      report.push(bytes)
      held.push(bytes)
      return undefined
    }
    const isReport = packet.kind === 'data' && packet.data[0] === reportBand
    // An empty packet of the band says that git is still at it.
    const isSignOfLife = isReport && packet.data.length === 1
    if (packet.kind === 'data' && (!isReport || isSignOfLife) && held.length === 0) return bytes
    if (isReport) report.push(packet.data.subarray(1))
    held.push(bytes)
    return undefined
  }

  return {
    take(chunk) {
      unread = Buffer.concat([unread, chunk])
      const passed: Buffer[] = []
      let at = 0
      for (let found = readPacket(unread, at); found; found = readPacket(unread, at)) {
        const bytes = place(found.packet, unread.subarray(at, found.end))
        if (bytes) passed.push(bytes)
        at = found.end
      }
      unread = unread.subarray(at)
      return Buffer.concat(passed)
    },
    finish: () => ({ held: Buffer.concat([...held, unread]), moved: readMoved(Buffer.concat(report)) }),
  }
}

function readMoved(report: Buffer): Set<string> {
  const moved = new Set<string>()
  for (let at = 0, found = readPacket(report, at); found; found = readPacket(report, at)) {
    at = found.end
    const line = found.packet.kind === 'data' ? found.packet.data.toString('utf8').replace(/\n$/, '') : ''
    if (line.startsWith('ok ')) moved.add(line.slice(3))
  }
  return moved
}
