/** A new issue in a repository with 50,000 watchers: threads a second, against plain inserts of the same rows. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeUser } from '../../test/support/rest.ts'
import { startServer, type TestServer } from '../../test/support/server.ts'
import { until } from '../../test/support/until.ts'
import { readOption } from '../options.ts'
import type { Row } from '../table.ts'
import { firstUser, makeUsers, makeWatchers } from './seeding.ts'

const rounds = 3
const batch = 500
let files = 0

export async function fanOut(): Promise<Row[]> {
  const watchers = Number(readOption('watchers') ?? 50_000)
  const server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  try {
    const ann = await makeUser(server, 'ann')
    const { body: repository } = await ann.post('/user/repos', { name: 'big' })
    await makeUsers(server, watchers)
    await makeWatchers(server, repository.id, watchers)
    const ratios: number[] = []
    const rates: number[] = []
    const answers: number[] = []
    for (let round = 0; round < rounds; round++) {
      const raw = insertPlainly(server, watchers)
      const { rate, answeredMs } = await deliver(server, ann, watchers)
      ratios.push(rate / raw)
      rates.push(rate)
      answers.push(answeredMs)
    }
    const middle = Math.round([...rates].sort((a, b) => a - b)[1]!)
    const note = `${middle} threads a second; the act was answered after ${Math.round(Math.max(...answers))} ms at most`
    const what = `fan-out to ${watchers} watchers`
    return [{ what, against: 'plain inserts of the same rows', ratios, goal: { atLeast: 0.5 }, note }]
  } finally {
    await server.stop()
  }
}

/** The same rows with the same indexes and triggers, by prepared statements alone, in transactions of the same size. */
function insertPlainly(server: TestServer, count: number): number {
  const path = join(server.database.folder, 'guildhall.db')
  const model = new DatabaseSync(path, { readOnly: true })
  const tables = "('inbox', 'thread', 'thread_count')"
  const schema = model
    .prepare(
      `select sql from sqlite_master where tbl_name in ${tables} and sql is not null order by type = 'table' desc`,
    )
    .all() as { sql: string }[]
  model.close()
  const plain = new DatabaseSync(join(server.database.folder, `plain-${++files}.db`))
  plain.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = off')
  for (const { sql } of schema) plain.exec(sql)
  const inbox = plain.prepare(`insert into inbox (user_id, change, modified_at) values (?, 1, 1000)
    on conflict (user_id) do update set change = inbox.change + 1`)
  const thread = plain.prepare(`insert into thread (user_id, subject_id, repository_id, subscription, reason,
    is_participating, state, updated_at, last_activity_id, change)
    values (?, 1, 1, 'none', 'subscribed', 0, 'unread', 1000, 1, 1)`)
  const startedAt = performance.now()
  for (let i = 0; i < count; i += batch) {
    plain.exec('begin immediate')
    for (let n = i + 1; n <= Math.min(i + batch, count); n++) {
      inbox.run(firstUser + n)
      thread.run(firstUser + n)
    }
    plain.exec('commit')
  }
  const rate = count / ((performance.now() - startedAt) / 1000)
  plain.close()
  return rate
}

type Client = Awaited<ReturnType<typeof makeUser>>

async function deliver(server: TestServer, ann: Client, count: number) {
  const { db } = server.services.store
  const startedAt = performance.now()
  const { body: issue, status, text } = await ann.post('/repos/ann/big/issues', { title: 'News' })
  if (status !== 201) throw new Error(text)
  const answeredMs = performance.now() - startedAt
  const delivered = async () => {
    const { total } = await db
      .selectFrom('thread')
      .innerJoin('thread_subject', 'thread_subject.id', 'thread.subject_id')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('thread_subject.issue_id', '=', issue.id)
      .executeTakeFirstOrThrow()
    return Number(total)
  }
  await until(async () => (await delivered()) >= count, 50)
  return { rate: count / ((performance.now() - startedAt) / 1000), answeredMs }
}
