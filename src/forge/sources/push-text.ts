/** Git's protocol of a push: the commands that say which refs move, and the report of what came of them. */
import { createHash } from 'node:crypto'
import type { RefChange } from '../git/push/ref-change.ts'
import { readPacket, writePacket } from '../git/serve/pkt-line.ts'
import { printable, refuseSource } from './refusal.ts'

/** All refs move or none, so that nobody sees a half of what was fetched. */
const capabilities = 'report-status side-band-64k atomic delete-refs agent=guildhall'
const reportBand = 1
const messageBand = 2

export const spellCommands = (changes: readonly RefChange[]): Buffer =>
  Buffer.concat(
    changes.map(({ ref, before, after }, i) =>
      writePacket(`${before} ${after} ${ref}${i === 0 ? `\0 ${capabilities}` : ''}\n`),
    ),
  )

/** A push that only makes refs to objects that are here already still has a pack. */
export function emptyPack(): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  return Buffer.concat([head, createHash('sha1').update(head).digest()])
}

/** Throws if git refused the pack or a ref. */
export function readReport(answer: Buffer): void {
  const bands = new Map<number, Buffer[]>()
  for (const data of readPackets(answer)) bands.set(data[0]!, [...(bands.get(data[0]!) ?? []), data.subarray(1)])
  const bandOf = (band: number) => Buffer.concat(bands.get(band) ?? [])
  const messages = bandOf(messageBand)
    .toString('utf8')
    .split(/[\r\n]+/)
  const [unpacked = 'unpack no report', ...rest] = readPackets(bandOf(reportBand)).map(readLine)
  if (unpacked !== 'unpack ok') {
    const said = messages.flatMap((line) => /\b(?:fatal|error): (.+)/.exec(line)?.[1] ?? [])[0]
    throw refuseSource(
      `What the source sends can’t be taken: ${printable(said ?? unpacked.replace(/^unpack /, '')).replace(/\.$/, '')}.`,
    )
  }
  const refused = rest.flatMap((line) => {
    const [, ref, reason] = /^ng (\S+) (.*)$/s.exec(line) ?? []
    return ref === undefined ? [] : [{ ref, reason: reason ?? '' }]
  })
  // One refusal refuses all others.
  const first = refused.find(({ reason }) => !reason.startsWith('atomic ')) ?? refused[0]
  if (!first) return
  const advice = messages.find((line) => line.startsWith(`${first.ref}: `))
  throw refuseSource(
    `${printable(advice ?? `${first.ref}: ${first.reason}`).replace(/\.$/, '')}. Nothing was taken: change what refuses it, or the source.`,
  )
}

function readPackets(bytes: Buffer): Buffer[] {
  const found: Buffer[] = []
  for (let at = 0, next = readPacket(bytes, at); next; next = readPacket(bytes, at)) {
    at = next.end
    if (next.packet.kind === 'data' && next.packet.data.length > 0) found.push(next.packet.data)
  }
  return found
}

const readLine = (data: Buffer): string => data.toString('utf8').replace(/\n$/, '')
