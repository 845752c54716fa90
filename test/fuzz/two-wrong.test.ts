/** Every route and operation that takes more than one thing, with every two of them wrong at once, and all: 4xx, and it goes on. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Route } from '../../src/api/forge-rest/route.ts'
import { makeApi } from '../datasets/api.ts'
import { makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import { routes } from '../support/forge-routes.ts'
import { makeRest } from '../support/rest.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import type { Schema } from './values.ts'
import { adminPassword, adminToken, makeWorld, type World } from './world.ts'

describe('two wrong things at once', () => {
  let database: TestDatabase
  let server: ServerProcess
  let world: World
  before(async () => {
    database = await makeMigratedDatabase('sqlite')
    server = await startServerProcess(database, {
      GUILDHALL_LOG: 'error',
      GUILDHALL_LIMITS: 'off',
      GUILDHALL_ADMIN_TOKEN: adminToken,
      GUILDHALL_ADMIN_PASSWORD: adminPassword,
    })
    world = await makeWorld(server.url)
  })
  after(async () => {
    await server.end()
    await database.drop()
  })

  /** Nothing went wrong that no answer tells of: no rejection that nobody awaits, no error in the log. */
  async function demandSound(): Promise<void> {
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    const counts = metrics.split('\n').filter((line) => /^guildhall_(?:unhandled|uncaught)_/.test(line))
    assert.deepEqual(counts, ['guildhall_unhandled_rejections_total 0', 'guildhall_uncaught_exceptions_total 0'])
    const errors = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{') && !line.includes('the data folder is'))
    assert.deepEqual(errors, [])
  }

  test('in the address and the body of a forge route are refused', async () => {
    const ann = makeRest(server.url, tokenOf(world, 'ann'))
    const root = makeRest(server.url, adminToken)
    const requests = routes.flatMap((route) => {
      const bodies = listWrongBodies(route.body as Schema | undefined)
      // Where the address names nothing, the body is hardly looked at: all of it wrong will do.
      return [
        ...bodies.map((body) => ({ route, body, path: writeAddress(route, true) })),
        ...bodies.slice(-2).map((body) => ({ route, body, path: writeAddress(route, false) })),
      ]
    })
    await inParallel(requests, async ({ route, body, path }) => {
      const client = route.door.kind === 'site-admin' ? root : ann
      const answer = await client.ask(route.method, path, route.method === 'GET' ? undefined : body)
      const about = `${route.method} ${path} ${body}: ${answer.status} ${answer.text}`
      assert.ok(answer.status < 500, about)
      // Text is text, whatever it says.
      if (body !== undefined && isTyped(body) && !route.takesText) assert.ok(answer.status >= 400, about)
    })
    await demandSound()
  })

  test('in the params of an operation of the judge are refused', async () => {
    const admin = makeRpcClient(server.url, adminToken)
    const calls = world.operations.flatMap(({ name, params }) =>
      listWrongBodies(params).map((body) => ({ name, body })),
    )
    await inParallel(calls, async ({ name, body = '{}' }) => {
      const answer = await admin.ask(name, JSON.parse(body))
      const about = `${name} ${body}: ${JSON.stringify(answer).slice(0, 500)}`
      assert.ok(answer.error === undefined || answer.error.code !== -32603, about)
      if (isTyped(body)) assert.ok(answer.error !== undefined, about)
    })
    await demandSound()
  })

  test('in the query and the body of a data set’s route are refused', async () => {
    const api = makeApi(server, tokenOf(world, 'ann'))
    const [id] = world.datasets
    const wrongs = {
      offset: 'x',
      limit: '-1',
      desc: 'maybe',
      format: 'pdf',
      clean: '2',
      delimiter: 'ab',
      xmlRoot: '<',
      xmlRow: '1',
      outputFields: 'a,b,c',
      view: 'none',
    }
    const queries = pairsOf(Object.entries(wrongs)).map((pair) => new URLSearchParams(Object.fromEntries(pair)))
    for (const query of [...queries, new URLSearchParams(wrongs)]) {
      for (const address of [id, 'no-such-set', 'nobody~nothing']) {
        const answer = await api.send('GET', `/datasets/${address}/items?${query}`)
        assert.ok(answer.status >= 400 && answer.status < 500, `${address} ${query}: ${answer.status}`)
        await answer.arrayBuffer()
      }
    }
    const members = { name: 1, title: {}, generalAccess: 'EVERYONE', schema: 'x' }
    for (const chosen of [...pairsOf(Object.entries(members)), Object.entries(members)]) {
      for (const [method, path] of [
        ['PUT', `/datasets/${world.spareDataset}`],
        ['PUT', '/datasets/no-such-set'],
      ] as const) {
        const { status, body } = await api.ask(method, path, Object.fromEntries(chosen))
        assert.ok(status >= 400 && status < 500, `${method} ${path} ${JSON.stringify(chosen)}: ${JSON.stringify(body)}`)
      }
    }
    await demandSound()
  })
})

const lanes = 8

async function inParallel<T>(list: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const queue = list.values()
  const lane = async () => {
    for (const one of queue) await act(one)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

const wrongTypeOf = ({ type }: Schema): string => (type === 'object' ? '"wrong type"' : '{"wrong":["type"]}')
const isTyped = (body: string): boolean => body.includes('"wrong')

const tokenOf = ({ credentials }: World, name: string): string => credentials[name]![0]![1].replace('Bearer ', '')

/** Every two members, and all: of the wrong type, and of the right form but naming nothing. */
function listWrongBodies(schema: Schema | undefined): (string | undefined)[] {
  const members = Object.entries(schema?.properties ?? {})
  if (members.length === 0) return [undefined]
  const write = (wrong: readonly (readonly [string, Schema])[], draw: (member: Schema) => string) => {
    const names = wrong.map(([name]) => name)
    const others = members.filter(([name]) => schema?.required?.includes(name) && !names.includes(name))
    const parts = [...wrong, ...others].map(([name, member]) => {
      return `${JSON.stringify(name)}:${names.includes(name) ? draw(member) : nameNothing(member)}`
    })
    return `{${parts.join()}}`
  }
  // A flag or a word of a closed set names nothing that could be missing.
  const naming = members.filter(([, member]) => member.type !== 'boolean' && !member.enum)
  return [
    ...pairsOf(members).map((wrong) => write(wrong, wrongTypeOf)),
    ...pairsOf(naming).map((wrong) => write(wrong, nameNothing)),
    write(members, wrongTypeOf),
    write(members, nameNothing),
  ]
}

function nameNothing(schema: Schema): string {
  if (schema.enum) return JSON.stringify(schema.enum[0])
  if (schema.anyOf) return nameNothing(schema.anyOf[0]!)
  switch (schema.type) {
    case 'boolean':
      return 'false'
    case 'integer':
    case 'number':
      // A bounded number is a size or a wait, not a name: the least of it takes no time.
      return String(schema.maximum === undefined || schema.maximum > 1e9 ? 999_999_999 : (schema.minimum ?? 0))
    case 'array':
      return `[${nameNothing(schema.items ?? {})},${nameNothing(schema.items ?? {})}]`
    case 'object':
      return '{}'
    case 'null':
      return 'null'
    default:
      return schema.format === 'uuid' ? '"6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11"' : '"no-such-thing"'
  }
}

/** What is changed or deleted is what was made for it. */
const known: Readonly<Record<string, string>> = {
  owner: 'ann',
  repo: 'spare',
  org: 'spareorg',
  team_slug: 'crew',
  username: 'spare',
}

/** A route that ends what the rest is asked of is asked of nothing that is there. */
const isEnding = ({ method }: Route): boolean => method === 'DELETE'

const writeAddress = (route: Route, isKnown: boolean): string =>
  route.path.replace(/:(\w+)|\*/g, (_word, name) =>
    isKnown && !isEnding(route) && name !== undefined && known[name] ? known[name] : 'no-such-thing',
  )

const pairsOf = <T>(list: readonly T[]): T[][] =>
  list.flatMap((one, at) => list.slice(at + 1).map((other) => [one, other]))
