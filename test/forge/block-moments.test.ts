/** Blocks of earlier versions, and acts that a block overtakes: nothing of somebody stays in the organisation's repositories. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { blockLock } from '../../src/forge/access/block.ts'
import { migrations } from '../../src/store/migrations/migrations.ts'
import { engines, makeMigratedDatabase } from '../support/engines.ts'
import { asAdmin, makeRest, makeUser, type RestAnswer, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const tool = '/repos/acme/tool'

async function must(by: RestClient, method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await by.ask(method, path, body)
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

async function makePeople(server: TestServer) {
  const [ann, mal] = [await makeUser(server, 'ann'), await makeUser(server, 'mal')]
  await must(asAdmin(server), 'POST', '/admin/organizations', { login: 'acme', admin: 'ann' })
  for (const name of ['tool', 'other']) await must(ann, 'POST', '/orgs/acme/repos', { name, auto_init: true })
  return { ann, mal }
}

for (const engine of engines)
  test(`a block of an earlier version ends what somebody had, as the schema is brought up to date on ${engine}`, async () => {
    const database = await makeMigratedDatabase(engine)
    let server = await startServer(engine, { database })
    try {
      const { ann, mal } = await makePeople(server)
      const bob = await makeUser(server, 'bob')
      await must(ann, 'POST', '/user/repos', { name: 'mine' })
      await must(ann, 'PUT', `${tool}/collaborators/mal`, { permission: 'push' })
      const [{ id }] = await must(mal, 'GET', '/user/repository_invitations')
      await must(mal, 'PATCH', `/user/repository_invitations/${id}`)
      for (const place of ['/repos/acme/other', '/repos/ann/mine'])
        await must(ann, 'PUT', `${place}/collaborators/mal`, { permission: 'push' })
      for (const by of [mal, bob])
        for (const name of ['acme/tool', 'ann/mine']) {
          await must(by, 'PUT', `/user/starred/${name}`)
          await must(by, 'PUT', `/repos/${name}/subscription`, { subscribed: true })
        }
      const names = (people: Json) => people.map(({ login }: Json) => login).sort()
      const state = async (place: string) => {
        const owner = makeRest(server.url, ann.token)
        const { subscribers_count, stargazers_count } = await must(owner, 'GET', place)
        return {
          counts: [subscribers_count, stargazers_count],
          collaborators: names(await must(owner, 'GET', `${place}/collaborators`)),
          invited: names((await must(owner, 'GET', `${place}/invitations`)).map(({ invitee }: Json) => invitee)),
          watching: names(await must(owner, 'GET', `${place}/subscribers`)),
          starring: names(await must(owner, 'GET', `${place}/stargazers`)),
        }
      }
      const all = async () => [await state(tool), await state('/repos/acme/other'), await state('/repos/ann/mine')]
      const [ofTool, ofOther, ofMine] = await all()
      assert.deepEqual(ofTool!.collaborators, ['ann', 'mal'])
      assert.deepEqual([ofOther!.invited, ofMine!.invited], [['mal'], ['mal']])
      await server.services.store.write(async (trx) => {
        await sql`insert into organisation_block (organisation_id, user_id, created_at)
          select acme.id, mal.id, 0 from account acme, account mal where acme.name = 'acme' and mal.name = 'mal'`.execute(
          trx,
        )
        const { number } = migrations.find(({ name }) => name === 'parted-by-blocks')!
        await sql`delete from schema_migration where number = ${number}`.execute(trx)
      })
      await server.stop()
      server = await startServer(engine, { database })
      assert.deepEqual(await all(), [
        { counts: [2, 1], collaborators: ['ann'], invited: [], watching: ['ann', 'bob'], starring: ['bob'] },
        { ...ofOther, invited: [] },
        ofMine,
      ])
    } finally {
      await server.stop()
      await database.drop()
    }
  })

test('who is blocked while they star, watch, fork, accept or are invited has none of it', async () => {
  const server = await startServer('postgres')
  const blocking = new pg.Client(server.database.url)
  try {
    const { ann, mal } = await makePeople(server)
    await must(ann, 'PUT', `${tool}/collaborators/mal`, { permission: 'push' })
    const [{ id }] = await must(mal, 'GET', '/user/repository_invitations')
    const ids = Object.fromEntries(
      (await server.services.store.db.selectFrom('account').select(['id', 'name']).execute()).map((row) => [
        row.name,
        row.id,
      ]),
    )
    await blocking.connect()
    const isWaitedFor = async () => {
      const query = 'select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))'
      return (await blocking.query(query)).rows.length > 0
    }
    /** A block that has been begun, and that nobody else sees before the act has looked. */
    const overtake = async (act: () => Promise<RestAnswer>) => {
      await blocking.query('begin')
      await blocking.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [blockLock(ids.acme!, ids.mal!)])
      await blocking.query('insert into organisation_block values ($1, $2, 0)', [ids.acme, ids.mal])
      await blocking.query('delete from repository_invitation')
      const acting = act()
      await until(isWaitedFor)
      await blocking.query('commit')
      const { status } = await acting
      await must(ann, 'DELETE', '/orgs/acme/blocks/mal')
      return status
    }
    assert.equal(await overtake(() => mal.patch(`/user/repository_invitations/${id}`)), 404)
    assert.equal(await overtake(() => mal.put('/user/starred/acme/tool')), 403)
    assert.equal(await overtake(() => mal.put(`${tool}/subscription`, { subscribed: true })), 403)
    assert.equal(await overtake(() => mal.post(`${tool}/forks`)), 403)
    const invite = () => ann.put('/repos/acme/other/collaborators/mal', { permission: 'push' })
    assert.equal(await overtake(invite), 422)
    assert.equal((await mal.get('/repos/mal/tool')).status, 404)
    assert.deepEqual((await ann.get(`${tool}/stargazers`)).body, [])
    assert.deepEqual(
      (await ann.get(`${tool}/subscribers`)).body.map(({ login }: Json) => login),
      ['ann'],
    )
  } finally {
    await blocking.end()
    await server.stop()
  }
})
