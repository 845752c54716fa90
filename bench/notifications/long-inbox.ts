/** A page of 50 of an inbox with 100,000 threads, of a million in the table, against one of 1,000. */
import { makeUser, type RestClient } from '../../test/support/rest.ts'
import { startServer } from '../../test/support/server.ts'
import { readOption } from '../options.ts'
import type { Row } from '../table.ts'
import { firstUser, makeThreads, makeUsers } from './seeding.ts'

const rounds = 7
const asked = 40

export async function longInbox(): Promise<Row[]> {
  const long = Number(readOption('inbox') ?? 100_000)
  const all = Number(readOption('threads') ?? 1_000_000)
  const server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  try {
    const [few, many] = [await makeUser(server, 'few'), await makeUser(server, 'many')]
    const { body: repository } = await few.post('/user/repos', { name: 'open' })
    const idOf = async (client: RestClient): Promise<number> => (await client.get('/user')).body.id
    const others = 10
    await makeUsers(server, others)
    const threads = { repositoryId: repository.id }
    await makeThreads(server, { ...threads, userId: await idOf(few), count: 1_000, name: 'few ' })
    await makeThreads(server, { ...threads, userId: await idOf(many), count: long, name: 'many ' })
    for (let i = 1; i <= others; i++) {
      const count = Math.round((all - long) / others)
      await makeThreads(server, { ...threads, userId: firstUser + i, count, name: `other ${i} ` })
    }
    const rows: Row[] = []
    for (const query of ['', '&all=true', '&page=20', '&participating=true']) {
      const ratios: number[] = []
      await measure(few, query)
      await measure(many, query)
      for (let round = 0; round < rounds; round++)
        ratios.push((await measure(many, query)) / (await measure(few, query)))
      rows.push({
        what: `GET /notifications${query.replace('&', '?')} of ${long}, ${all} in the table`,
        against: 'of 1,000',
        ratios,
        goal: { atMost: 1.5 },
      })
    }
    return rows
  } finally {
    await server.stop()
  }
}

let asks = 0
/** Milliseconds a request; none is in the cache. */
async function measure(client: RestClient, query: string): Promise<number> {
  const startedAt = performance.now()
  for (let i = 0; i < asked; i++) {
    const { status } = await client.get(`/notifications?fresh=${++asks}${query}`)
    if (status !== 200) throw new Error(String(status))
  }
  return (performance.now() - startedAt) / asked
}
