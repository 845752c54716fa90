/**
 * Pushes over a few connections that stay open, one body after the other on each. Requests are written before the clock
 * starts, and of an answer only its status is read: raw SQLite, which this is measured against, has no client at all.
 */
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeAnswerCounter } from '../answer-counter.ts'

const usualConnections = 16

/** The seconds that all pushes took. */
export async function pushAll(
  url: string,
  batches: AsyncGenerator<Buffer>,
  connections = usualConnections,
): Promise<number> {
  const { host, pathname, search } = new URL(url)
  const head = `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: `
  const requests: Buffer[] = []
  for await (const body of batches) requests.push(Buffer.concat([Buffer.from(`${head}${body.length}\r\n\r\n`), body]))
  const waiting = requests.values()
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, () => pushEach(url, waiting)))
  return (performance.now() - start) / 1000
}

function pushEach(url: string, requests: Iterator<Buffer>): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const sendNext = () => {
      const { value, done } = requests.next()
      if (done) socket.destroy()
      else socket.write(value)
    }
    const counter = makeAnswerCounter((status) => {
      if (status === 201) sendNext()
      else socket.destroy(new Error(`A push was answered with ${status}.`))
    })
    socket.on('data', counter.push)
    socket.on('connect', sendNext)
    socket.on('error', reject)
    socket.on('end', () => reject(new Error('The server closed the connection.')))
    socket.on('close', () => resolve())
  })
}

/** Until fewer than fifty small chunks are left. */
export async function waitUntilJoined(folder: string): Promise<void> {
  const database = new DatabaseSync(join(folder, 'guildhall.db'), { readOnly: true })
  const count = database.prepare('select count(*) as small from dataset_chunk where byte_count < 1048576')
  while ((count.get() as { small: number }).small > 50) await new Promise((resolve) => setTimeout(resolve, 200))
  database.close()
}
