/**
 * The forge's REST interface as the page calls it, with the session's cookie. The browser keeps answers and asks by
 * ETag whether they are current.
 */
import { Fault, unreachable } from './fault.ts'

type Query = Readonly<Record<string, string | number | boolean | undefined>>

type Options = {
  readonly method?: string
  readonly query?: Query
  /** Sent as JSON. */
  readonly body?: unknown
  /** A media type other than JSON, as `application/vnd.github.html`. */
  readonly accept?: string
  readonly signal?: AbortSignal
}

/** One page of a list. */
export type Listed<T> = {
  readonly items: readonly T[]
  readonly hasMore: boolean
  /** The number of the last page, where the interface tells it. */
  readonly lastPage: number | undefined
}

/** With it, texts come as Markdown and as HTML. */
export const asFull = { accept: 'application/vnd.github.full+json' } as const

/** The parts of an address are data: a branch may be called `a/b?c`, and its slashes stay. */
export const toPath = (...parts: readonly (string | number)[]): string =>
  `/${parts.map((part) => String(part).split('/').map(encodeURIComponent).join('/')).join('/')}`

export const repositoryPath = (owner: string, repo: string, ...rest: readonly (string | number)[]): string =>
  toPath('repos', owner, repo, ...rest)

export async function request(path: string, options: Options = {}): Promise<Response> {
  const { method = 'GET', query = {}, body, accept = 'application/json', signal } = options
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const words = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  let response: Response
  try {
    response = await fetch(words.size > 0 ? `${path}?${words}` : path, {
      method,
      headers: { accept, ...(body !== undefined && { 'content-type': 'application/json' }) },
      // The page itself may just have changed the cached value.
      cache: 'no-cache',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw unreachable()
  }
  if (response.ok) return response
  throw await toFault(response)
}

type FieldError = { readonly field?: string; readonly message?: string; readonly code?: string }
type Refusal = { readonly message?: string; readonly errors?: readonly (string | FieldError)[] }

/** Says nothing to a reader who is told of each field. */
const invalid = /^Validation Failed\.?$/i

const codes: Readonly<Record<string, string>> = {
  missing: 'does not exist',
  missing_field: 'is required',
  invalid: 'is not valid',
  already_exists: 'is taken already',
  unprocessable: 'cannot be processed',
}

function describe(error: string | FieldError): string {
  if (typeof error === 'string') return error
  const { field = '', code = '', message } = error
  return (
    message ??
    [field, codes[code] ?? code]
      .filter(Boolean)
      .join(' ')
      .replace(/^./, (first) => first.toUpperCase())
  )
}

/** The interface's own words, with what it says of each field. */
async function toFault(response: Response): Promise<Fault> {
  const refusal = (await response.json().catch(() => ({}))) as Refusal
  const { message, errors = [] } = refusal
  const details = errors.map(describe).filter((detail) => detail && detail !== message)
  const text = message
    ? [...(invalid.test(message) && details.length > 0 ? [] : [message]), ...details].join('. ')
    : `The server answered ${response.status}. Try again in a moment.`
  return new Fault(response.status, text.replace(/\.\. /g, '. '), refusal)
}

export async function read<T>(path: string, query: Query = {}, options: Options = {}): Promise<T> {
  return (await (await request(path, { ...options, query })).json()) as T
}

/** Undefined if it does not exist or is not visible to this person. */
export async function readIfThere<T>(path: string, query: Query = {}): Promise<T | undefined> {
  try {
    return await read<T>(path, query)
  } catch (error) {
    if (error instanceof Fault && [403, 404, 409, 410].includes(error.code)) return undefined
    throw error
  }
}

export async function readText(path: string, accept: string, query: Query = {}): Promise<string> {
  return (await request(path, { query, accept })).text()
}

export async function readList<T>(path: string, query: Query = {}, options: Options = {}): Promise<Listed<T>> {
  const response = await request(path, { ...options, query })
  const link = response.headers.get('link') ?? ''
  const last = /[?&]page=(\d+)[^>]*>; rel="last"/.exec(link)?.[1]
  return {
    items: (await response.json()) as readonly T[],
    hasMore: link.includes('rel="next"'),
    lastPage: last === undefined ? undefined : Number(last),
  }
}

/** Answers the body of the response; undefined if it is empty. */
export async function send<T = unknown>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await request(path, { method, ...(body !== undefined && { body }) })
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}
