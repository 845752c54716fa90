/** The data sets' wire for tests: a caller with a token, or none, on each database. */
import { after, before, describe } from 'node:test'
import { engines } from '../support/engines.ts'
import { exchange } from '../support/exchange.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export type Json = any

export type Api = {
  readonly token: string | null
  /** The answer as it is. */
  send(
    method: string,
    path: string,
    options?: { body?: string | Buffer; headers?: Record<string, string> },
  ): Promise<Response>
  /** The body as JSON, with the status beside it. */
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }>
  /** A new data set's id. */
  make(name?: string, body?: unknown): Promise<string>
  push(id: string, items: unknown): Promise<void>
  text(id: string, query?: string): Promise<string>
}

export function makeApi(server: { url: string }, token: string | null = admin.token): Api {
  const send: Api['send'] = (method, path, { body, headers = {} } = {}) =>
    fetch(`${server.url}/v2${path}`, {
      method,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { body: body as string }),
    })
  const whole = (method: string, path: string, body?: string) =>
    exchange(`${server.url}/v2${path}`, {
      method,
      headers: token ? { authorization: `Bearer ${token}` } : {},
      ...(body !== undefined && { body }),
    })
  const ask: Api['ask'] = async (method, path, body) => {
    const { status, text } = await whole(method, path, body === undefined ? undefined : JSON.stringify(body))
    return { status, body: text === '' ? null : JSON.parse(text) }
  }
  return {
    token,
    send,
    ask,
    async make(name, body) {
      const answer = await ask('POST', `/datasets${name ? `?name=${name}` : ''}`, body)
      return answer.body.data.id
    },
    async push(id, items) {
      const body = typeof items === 'string' ? items : JSON.stringify(items)
      const { status, text } = await whole('POST', `/datasets/${id}/items`, body)
      if (status !== 201) throw new Error(`push: ${status} ${text}`)
    },
    async text(id, query = '') {
      return (await whole('GET', `/datasets/${id}/items?${query}`)).text
    },
  }
}

/** Another account, with a token of its own. */
export async function makeOther(server: TestServer, name: string): Promise<Api> {
  const account = await server.services.accounts.insert({ name, displayName: name, role: 'contestant' })
  const { text } = await server.services.tokens.make(account, { kind: 'classic', scopes: ['dataset'] })
  return makeApi(server, text)
}

/** A server and three who come to it: its admin, another account, and someone without a token. */
export type World = { server: TestServer; api: Api; other: Api; nobody: Api }

/** The world is there once the tests run, not yet while they are defined. */
export function onEachEngine(what: string, define: (world: World) => void): void {
  for (const engine of engines)
    describe(`${what} on ${engine}`, () => {
      const world = {} as World
      before(async () => {
        const server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
        const other = await makeOther(server, 'other')
        Object.assign(world, { server, other, api: makeApi(server), nobody: makeApi(server, null) })
      })
      after(() => world.server.stop())
      define(world)
    })
}
