/** An archived repository, and one that a migration holds: every route reads it, none changes it, but to end that. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { routes } from '../support/forge-routes.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { prepareRequest } from './route-cases.ts'
import { makeWorld, type World } from './world.ts'

const states = [
  { column: 'is_archived', on: 1, off: 0, says: /archived so is read-only/ },
  { column: 'locked_at', on: 1, off: null, says: /locked for a migration/ },
] as const
/** To watch it, to mark what one was told of it, and to take a copy of it are not changes of it. */
const isOnesOwn = /\/(?:subscription|notifications|forks)$/
/** A key that leaked is removed from an archived repository, too. */
const revoking = 'delete-a-deploy-key'
type State = (typeof states)[number]

describe('a repository that is read-only', () => {
  let server: TestServer
  let world: World
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    world = await makeWorld(server)
  })
  after(() => server.stop())

  const set = ({ column }: State, value: number | null) =>
    server.services.store.write((trx) =>
      trx
        .updateTable('repository')
        .set({ [column]: value })
        .where('name_key', '=', 'open')
        .execute(),
    )

  // What apps alone do is refused to ann for that.
  const isHers = ({ door, need }: (typeof routes)[number]) =>
    door.kind === 'repository' && need.tokens.includes('classic')
  for (const route of routes.filter(isHers)) {
    test(`${route.method} ${route.path}`, async () => {
      // What is refused uses nothing up: it is refused once more in the other state.
      const { path, query, body } = await prepareRequest(world, route, 'open', true)
      if (!path.startsWith('/repos/ann/open')) return
      for (const state of route.id === revoking ? states.slice(1) : states) {
        await set(state, state.on)
        const answer = await world.ann.ask(route.method, path + query, body)
        await set(state, state.off)
        if (route.method === 'GET' || isOnesOwn.test(route.path)) assert.ok(answer.status < 400, answer.text)
        else {
          assert.equal(answer.status, 403, path)
          assert.match(answer.body.message, state.says)
        }
      }
    })
  }

  test('loses a key where it is archived', async () => {
    const [archived] = states
    const route = routes.find(({ id }) => id === revoking)!
    const { path } = await prepareRequest(world, route, 'open', true)
    await set(archived, archived.on)
    assert.equal((await world.ann.delete(path)).status, 204)
    await set(archived, archived.off)
  })

  test('is brought back, or deleted, by its owner where it is archived, and by nobody where it is locked', async () => {
    const [archived, locked] = states
    await set(archived, archived.on)
    assert.equal((await world.ann.patch('/repos/ann/open', { description: 'New' })).status, 403)
    assert.equal((await world.ann.patch('/repos/ann/open', { archived: false })).status, 200)
    await set(locked, locked.on)
    assert.match((await world.ann.patch('/repos/ann/open', { archived: true })).body.message, locked.says)
    assert.match((await world.ann.delete('/repos/ann/open')).body.message, locked.says)
    await set(locked, locked.off)
    await set(archived, archived.on)
    assert.equal((await world.ann.delete('/repos/ann/open')).status, 204)
  })

  test('is given to no team and taken from none', async () => {
    const path = '/orgs/acme/teams/crew/repos/acme/tool'
    await world.ann.patch('/repos/acme/tool', { archived: true })
    assert.equal((await world.ann.put(path, { permission: 'pull' })).status, 403)
    assert.equal((await world.ann.delete(path)).status, 403)
    assert.equal((await world.ann.get(path)).status, 204)
  })
})
