/** A client of the forge for tests: an answer is its status, its headers and its body, whatever they are. */
import { Agent } from 'node:http'
import { exchange } from './exchange.ts'
import type { Json } from './rpc.ts'
import { admin, type TestServer } from './server.ts'

export type RestAnswer = {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
  readonly text: string
}

export type RestClient = ReturnType<typeof makeRest>

export function makeRest(url: string, token?: string | undefined, fixed: Record<string, string> = {}, agent?: Agent) {
  async function ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RestAnswer> {
    const authorization = token === undefined ? undefined : { authorization: `Bearer ${token}` }
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await exchange(url + path, {
      method,
      agent,
      headers: { ...authorization, ...fixed, ...headers },
      ...(sent !== undefined && { body: sent }),
    })
    const { status, type, text } = answer
    const isJson = type?.includes('json') && text !== ''
    return {
      status,
      text,
      body: isJson ? JSON.parse(text) : text,
      get headers() {
        return answer.headers
      },
    }
  }
  return {
    token,
    url,
    ask,
    get: (path: string, headers?: Record<string, string>) => ask('GET', path, undefined, headers),
    post: (path: string, body: unknown = {}) => ask('POST', path, body),
    put: (path: string, body: unknown = {}) => ask('PUT', path, body),
    patch: (path: string, body: unknown = {}) => ask('PATCH', path, body),
    delete: (path: string) => ask('DELETE', path),
  }
}

/** On one connection of its own, as a client that does one thing after the other. */
export const makeRestOnOneConnection = (url: string, token: string): RestClient =>
  makeRest(url, token, {}, new Agent({ keepAlive: true, maxSockets: 1 }))

export const asAdmin = (server: TestServer): RestClient => makeRest(server.url, admin.token)

/** A new user with a classic token of these scopes. */
export async function makeUser(
  server: TestServer,
  login: string,
  scopes: readonly string[] = usualScopes,
): Promise<RestClient> {
  const root = asAdmin(server)
  await root.post('/admin/users', { login, email: `${login}@example.org` })
  return makeRest(server.url, await makeToken(server, login, { kind: 'classic', scopes }))
}

export async function makeToken(server: TestServer, login: string, draft: object): Promise<string> {
  const { body, status } = await asAdmin(server).post(`/admin/users/${login}/tokens`, draft)
  if (status !== 201) throw new Error(`no token for ${login}: ${JSON.stringify(body)}`)
  return body.token
}

export const usualScopes = [
  ...['repo', 'user', 'admin:org', 'delete_repo', 'notifications', 'admin:org_hook'],
  ...['admin:public_key', 'admin:ssh_signing_key', 'admin:gpg_key'],
]
