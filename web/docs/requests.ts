/** Finds the requests in a document: the judge's examples, and addresses such as `GET /users/{username}`. */
export type Request = {
  readonly title: string
  readonly method: string
  /** With `{names}` to be filled in. */
  readonly path: string
  /** The initial body; undefined if there is none. */
  readonly body: string | undefined
}

/** Neither the judge's one address, which its examples are for, nor git's own. */
const address = /^(GET|POST|PUT|PATCH|DELETE) (\/(?!\{owner\}\/\{repo\}\.git)\S+)$/

/** Of an element of a document, or undefined where it tells of none. `known`: values for the variables of examples. */
export function readRequest(element: Element, known: Readonly<Record<string, string>>): Request | undefined {
  const text = element.textContent?.trim() ?? ''
  if (element.tagName === 'PRE') {
    const [, operation, params] = /^call ([a-z_]+) '(.*)'$/.exec(text) ?? []
    return operation && params ? toCall(operation, params, known) : undefined
  }
  const [, method, path] = address.exec(text) ?? []
  if (!method || !path) return undefined
  const takesBody = method !== 'GET' && method !== 'DELETE'
  return { title: text, method, path, body: takesBody ? '{}' : undefined }
}

/** An example is written for a shell, with its variables between quotes. */
function toCall(operation: string, params: string, known: Readonly<Record<string, string>>): Request {
  const filled = params.replace(
    /'\$([A-Z]+)'/g,
    (_, name: string) => known[name] ?? (isNumber(name) ? '1' : `$${name}`),
  )
  return { title: operation, method: 'POST', path: '/', body: indent(filled) }
}

const isNumber = (name: string): boolean => ['ACCOUNT', 'SUBMISSION', 'TOKENID'].includes(name)

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

export const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)

export const fillPath = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? '').replaceAll('%2F', '/'))

export type Answer = { readonly status: number; readonly text: string }

/** A longer answer is cut: an export may be gigabytes, and a live stream never ends. */
const mostBytes = 100_000
const longestMs = 15_000

/** Sends only the session cookie. */
export async function send(method: string, path: string, body: string | undefined): Promise<Answer> {
  const response = await fetch(path, {
    method,
    headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, text: await readSome(response) }
}

async function readSome({ body }: Response): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const timer = setTimeout(() => void reader.cancel(), longestMs)
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    text += decoder.decode(value, { stream: !done })
    if (done) break
    if (text.length < mostBytes) continue
    void reader.cancel()
    return `${text.slice(0, mostBytes)}\n… and so on`
  }
  clearTimeout(timer)
  return indent(text)
}
