/** Parses the head of a push: its ref updates, the client's capabilities and its push options. */
import { isUtf8 } from 'node:buffer'
import { Failure } from '../../../lib/failure.ts'
import { isObjectId } from '../ref-name.ts'
import { type Packet, PacketFault, readPacket } from '../serve/pkt-line.ts'
import type { RequestBody } from '../serve/request-body.ts'
import type { RefChange } from './ref-change.ts'

export type PushRequest = {
  readonly changes: readonly RefChange[]
  readonly capabilities: ReadonlySet<string>
  /** Push options, as in `git push -o ci.skip`. Hooks are told of them. */
  readonly options: readonly string[]
  /** All bytes read so far: git needs them unchanged. */
  readonly head: Buffer
  /** The offset in `head` at which the pack begins. */
  readonly packAt: number
}

/** Room for a hundred thousand refs in one push: more is a mistake or an attack. */
const maxHeadBytes = 16 * 1024 * 1024
const maxOptions = 32
const maxOptionLength = 255

/** Reads from the body up to the pack, and a little of it; the rest stays unread. */
export async function readPushRequest(body: RequestBody): Promise<PushRequest> {
  const packets: Packet[] = []
  let head: Head | undefined
  const chunks: Buffer[] = []
  let size = 0
  let unread: Buffer = Buffer.alloc(0)
  for (let chunk = await body.next(); chunk; chunk = await body.next()) {
    chunks.push(chunk)
    size += chunk.length
    unread = Buffer.concat([unread, chunk])
    let at = 0
    for (let found = read(unread, at); found; found = read(unread, at)) {
      at = found.end
      if (found.packet.kind !== 'flush') {
        packets.push(found.packet)
        continue
      }
      // What the client was pushed with comes after the refs, where it said so beside them.
      const isHeadOver = head !== undefined
      head ??= readHead(packets.splice(0))
      if (!isHeadOver && head.capabilities.has('push-options')) continue
      const options = isHeadOver ? readOptions(packets) : []
      return { ...head, options, head: Buffer.concat(chunks), packAt: size - unread.length + at }
    }
    unread = unread.subarray(at)
    if (size > maxHeadBytes) throw malformed('A push names too many refs: push fewer at a time.')
  }
  // An empty push only asks whether pushing is allowed. A partial head would leave git waiting for the rest.
  if (size > 0) throw malformed('The push broke off before its pack.')
  return { ...readHead([]), options: [], head: Buffer.alloc(0), packAt: 0 }
}

function read(head: Buffer, at: number) {
  try {
    return readPacket(head, at)
  } catch (error) {
    if (error instanceof PacketFault) throw malformed('This is not what git sends when it pushes.')
    throw error
  }
}

type Head = Pick<PushRequest, 'changes' | 'capabilities'>

function readHead(packets: readonly Packet[]): Head {
  const changes: RefChange[] = []
  const capabilities = new Set<string>()
  for (const packet of packets) {
    if (packet.kind !== 'data') continue
    // Invalid UTF-8 would be decoded to another name.
    if (!isUtf8(packet.data)) throw malformed('Names of refs must be UTF-8: rename the one that is not.')
    const [command = '', words = ''] = packet.data.toString('utf8').replace(/\n$/, '').split('\0', 2)
    for (const word of words.split(' ').filter(Boolean)) capabilities.add(word)
    const [before = '', after = '', ...ref] = command.split(' ')
    if (isObjectId(before) && isObjectId(after)) changes.push({ ref: ref.join(' '), before, after })
  }
  return { changes, capabilities }
}

function readOptions(packets: readonly Packet[]): string[] {
  const given = packets.flatMap((packet) => (packet.kind === 'data' ? [packet.data] : []))
  if (given.length > maxOptions) throw malformed(`A push has ${maxOptions} options at most: use fewer.`)
  return given.map((data) => {
    const option = isUtf8(data) ? data.toString('utf8').replace(/\n$/, '') : ''
    if (option.length <= maxOptionLength && !/[\x00-\x1f\x7f]/.test(option) && option !== '') return option
    throw malformed(`A push option is one line of 1 to ${maxOptionLength} characters: shorten it.`)
  })
}

const malformed = (message: string) => new Failure('invalid', 'malformed-push', message)
