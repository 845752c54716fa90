/** What clients of SSH can hold: connections that have yet to sign in, of an address and in all, bytes before that, and sessions. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type ssh2 from 'ssh2'
import { connectSsh, type KeyPair } from '../../support/ssh.ts'
import { until } from '../../support/until.ts'
import { outcomeOf, readOver, type SshTestServer, startSshServer } from './ssh-server.ts'

describe('connections over SSH', () => {
  let hosted: SshTestServer
  let key: KeyPair
  const sockets: Socket[] = []
  before(async () => {
    hosted = await startSshServer('sqlite', { environment: { GUILDHALL_QUOTAS: 'sshSessionsPerAddress=30' } })
    await hosted.start('tool')
    key = await hosted.keyOf(hosted.ann)
  })
  after(async () => {
    for (const socket of sockets) socket.destroy()
    await hosted.stop()
  })

  /** Whether the server speaks to it, or closes it. */
  async function open(localAddress = '127.0.0.1'): Promise<boolean> {
    const socket = connect({ port: hosted.port, host: '127.0.0.1', localAddress })
    socket.on('error', () => {})
    sockets.push(socket)
    return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)])
  }
  const openMany = (count: number, localAddress?: string) =>
    Promise.all(Array.from({ length: count }, () => open(localAddress)))
  const figure = async (name: string) => {
    const text = await (await fetch(`${hosted.server.url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1])
  }
  async function closeAll(): Promise<void> {
    for (const socket of sockets.splice(0)) socket.destroy()
    await until(async () => (await figure('guildhall_ssh_connections')) === 0, 200)
  }

  const areOpen = () => sockets.map((socket) => !socket.closed)

  test('that have yet to sign in are twenty of an address, where the oldest give way, and others are served meanwhile', async () => {
    for (let i = 0; i < 25; i++) assert.equal(await open(), true)
    await until(() => areOpen().filter(Boolean).length === 20)
    assert.deepEqual(areOpen().slice(0, 6), [false, false, false, false, false, true])
    const own = await hosted.connect(key)
    assert.equal(outcomeOf(await readOver(own, 'ann/tool')), 'open')
    own.end()
    const other = await connectSsh(hosted.port, { key: key.privateKey, localAddress: '127.0.0.2' })
    assert.equal(outcomeOf(await readOver(other, 'ann/tool')), 'open')
    other.end()
    await closeAll()
    const again = await hosted.connect(key)
    again.end()
  })

  test('that have yet to sign in are four hundred in all, where the oldest of the address with most give way', async () => {
    const signedIn = await hosted.connect(key)
    assert.equal(await open('127.0.0.9'), true)
    for (let i = 10; i < 31; i++) await openMany(20, `127.0.0.${i}`)
    await until(() => areOpen().filter(Boolean).length === 400)
    assert.equal(areOpen()[0], true, 'an address with one keeps it')
    const newcomer = await connectSsh(hosted.port, { key: key.privateKey, localAddress: '127.0.0.8' })
    for (const one of [signedIn, newcomer]) {
      assert.equal(outcomeOf(await readOver(one, 'ann/tool')), 'open')
      one.end()
    }
    await closeAll()
  })

  test('are so many of an address as the quota says', async () => {
    const clients: ssh2.Client[] = []
    for (let i = 0; i < 30; i++) clients.push(await hosted.connect(key))
    await assert.rejects(hosted.connect(key))
    clients.pop()!.end()
    await until(() =>
      hosted.connect(key).then(
        (client) => clients.push(client),
        () => false,
      ),
    )
    for (const client of clients) client.end()
    await closeAll()
  })

  test('that send much before they have signed in are closed', async () => {
    const socket = connect(hosted.port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'data')
    socket.write('SSH-2.0-x\r\n')
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const ignored = Buffer.alloc(1024)
    ignored.writeUInt32BE(1020)
    ignored[4] = 10
    ignored[5] = 2
    socket.write(Buffer.concat(Array.from({ length: 400 }, () => ignored)))
    await closed
    await closeAll()
  })
})
