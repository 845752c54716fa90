/**
 * Takes the pack out of a source's answer, as it arrives: acknowledgements first, then side-band packets, of which band 1
 * is the pack. https://git-scm.com/docs/pack-protocol#_packfile_data
 */
import { PacketFault, readPacket } from '../../git/serve/pkt-line.ts'
import { printable, refuseSource } from '../refusal.ts'

const packBand = 1
const errorBand = 3

export async function* readPack(answer: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let unread: Buffer = Buffer.alloc(0)
  let isPack = false
  let isOver = false
  for await (const chunk of answer) {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
    let at = 0
    const parts: Buffer[] = []
    for (let found = read(unread, at); found && !isOver; found = read(unread, at)) {
      at = found.end
      if (found.packet.kind !== 'data') {
        isOver = isPack
        continue
      }
      const { data } = found.packet
      if (!isPack && isAcknowledgement(data)) continue
      demandFine(data)
      isPack ||= data[0] === packBand
      if (data[0] === packBand && data.length > 1) parts.push(data.subarray(1))
    }
    unread = unread.subarray(at)
    if (parts.length > 0) yield Buffer.concat(parts)
    if (isOver) return
  }
  throw refuseSource('The source broke off before the end: it is tried again with the next fetch.')
}

const isAcknowledgement = (data: Buffer): boolean => /^(?:NAK|ACK [0-9a-f]{40})/.test(data.toString('latin1', 0, 48))

function demandFine(data: Buffer): void {
  const text = data.toString('utf8', 0, 1_000)
  if (data[0] === errorBand) throw refuseSource(`The source says: ${printable(text.slice(1))}`)
  if (text.startsWith('ERR ')) throw refuseSource(`The source says: ${printable(text.slice(4))}`)
}

function read(bytes: Buffer, at: number) {
  try {
    return readPacket(bytes, at)
  } catch (error) {
    if (error instanceof PacketFault) throw refuseSource('The source answers with something that is not a pack.')
    throw error
  }
}
