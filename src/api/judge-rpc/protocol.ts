/** The JSON-RPC 2.0 protocol: bytes in, a response or nothing out. It is independent of the methods. */
import { isUtf8 } from 'node:buffer'
import { Failure } from '../../lib/failure.ts'
import { isUuid } from '../../lib/ids.ts'

export type RpcError = { readonly code: number; readonly message: string; readonly data: object }
export type Id = string | number | null
export type RpcAnswer = { readonly jsonrpc: '2.0'; readonly id: Id } & (
  | { readonly result: object }
  | { readonly error: RpcError }
)

/** Executes one call. It never throws: it returns errors. */
export type Dispatch = (
  method: string,
  params: Record<string, unknown>,
) => Promise<{ result: object } | { error: RpcError }>

export const parseError = -32700
export const invalidRequest = -32600
export const methodNotFound = -32601
export const invalidParams = -32602
export const internalError = -32603

const maxBatch = 100

/**
 * Returns undefined if nothing is left to send: the body had only notifications, or each answer of a batch was passed
 * to `takeOne`.
 */
export async function answerBody(
  body: Buffer,
  parseJson: (bytes: Buffer) => Promise<unknown>,
  dispatch: Dispatch,
  takeOne?: (answer: RpcAnswer) => Promise<void>,
): Promise<RpcAnswer | RpcAnswer[] | undefined> {
  let message: unknown
  try {
    message = isUtf8(body) ? await parseJson(body) : undefined
  } catch (error) {
    if (error instanceof Failure) return refuse(null, invalidRequest, error.message)
  }
  if (message === undefined) return refuse(null, parseError, 'The body is not JSON.')
  if (!Array.isArray(message)) return answerOne(message, dispatch)
  // Section 6: an empty batch is one error, not an empty list.
  if (message.length === 0) return refuse(null, invalidRequest, 'A batch needs at least one request.')
  if (message.length > maxBatch) return refuse(null, invalidRequest, `A batch takes at most ${maxBatch} requests.`)
  const answers: RpcAnswer[] = []
  for (const entry of message) {
    const answer = await answerOne(entry, dispatch)
    if (!answer) continue
    if (takeOne) await takeOne(answer)
    else answers.push(answer)
  }
  return answers.length > 0 ? answers : undefined
}

/** The messages of section 5.1; `data` says what to do. */
const printed = {
  [parseError]: 'Parse error',
  [invalidRequest]: 'Invalid Request',
  [methodNotFound]: 'Method not found',
} as const

export const protocolError = (code: keyof typeof printed, reason: string): RpcError => ({
  code,
  message: printed[code],
  data: { Reason: reason },
})

export const refuse = (id: Id, code: keyof typeof printed, reason: string): RpcAnswer => ({
  jsonrpc: '2.0',
  id,
  error: protocolError(code, reason),
})

async function answerOne(entry: unknown, dispatch: Dispatch): Promise<RpcAnswer | undefined> {
  if (!isObject(entry)) return refuse(null, invalidRequest, 'A request is an object.')
  const { jsonrpc, method, params = {} } = entry
  const id = isEchoable(entry.id) ? entry.id : null
  if (jsonrpc !== '2.0') return refuse(id, invalidRequest, 'The member jsonrpc must be "2.0".')
  if (typeof method !== 'string') return refuse(id, invalidRequest, 'The member method must be a string.')
  // Section 4.1: a call without an id is a notification. It is executed if possible, and never answered.
  if (!Object.hasOwn(entry, 'id')) {
    if (isObject(params)) await dispatch(method, params)
    return undefined
  }
  if (!isObject(params)) return refuse(id, invalidRequest, 'The member params must be an object.')
  if (!isUuid(id))
    return refuse(id, invalidRequest, 'The member id must be a uuid: 32 hexadecimal digits as 8-4-4-4-12.')
  return { jsonrpc: '2.0', id, ...(await dispatch(method, params)) }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEchoable = (id: unknown): id is Id => typeof id === 'string' || typeof id === 'number' || id === null
