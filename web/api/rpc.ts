/** The judge's interface (JSON-RPC over `POST /`) as a browser calls it, with the session's cookie. */
import { Fault, unreachable } from './fault.ts'
import type { Operations } from './operations.ts'

type Answer = { readonly result?: unknown; readonly error?: { code: number; message: string; data?: unknown } }

const makeRequest = (method: string, params: object) => ({ jsonrpc: '2.0', id: crypto.randomUUID(), method, params })

async function post(body: object, signal?: AbortSignal): Promise<unknown> {
  let response: Response
  try {
    response = await fetch('/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw unreachable()
  }
  try {
    return await response.json()
  } catch {
    throw new Fault(response.status, `The server answered ${response.status} without JSON. Try again in a moment.`)
  }
}

function open<T>({ result, error }: Answer): T {
  if (error) throw new Fault(error.code, error.message, error.data)
  return result as T
}

export async function call<M extends keyof Operations>(
  method: M,
  params: Operations[M]['params'],
  signal?: AbortSignal,
): Promise<Operations[M]['result']> {
  return open((await post(makeRequest(method, params), signal)) as Answer)
}

/** Several reads in one request; the first that fails is thrown. */
export async function callAll<M extends keyof Operations>(
  calls: readonly (readonly [M, Operations[M]['params']])[],
): Promise<Answer[]> {
  if (calls.length === 0) return []
  return (await post(calls.map(([method, params]) => makeRequest(method, params)))) as Answer[]
}

export { open as openAnswer }
