/** Passes git's report of a push on as it arrives, but holds the verdict back until the push is recorded. */
import { flushPacket, type Packet, readPacket, writePacket } from '../serve/pkt-line.ts'
import type { Explanation } from './push-refusals.ts'
import type { PushRequest } from './push-request.ts'

export type PushReport = {
  /** Returns the bytes that may be sent at once: progress and keep-alives. */
  take(chunk: Buffer): Buffer
  /** Returns the rest, and the refs that git reports as moved. */
  finish(): { held: Buffer; moved: ReadonlySet<string> }
}

/** The size of a side-band packet; 0 without side bands. */
export function readBands(capabilities: ReadonlySet<string>): number {
  if (capabilities.has('side-band-64k')) return 65_515
  return capabilities.has('side-band') ? 995 : 0
}

export const wantsReport = (capabilities: ReadonlySet<string>): boolean =>
  capabilities.has('report-status') || capabilities.has('report-status-v2')

const reportBand = 1
const messageBand = 2
const errorBand = 3
/** Enough to understand the refusal; the rest is likely the same. */
const maxAdvice = 10

/**
 * With side bands the report is band 1 and progress is passed on; without them the whole output is the report.
 * `explain` may replace git's reason for a refused ref.
 */
export function makePushReport(
  bandBytes: number,
  explain: (ref: string, reason: string) => Explanation | undefined = () => undefined,
): PushReport {
  const hasSideBands = bandBytes > 0
  let unread = Buffer.alloc(0)
  const held: Buffer[] = []
  const beside: Buffer[] = []
  const report: Buffer[] = []

  function place(packet: Packet, bytes: Buffer): Buffer | undefined {
    if (!hasSideBands) {
      report.push(bytes)
      held.push(bytes)
      return undefined
    }
    const isReport = packet.kind === 'data' && packet.data[0] === reportBand
    // An empty packet of this band is a keep-alive from git.
    const isSignOfLife = isReport && packet.data.length === 1
    if (packet.kind === 'data' && (!isReport || isSignOfLife) && held.length === 0) return bytes
    if (isReport) report.push(packet.data.subarray(1))
    else if (packet.kind === 'data') beside.push(bytes)
    held.push(bytes)
    return undefined
  }

  /** The report with our reasons, and the advice on the message band, if the client has one. */
  function reword(lines: readonly string[]): Buffer | undefined {
    const advice: string[] = []
    const reworded = lines.map((line) => {
      const [, ref = '', reason = ''] = /^ng (\S+) (.*)$/s.exec(line) ?? []
      const explanation = ref ? explain(ref, reason) : undefined
      if (!explanation) return line
      advice.push(explanation.advice)
      return `ng ${ref} ${explanation.reason}`
    })
    if (advice.length === 0) return undefined
    const packets = Buffer.concat([...reworded.map((line) => writePacket(`${line}\n`)), flushPacket])
    if (!hasSideBands) return packets
    const messages = Buffer.from(
      advice
        .slice(0, maxAdvice)
        .map((line) => `${line}\n`)
        .join(''),
    )
    return Buffer.concat([
      ...beside,
      onBand(bandBytes, messageBand, messages),
      onBand(bandBytes, reportBand, packets),
      flushPacket,
    ])
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
    finish() {
      const lines = readLines(Buffer.concat(report))
      const moved = new Set(lines.filter((line) => line.startsWith('ok ')).map((line) => line.slice(3)))
      const better = unread.length === 0 ? reword(lines) : undefined
      return { held: better ?? Buffer.concat([...held, unread]), moved }
    },
  }
}

/** The report of a push refused as a whole after git has begun to answer; undefined if its client wants none. */
export function reportRefusal(
  { changes, capabilities }: Pick<PushRequest, 'changes' | 'capabilities'>,
  message: string,
): Buffer | undefined {
  const bandBytes = readBands(capabilities)
  const reason = message.replaceAll('\n', ' ')
  if (!wantsReport(capabilities)) {
    return bandBytes > 0 ? onBand(bandBytes, errorBand, Buffer.from(`${reason}\n`)) : undefined
  }
  const lines = [`unpack ${reason}`, ...changes.map(({ ref }) => `ng ${ref} ${reason}`)]
  const packets = Buffer.concat([...lines.map((line) => writePacket(`${line}\n`)), flushPacket])
  return bandBytes > 0 ? Buffer.concat([onBand(bandBytes, reportBand, packets), flushPacket]) : packets
}

function onBand(bandBytes: number, band: number, bytes: Buffer): Buffer {
  const packets: Buffer[] = []
  for (let at = 0; at < bytes.length; at += bandBytes) {
    packets.push(writePacket(Buffer.concat([Buffer.from([band]), bytes.subarray(at, at + bandBytes)])))
  }
  return Buffer.concat(packets)
}

function readLines(report: Buffer): string[] {
  const lines: string[] = []
  for (let at = 0, found = readPacket(report, at); found; found = readPacket(report, at)) {
    at = found.end
    if (found.packet.kind === 'data') lines.push(found.packet.data.toString('utf8').replace(/\n$/, ''))
  }
  return lines
}
