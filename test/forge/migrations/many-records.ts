/** A repository with as many issues, comments and events as one likes, written into the tables at once. */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { makeRest } from '../../support/rest.ts'
import { admin, type TestServer } from '../../support/server.ts'

export type Amounts = { readonly issues: number; readonly events: number; readonly comments: number }

const portion = 400
const mib = 1024 * 1024

/** `admin/large`: so many mebibytes that can't be packed, and records. */
export async function makeLargeRepository(server: TestServer, size: number, amounts: Amounts): Promise<void> {
  const { body } = await makeRest(server.url, admin.token).post('/user/repos', { name: 'large' })
  const work = await makeWorkingFolder()
  try {
    await writeFile(join(work.path, 'noise.bin'), randomBytes(size * mib))
    await work.must('add', '.')
    await work.must('commit', '--quiet', '-m', 'Noise')
    await work.must('push', '--quiet', remoteUrl(server.url, 'admin/large', admin.name, admin.token), 'main')
  } finally {
    await work.drop()
  }
  await fillRepository(server, body.id, [body.owner.id], amounts)
}

export async function fillRepository(
  { services }: TestServer,
  repositoryId: number,
  userIds: readonly number[],
  { issues, events, comments }: Amounts,
): Promise<void> {
  const now = Date.UTC(2026, 0, 1)
  const userOf = (i: number) => userIds[i % userIds.length]!
  const insert = async (
    table: 'issue' | 'issue_event' | 'issue_comment',
    count: number,
    rowOf: (i: number) => object,
  ) => {
    for (let at = 0; at < count; at += portion) {
      const rows = Array.from({ length: Math.min(portion, count - at) }, (_, i) => rowOf(at + i))
      await services.store.write((trx) =>
        trx
          .insertInto(table)
          .values(rows as never)
          .execute(),
      )
    }
  }
  await insert('issue', issues, (i) => ({
    repository_id: repositoryId,
    number: i + 1,
    is_pull: 0,
    state: i % 3 ? 'open' : 'closed',
    state_reason: i % 3 ? null : 'completed',
    title: `Issue ${i + 1}`,
    body: `It was number ${i + 1}.\n\n${'All of it is told here. '.repeat(i % 20)}`,
    author_id: userOf(i),
    is_locked: 0,
    comment_count: 0,
    closed_at: i % 3 ? null : now,
    created_at: now + i * 1000,
    updated_at: now + i * 1000,
  }))
  const rows = await services.store.db
    .selectFrom('issue')
    .select('id')
    .where('repository_id', '=', repositoryId)
    .orderBy('number')
    .execute()
  const issueOf = (i: number) => rows[i % rows.length]!.id
  await insert('issue_comment', comments, (i) => ({
    repository_id: repositoryId,
    issue_id: issueOf(i * 7),
    author_id: userOf(i + 1),
    body: `Comment ${i} with @someone and “more”.`,
    created_at: now + i,
    updated_at: now + i,
  }))
  await insert('issue_event', events, (i) => ({
    repository_id: repositoryId,
    issue_id: issueOf(i * 3),
    actor_id: userOf(i),
    event: i % 2 ? 'labeled' : 'assigned',
    data: JSON.stringify(
      i % 2 ? { label: { name: 'bug', color: 'd73a4a' } } : { assigneeId: userOf(i + 1), assignerId: userOf(i) },
    ),
    is_hidden: 0,
    created_at: now + i,
  }))
  await services.store.write((trx) =>
    trx.updateTable('repository').set({ last_issue_number: issues }).where('id', '=', repositoryId).execute(),
  )
}
