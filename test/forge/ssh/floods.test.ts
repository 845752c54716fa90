/** Clients of SSH that send more messages than git's do: before the sign-in, and on channels. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import ssh2 from 'ssh2'
import { makeLogLines } from '../../support/log-lines.ts'
import type { KeyPair } from '../../support/ssh.ts'
import { type SshTestServer, startSshServer } from './ssh-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: what is given differs by message
type Handlers = Record<string, (protocol: unknown, ...given: any[]) => void>
type Channel = { readonly outgoing: { readonly id: number }; readonly _callbacks: ((isRefused: boolean) => void)[] }

/** The library's own, which sends what its public methods never do. */
type Inside = {
  _protocol: {
    _handlers: Handlers
    _cipher: { encrypt(packet: Buffer): void }
    _packetRW: { write: { allocStart: number; alloc(size: number): Buffer; finalize(packet: Buffer): Buffer } }
    ping(): void
    rekey(): void
    authNone(name: string): void
    session(channel: number, window: number, packetBytes: number): void
    exec(channel: number, command: string, wantsReply: boolean): void
    channelClose(channel: number): void
  }
  _chanMgr: { add(act: () => void): number }
}
const insideOf = (client: ssh2.Client) => (client as unknown as Inside)._protocol

function send(client: ssh2.Client, payload: Buffer): void {
  const { _cipher: cipher, _packetRW: packets } = insideOf(client)
  const packet = packets.write.alloc(payload.length)
  payload.copy(packet, packets.write.allocStart)
  cipher.encrypt(packets.write.finalize(packet))
}

function sendMany(client: ssh2.Client, count: number, payload: Buffer): void {
  for (let i = 0; i < count; i++) send(client, payload)
}

/** Resolves with the first of these messages from the server, or with `closed`. */
function nextOf(client: ssh2.Client, ...names: string[]): Promise<string> {
  const { _handlers: handlers } = insideOf(client)
  return new Promise((resolve) => {
    client.once('close', () => resolve('closed'))
    for (const name of names) {
      const before = handlers[name]
      handlers[name] = (...given) => {
        resolve(name)
        before?.(...given)
      }
    }
  })
}

describe('a client of SSH that sends many messages', () => {
  let hosted: SshTestServer
  let key: KeyPair
  const lines = makeLogLines('info')
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  before(async () => {
    process.on('unhandledRejection', note)
    hosted = await startSshServer('sqlite', { log: lines.log })
    await hosted.start('tool')
    key = await hosted.keyOf(hosted.ann)
  })
  after(async () => {
    await hosted.stop()
    process.off('unhandledRejection', note)
  })

  /** The keys are exchanged, and the client is about to sign in. */
  const connectUnknown = () =>
    new Promise<ssh2.Client>((resolve) => {
      const client = new ssh2.Client()
      client.on('error', () => {})
      client.connect({ host: '127.0.0.1', port: hosted.port, username: 'git' })
      insideOf(client)._handlers.SERVICE_ACCEPT = () => resolve(client)
    })

  const ignored = Buffer.from([2, 0, 0, 0, 1, 120])
  const floods: readonly [what: string, act: (client: ssh2.Client) => void, answer: string][] = [
    ['some messages', (client) => sendMany(client, 60, ignored), 'USERAUTH_FAILURE'],
    ['hundreds of messages', (client) => sendMany(client, 300, ignored), 'closed'],
    ['a request of what comes after the sign-in', (client) => insideOf(client).ping(), 'closed'],
    ['a channel', (client) => insideOf(client).session(0, 2 ** 21, 32_768), 'closed'],
    ['a second exchange of keys', (client) => insideOf(client).rekey(), 'closed'],
  ]
  for (const [what, act, answer] of floods)
    test(`before the sign-in, ${what}: ${answer}`, async () => {
      const client = await connectUnknown()
      const next = nextOf(client, 'REQUEST_FAILURE', 'CHANNEL_OPEN_FAILURE', 'USERAUTH_FAILURE')
      client.on('handshake', () => insideOf(client).authNone('git'))
      act(client)
      if (what !== 'a second exchange of keys') insideOf(client).authNone('git')
      assert.equal(await next, answer)
      client.destroy()
    })

  test('before the sign-in has a few dozen tries', async () => {
    const client = await connectUnknown()
    let count = 0
    insideOf(client)._handlers.USERAUTH_FAILURE = () => {
      count++
      if (count < 100) insideOf(client).authNone('git')
      else client.end()
    }
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
    insideOf(client).authNone('git')
    await closed
    assert.equal(count, 30)
  })

  test('and a second command on a channel is refused it, and the first goes on', async () => {
    const connection = await hosted.connect(key)
    const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
      connection.exec("git-upload-pack 'ann/tool.git'", (error, opened) => (error ? reject(error) : resolve(opened))),
    )
    const { outgoing, _callbacks: callbacks } = channel as unknown as Channel
    for (const command of ["git-upload-pack 'ann/tool.git'", 'id']) {
      const isRefused = new Promise((resolve) => callbacks.push(resolve))
      const next = nextOf(connection, 'REQUEST_FAILURE')
      insideOf(connection).exec(outgoing.id, command, true)
      insideOf(connection).ping()
      assert.equal(await Promise.race([isRefused, next]), true, command)
    }
    insideOf(connection).exec(outgoing.id, 'id', false)
    const ended = once(channel, 'exit')
    channel.end('0000').resume()
    assert.deepEqual((await ended)[0], 0)
    connection.end()
    assert.deepEqual([unhandled, lines.lines.filter(({ level }) => level === 'error' || level >= 50)], [[], []])
  })

  test('and closes a channel again and again has ten at a time all the same', async () => {
    const connection = await hosted.connect(key)
    const inside = insideOf(connection)
    const local = (connection as unknown as Inside)._chanMgr.add(() => {})
    const remote = await new Promise<number>((resolve) => {
      const confirm = inside._handlers.CHANNEL_OPEN_CONFIRMATION!
      inside._handlers.CHANNEL_OPEN_CONFIRMATION = (protocol, { sender }) => {
        inside._handlers.CHANNEL_OPEN_CONFIRMATION = confirm
        resolve(sender)
        void protocol
      }
      inside.session(local, 2 ** 21, 32_768)
    })
    for (let i = 0; i < 50; i++) inside.channelClose(remote)
    const open = () =>
      new Promise<boolean>((resolve) =>
        connection.exec("git-upload-pack 'ann/tool.git'", (error) => resolve(error === undefined)),
      )
    const opened = await Promise.all(Array.from({ length: 15 }, open))
    assert.equal(opened.filter(Boolean).length, 10)
    connection.end()
  })
})
