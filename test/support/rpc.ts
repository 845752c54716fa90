/** A JSON-RPC client for tests: `call` throws on an error answer, `ask` returns it. */
import { randomUUID } from 'node:crypto'
import { exchange } from './exchange.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export type Json = any

export const readJson = (response: Response): Promise<Json> => response.json()

export class RpcFault extends Error {
  readonly code: number
  readonly data: Json
  constructor(method: string, { code, message, data }: { code: number; message: string; data: Json }) {
    super(`${method}: ${code} ${message}`)
    this.code = code
    this.data = data
  }
}

export type RpcClient = {
  readonly token: string | undefined
  ask(method: string, params?: object): Promise<Json>
  call(method: string, params?: object): Promise<Json>
  /** The code of the error that the call answers; 0 where it succeeds. */
  code(method: string, params?: object): Promise<number>
  /** Sends exactly this body. */
  post(body: string | Buffer, extra?: Record<string, string>): Promise<Response>
  /** The same server, as another account. */
  signIn(name: string, password: string): Promise<RpcClient>
  as(token: string | undefined): RpcClient
}

export function makeRpcClient(url: string, token?: string): RpcClient {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }

  async function ask(method: string, params: object = {}): Promise<Json> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params })
    return JSON.parse((await exchange(`${url}/`, { method: 'POST', headers, body })).text)
  }

  return {
    ask,
    async call(method, params = {}) {
      const answer = await ask(method, params)
      if (answer.error) throw new RpcFault(method, answer.error)
      return answer.result
    },
    code: async (method, params = {}) => (await ask(method, params)).error?.code ?? 0,
    post: (body, extra = {}) =>
      fetch(`${url}/`, { method: 'POST', headers: { ...headers, ...extra }, body: body as string }),
    async signIn(name, password) {
      const answer = await ask('create_session', { AccountName: name, Password: password })
      if (answer.error) throw new RpcFault('create_session', answer.error)
      return makeRpcClient(url, answer.result.Token)
    },
    as: (other) => makeRpcClient(url, other),
    token,
  }
}
