/** Events of a repository that has a million of them, against one of a thousand. `--events=100000` makes it smaller. */
import { sql } from 'kysely'
import { makeUser, type RestClient } from '../test/support/rest.ts'
import { startServer, type TestServer } from '../test/support/server.ts'
import { readOption } from './options.ts'
import type { Row } from './table.ts'

const few = 1_000
const issues = 100
const rounds = 7
const asked = 20

export async function bench(): Promise<Row[]> {
  const many = Number(readOption('events') ?? 1_000_000)
  const server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  try {
    const ann = await makeUser(server, 'ann')
    await makeEvents(server, ann, 'few', few)
    await makeEvents(server, ann, 'many', many)
    // The 300th page of a thousand is one of three; of very many it may be one of a hundred as well.
    const cases = [
      ['per_page=100', 'per_page=100'],
      ['per_page=3&page=300', 'per_page=3&page=300'],
      ['per_page=100&page=300', 'per_page=100'],
    ] as const
    const rows: Row[] = []
    for (const [query, peerQuery] of cases) {
      const ratios: number[] = []
      for (let round = -1; round < rounds; round++) {
        const ratio = (await measure(ann, 'many', query)) / (await measure(ann, 'few', peerQuery))
        if (round >= 0) ratios.push(ratio)
      }
      const what = `GET issues/events?${query} of ${many}`
      rows.push({ what, against: `${peerQuery} of ${few}`, ratios, goal: { atMost: 1.5 } })
    }
    return rows
  } finally {
    await server.stop()
  }
}

/** By plain SQL, but for the issues: the database's own triggers count them. */
async function makeEvents(
  { services: { store } }: TestServer,
  ann: RestClient,
  name: string,
  count: number,
): Promise<void> {
  const { body: repository } = await ann.post('/user/repos', { name })
  const { body: first } = await ann.post(`/repos/ann/${name}/issues`, { title: 'First' })
  for (let i = 1; i < issues; i++) await ann.post(`/repos/ann/${name}/issues`, { title: `Issue ${i}` })
  await store.write(async (trx) => {
    await sql`insert into issue_event (repository_id, issue_id, actor_id, event, data, is_hidden, created_at)
      select ${sql.lit(repository.id)}, ${sql.lit(first.id)} + i % ${sql.lit(issues)}, ${sql.lit(first.user.id)}, 'labeled',
        '{"label":{"name":"bug","color":"d73a4a"}}', 0, i
      from (with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)}) select i from n)`.execute(
      trx,
    )
  })
}

let asks = 0
/** Milliseconds a request; none is in the cache. */
async function measure(client: RestClient, name: string, query: string): Promise<number> {
  const startedAt = performance.now()
  for (let i = 0; i < asked; i++) {
    const { status } = await client.get(`/repos/ann/${name}/issues/events?fresh=${++asks}&${query}`)
    if (status !== 200) throw new Error(String(status))
  }
  return (performance.now() - startedAt) / asked
}
