/** The parts of the SSH library that are private and needed all the same. Its version is pinned, and tests hold each use. */
import type { Connection, Session } from 'ssh2'

type Protocol = {
  parse(bytes: Buffer, from: number, to: number): void
  /** Undefined once the protocol has ended. */
  readonly _destruct: unknown
  readonly _packetRW: {
    readonly read: Reader
    readonly write: {
      readonly allocStartKEX: number
      alloc(size: number, isForced: true): Buffer
      finalize(packet: Buffer, isForced: true): Buffer
    }
  }
  readonly _cipher: { encrypt(packet: Buffer): void }
  channelFailure(channel: number): void
  channelClose(channel: number): void
}

type Inside = { readonly _protocol: Protocol; readonly _chanMgr: { remove(channel: number): void } }
type SessionInside = {
  readonly _chanInfo: {
    readonly incoming: { readonly id: number }
    readonly outgoing: { id: number; packetSize: number }
  }
}

const protocolOf = (connection: Connection) => (connection as unknown as Inside)._protocol
const channelOf = (session: Session) => (session as unknown as SessionInside)._chanInfo

/** The largest packet that the client accepts. */
export const packetBytesOf = (session: Session): number => channelOf(session).outgoing.packetSize

type Reader = { read(payload: Buffer): Buffer; cleanup(): void }

/** `act` is called with the number of each message before it is handled, and throws to end the connection. */
export function watchMessages(connection: Connection, act: (message: number) => void): void {
  const watched = (reader: Reader): Reader => ({
    read(payload) {
      act(payload[0]!)
      return reader.read(payload)
    },
    cleanup: () => reader.cleanup(),
  })
  const packets = protocolOf(connection)._packetRW
  let reader = watched(packets.read)
  // Each exchange of keys sets another reader.
  Object.defineProperty(packets, 'read', {
    get: () => reader,
    set(next: Reader) {
      reader = watched(next)
    },
  })
}

/** What arrives is given to `take` in place of the parser; its `parse` answers false once the connection has ended. */
export function interceptBytes(
  connection: Connection,
  take: (from: number, to: number, parse: (from: number, to: number) => boolean) => void,
): void {
  const protocol = protocolOf(connection)
  const parse = protocol.parse.bind(protocol)
  protocol.parse = (bytes, from, to) =>
    take(from, to, (start, end) => {
      // The parser takes bytes that end with `to`: its ciphers would read beyond it.
      if (protocol._destruct) parse(bytes.subarray(start, end), 0, end - start)
      return Boolean(protocol._destruct)
    })
}

/** The library accepts one command a session, and answers nothing to another. */
export const refuseRequest = (connection: Connection, session: Session): void =>
  protocolOf(connection).channelFailure(channelOf(session).outgoing.id)

/** The library keeps a session that the client closed before it ran a command. */
export function forgetSession(connection: Connection, session: Session): void {
  const { incoming, outgoing } = channelOf(session)
  const { _chanMgr: channels, _protocol: protocol } = connection as unknown as Inside
  channels.remove(incoming.id)
  if (protocol._destruct) protocol.channelClose(outgoing.id)
}

const disconnectMessage = 1
const byApplication = 11

/** Tells the client why it is disconnected: the library's own message has no place for words. */
export function sendReason(connection: Connection, reason: string): void {
  const { _packetRW: packets, _cipher: cipher, _destruct: isOpen } = protocolOf(connection)
  if (!isOpen) return
  const text = Buffer.from(reason)
  const size = 1 + 4 + 4 + text.length + 4
  const packet = packets.write.alloc(size, true)
  let at = packets.write.allocStartKEX
  packet.fill(0, at, at + size)
  at = packet.writeUInt8(disconnectMessage, at)
  at = packet.writeUInt32BE(byApplication, at)
  at = packet.writeUInt32BE(text.length, at)
  text.copy(packet, at)
  cipher.encrypt(packets.write.finalize(packet, true))
}
