/** What a push says before its pack: which refs from where to where, and what the client can do. */
import type { Readable } from 'node:stream'
import { Failure } from '../../base/failure.ts'
import type { RefChange } from '../activity.ts'
import { type Packet, PacketFault, readPacket } from './pkt-line.ts'
import { isObjectId } from './ref-name.ts'

export type PushRequest = {
  readonly changes: readonly RefChange[]
  readonly capabilities: ReadonlySet<string>
  /** All that was read so far: git wants it as it came. */
  readonly head: Buffer
}

/** A hundred thousand refs in one push: more is a mistake or an attack. */
const maxHeadBytes = 16 * 1024 * 1024

export async function readPushRequest(body: Readable): Promise<PushRequest> {
  const packets: Packet[] = []
  let head = Buffer.alloc(0)
  let at = 0
  for await (const chunk of chunksOf(body)) {
    head = Buffer.concat([head, chunk])
    for (;;) {
      const found = read(head, at)
      if (!found) break
      at = found.end
      if (found.packet.kind === 'flush') return describe(packets, head)
      packets.push(found.packet)
    }
    if (head.length > maxHeadBytes) throw malformed('A push names too many refs: push fewer at a time.')
  }
  return describe(packets, head)
}

/** Leaves the stream open and in its place when the reader has had enough. */
async function* chunksOf(body: Readable): AsyncGenerator<Buffer> {
  yield* body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
}

function read(head: Buffer, at: number) {
  try {
    return readPacket(head, at)
  } catch (error) {
    if (error instanceof PacketFault) throw malformed('This is not what git sends when it pushes.')
    throw error
  }
}

function describe(packets: readonly Packet[], head: Buffer): PushRequest {
  const changes: RefChange[] = []
  const capabilities = new Set<string>()
  for (const packet of packets) {
    if (packet.kind !== 'data') continue
    const [command = '', words = ''] = packet.data.toString('utf8').replace(/\n$/, '').split('\0', 2)
    for (const word of words.split(' ').filter(Boolean)) capabilities.add(word)
    const [before = '', after = '', ...ref] = command.split(' ')
    if (isObjectId(before) && isObjectId(after)) changes.push({ ref: ref.join(' '), before, after })
  }
  return { changes, capabilities, head }
}

const malformed = (message: string) => new Failure('invalid', 'malformed-push', message)
