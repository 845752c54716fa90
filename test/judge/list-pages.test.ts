/** The lists of accounts and problems: each page is what a walk would find there, whatever came and went. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { makeCountedList } from '../../src/store/counted-list.ts'
import { sqliteDdl } from '../../src/store/migrations/ddl.ts'
import { hashMigration, migrations, migrationTable } from '../../src/store/migrations/migrations.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { engines } from '../support/engines.ts'
import { type Cast, type JudgeStage, startJudge } from '../support/judge.ts'
import type { Json } from '../support/rpc.ts'

/** Across the edges of blocks of every size, with gaps. */
const ids = [...range(60, 70), ...range(4_090, 4_100), ...range(262_140, 262_150), ...range(1_000_000, 1_000_150)]

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

const accountRow = (id: number, kind: 'user' | 'organisation' = 'user') => ({
  id,
  kind,
  name: `drawn-${id}`,
  name_key: `drawn-${id}`,
  display_name: 'Drawn',
  role: 'contestant' as const,
  password_hash: null,
  created_at: 1,
  updated_at: 1,
})

const problemRow = (id: number, authorId: number) => ({
  id,
  uuid: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
  author_id: authorId,
  display_name: String(id),
  description: '',
  time_limit_ms: 1,
  memory_limit_bytes: 1,
  examples: '[]',
  test_hash: '',
  test_count: 0,
  next_position: 0,
  created_at: 1,
  updated_at: 1,
})

for (const engine of engines) {
  describe(`pages of long lists on ${engine}`, () => {
    let stage: JudgeStage
    let cast: Cast
    before(async () => {
      stage = await startJudge(engine)
      cast = stage.cast
      const { store } = stage.services
      await store.write(async (trx) => {
        const accounts = ids.map((id) => accountRow(id, id % 7 === 0 ? 'organisation' : 'user'))
        await trx.insertInto('account').values(accounts).execute()
        const authorOf = (id: number) => stage.idOf(id % 3 === 0 ? 'setter' : 'colleague')
        const problems = ids.map((id) => ({ ...problemRow(id, authorOf(id)), hash_key: 'k' }))
        await trx.insertInto('problem').values(problems).execute()
      })
    })
    after(() => stage.stop())

    async function check(method: string, params: object, expected: readonly unknown[], name: string): Promise<void> {
      for (const Offset of [
        0,
        1,
        5,
        37,
        99,
        100,
        140,
        Math.max(0, expected.length - 1),
        expected.length,
        expected.length + 1,
        1e15,
      ]) {
        const result = await cast.admin.call(method, { ...params, Offset, Limit: 10 })
        const [total, items] = Object.values<Json>(result)
        assert.equal(total, expected.length, method)
        assert.deepEqual(
          items.map((one: Json) => one[name]),
          expected.slice(Offset, Offset + 10),
          `${method} from ${Offset}`,
        )
      }
    }

    async function checkAll(): Promise<void> {
      const { db } = stage.services.store
      const users = await db
        .selectFrom('account')
        .select('id')
        .where('kind', '=', 'user')
        .orderBy('id', 'desc')
        .execute()
      await check(
        'get_account_list',
        {},
        users.map(({ id }) => id),
        'ID',
      )
      const problems = await db.selectFrom('problem').select(['uuid', 'author_id']).orderBy('id', 'desc').execute()
      const of = (AccountID?: number) =>
        problems.filter((one) => AccountID === undefined || one.author_id === AccountID).map(({ uuid }) => uuid)
      await check('get_problem_snippet_list', {}, of(), 'UUID')
      const AccountID = stage.idOf('setter')
      await check('get_account_problem_snippet_list', { AccountID }, of(AccountID), 'UUID')
      const nobody = stage.idOf('contestant')
      await check('get_account_problem_snippet_list', { AccountID: nobody }, [], 'UUID')
    }

    test('hold what a walk through the whole list would find there', checkAll)

    test('so they do after some have gone', async () => {
      for (const id of [...range(4_090, 4_100), 1_000_003, 1_000_149, 60]) {
        await cast.admin.call('delete_problem', { UUID: problemRow(id, 0).uuid })
      }
      await stage.services.store.write((trx) =>
        trx.deleteFrom('account').where('id', 'in', [62, 63, 64, 1_000_001, 1_000_140]).execute(),
      )
      await checkAll()
    })
  })
}

test('what was there before it was counted is counted when the schema is brought up to date', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-test-'))
  const path = join(folder, 'guildhall.db')
  const old = new DatabaseSync(path)
  old.exec(migrationTable)
  for (const migration of migrations.slice(0, 5)) {
    for (const statement of migration.statements(sqliteDdl)) old.exec(statement)
    const record = old.prepare('insert into schema_migration values (?, ?, ?, 0)')
    record.run(migration.number, migration.name, hashMigration(migration, sqliteDdl))
  }
  const insert = (table: string, row: Record<string, string | number | null>) =>
    old
      .prepare(`insert into ${table} (${Object.keys(row)}) values (${Object.keys(row).map(() => '?')})`)
      .run(...Object.values(row))
  for (const id of [1, 2, 70, 5_000]) insert('account', accountRow(id, id === 70 ? 'organisation' : 'user'))
  for (const id of [1, 2, 5_000]) insert('problem', problemRow(id, id === 1 ? 1 : 2))
  old.close()
  const store = await openSqlite(path)
  try {
    const [users, problems] = [makeCountedList(store, 'user'), makeCountedList(store, 'problem')]
    assert.deepEqual(await users.locate(0, 1), { total: 3, place: { highestId: 63, skip: 0 } })
    assert.equal((await problems.locate(0, 0)).total, 3)
    assert.equal((await problems.locate(2, 0)).total, 2)
  } finally {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
})
