/**
 * Half-open sessions of git over SSH: thousands of clients that stop before the sign-in, from one address or from many,
 * while somebody clones. `npm run bench ssh-half-open -- --count 3000`. Fails where a clone does.
 */
import { connect, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { outcomeOf, readOver, startSshServer } from '../test/forge/ssh/ssh-server.ts'
import { until } from '../test/support/until.ts'
import type { Row } from './table.ts'

const asText = { type: 'string' } as const
const atOnce = 100

/** How far a client goes before it falls silent. */
const stages = [
  ['says nothing', ''],
  ['says who it is', 'SSH-2.0-silent\r\n'],
  ['breaks off in its first packet', 'SSH-2.0-silent\r\n\0\0\x04'],
] as const

export async function bench(): Promise<readonly Row[]> {
  const { values } = parseArgs({ options: { count: asText }, allowPositionals: true })
  const count = Number(values.count ?? 3_000)
  const hosted = await startSshServer('sqlite')
  const rows: Row[] = []
  try {
    await hosted.start('tool')
    const key = await hosted.keyOf(hosted.ann)
    async function clone(): Promise<number> {
      const start = performance.now()
      const connection = await hosted.connect(key)
      const said = outcomeOf(await readOver(connection, 'ann/tool'))
      connection.end()
      if (said !== 'open') throw new Error(`the server said: ${said}`)
      return performance.now() - start
    }
    for (let i = 0; i < 20; i++) await clone()
    const calm = await clone()
    for (const from of ['one address', 'many addresses'] as const)
      for (const [what, text] of stages) {
        const before = process.memoryUsage.rss()
        const sockets: Socket[] = []
        const times: number[] = []
        let most = 0
        for (let at = 0; at < count; at += atOnce) {
          sockets.push(...(await Promise.all(Array.from({ length: atOnce }, (_, i) => open(at + i, from, text)))))
          times.push(await clone())
          most = Math.max(most, await countOpen())
        }
        const grown = (process.memoryUsage.rss() - before) / 1024 / 1024
        const note = `${count} clients; ${most} open at most; memory ${grown.toFixed(0)} MiB more, the clients' own ends included`
        for (const socket of sockets) socket.destroy()
        await until(async () => (await countOpen()) === 0, 100)
        rows.push({
          what: `a clone beside half-open sessions, each ${what}, from ${from}`,
          against: 'a clone alone',
          ratios: times.map((ms) => ms / calm),
          note,
        })
      }
    return rows
  } finally {
    await hosted.stop()
  }

  /** Of one /8, each address is a client of its own. */
  async function open(index: number, from: string, text: string): Promise<Socket> {
    const localAddress = from === 'one address' ? '127.0.0.1' : `127.0.${1 + (index >> 8)}.${index & 255}`
    const socket = connect({ host: '127.0.0.1', port: hosted.port, localAddress })
    socket.on('error', () => {}).resume()
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
    if (text) socket.write(text, 'latin1')
    return socket
  }

  async function countOpen(): Promise<number> {
    const text = await (await fetch(`${hosted.server.url}/metrics`)).text()
    return Number(/^guildhall_ssh_connections (\d+)$/m.exec(text)?.[1] ?? Number.NaN)
  }
}
