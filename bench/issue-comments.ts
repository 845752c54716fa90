/** Commenting on an issue that has ten thousand comments, against one that has a thousand. */
import { sql } from 'kysely'
import { makeUser, type RestClient } from '../test/support/rest.ts'
import { startServer, type TestServer } from '../test/support/server.ts'
import type { Row } from './table.ts'

const few = 1_000
const many = 10_000
const rounds = 9
const written = 20

export async function bench(): Promise<Row[]> {
  const server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  try {
    const ann = await makeUser(server, 'ann')
    await ann.post('/user/repos', { name: 'talk' })
    const short = await makeIssue(server, ann, few)
    const long = await makeIssue(server, ann, many)
    const ratios: number[] = []
    for (let round = -1; round < rounds; round++) {
      // Whichever is first has the warmer caches: they take turns.
      const [first, second] = round % 2 === 0 ? [short, long] : [long, short]
      const [one, other] = [await measure(ann, first), await measure(ann, second)]
      if (round >= 0) ratios.push(first === long ? one / other : other / one)
    }
    const what = `POST issues/{n}/comments after ${many}`
    return [{ what, against: `after ${few}`, ratios, goal: { atMost: 1.5 } }]
  } finally {
    await server.stop()
  }
}

/** By plain SQL, with a word each that a search would find. */
async function makeIssue({ services: { store } }: TestServer, ann: RestClient, count: number): Promise<number> {
  const { body: issue } = await ann.post('/repos/ann/talk/issues', { title: `With ${count} comments` })
  const repository = (await ann.get('/repos/ann/talk')).body
  const numbers = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)}) select i from n)`
  await store.write(async (trx) => {
    await sql`insert into issue_comment (issue_id, repository_id, author_id, body, created_at, updated_at)
      select ${sql.lit(issue.id)}, ${sql.lit(repository.id)}, ${sql.lit(issue.user.id)}, 'word', i, i from ${numbers}`.execute(
      trx,
    )
    await sql`insert into issue_word (repository_id, word, issue_id, source)
      select repository_id, 'word', issue_id, id from issue_comment where issue_id = ${sql.lit(issue.id)}`.execute(trx)
    await sql`update issue set comment_count = ${sql.lit(count)} where id = ${sql.lit(issue.id)}`.execute(trx)
  })
  return issue.number
}

/** Milliseconds a comment. */
async function measure(client: RestClient, issue: number): Promise<number> {
  const startedAt = performance.now()
  for (let i = 0; i < written; i++) {
    const { status } = await client.post(`/repos/ann/talk/issues/${issue}/comments`, { body: `Another word, @ann, #1` })
    if (status !== 201) throw new Error(String(status))
  }
  return (performance.now() - startedAt) / written
}
