/** Pushes over a few connections that stay open, one body after the other on each. */
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const connections = 16

/** The seconds that all pushes took. */
export async function pushAll(url: string, batches: AsyncGenerator<Buffer>): Promise<number> {
  const bodies: Buffer[] = []
  for await (const body of batches) bodies.push(body)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const start = performance.now()
  let next = 0
  const work = async () => {
    while (next < bodies.length) await push(agent, url, bodies[next++]!)
  }
  await Promise.all(Array.from({ length: connections }, work))
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  return seconds
}

function push(agent: Agent, url: string, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', agent, headers: { 'content-length': body.length } }, (response) => {
      if (response.statusCode !== 201) reject(new Error(`A push was answered with ${response.statusCode}.`))
      response.resume()
      response.on('end', resolve)
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

/** Until fewer than fifty small chunks are left. */
export async function waitUntilJoined(folder: string): Promise<void> {
  const database = new DatabaseSync(join(folder, 'guildhall.db'), { readOnly: true })
  const count = database.prepare('select count(*) as small from dataset_chunk where byte_count < 1048576')
  while ((count.get() as { small: number }).small > 50) await new Promise((resolve) => setTimeout(resolve, 200))
  database.close()
}
