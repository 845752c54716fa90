/** A client of all three interfaces that stops at the first answer it did not expect. */
import { randomUUID } from 'node:crypto'

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape are read here.
export type Json = any

export type Client = ReturnType<typeof makeClient>

export function makeClient(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  async function rest(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  async function rpc(method: string, params: object): Promise<Json> {
    const { result, error } = await rest('POST', '/', { jsonrpc: '2.0', id: randomUUID(), method, params })
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
  return { url, token, rest, rpc }
}
