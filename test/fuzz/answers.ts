/** Takes apart what the server sent, and says what is wrong with it: each interface answers in its own shape. */
import type { Shot } from './shot.ts'

export type Answer = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** Throws where the bytes are no sequence of whole answers. */
export function parseAnswers(bytes: Buffer, methods: readonly string[]): Answer[] {
  const answers: Answer[] = []
  let at = 0
  while (at < bytes.length) {
    const { answer, end } = parseAnswer(bytes, at, methods[answers.length] ?? 'GET')
    at = end
    // 100 Continue is no answer yet.
    if (answer.status >= 200) answers.push(answer)
  }
  return answers
}

function parseAnswer(bytes: Buffer, start: number, method: string): { answer: Answer; end: number } {
  const headEnd = bytes.indexOf('\r\n\r\n', start)
  if (headEnd < 0) throw new Error('an answer’s head breaks off')
  const [first = '', ...lines] = bytes.toString('latin1', start, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${first} `)?.[1])
  if (!status) throw new Error(`this is no status line: ${first.slice(0, 100)}`)
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      if (colon < 1) throw new Error(`this is no header: ${line.slice(0, 100)}`)
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  const at = headEnd + 4
  // A head that is too long is refused before its method is known.
  const isBodiless = method === 'HEAD' && bytes[at] !== 0x7b
  if (isBodiless || status < 200 || status === 204 || status === 304) {
    return { answer: { status, headers, body: Buffer.alloc(0) }, end: at }
  }
  const { body, end } = parseBody(bytes, at, headers)
  return { answer: { status, headers, body }, end }
}

function parseBody(bytes: Buffer, start: number, headers: ReadonlyMap<string, string>): { body: Buffer; end: number } {
  const length = headers.get('content-length')
  if (length !== undefined) {
    const end = start + Number(length)
    if (bytes.length < end) throw new Error(`the body breaks off: ${bytes.length - start} of ${length} bytes`)
    return { body: bytes.subarray(start, end), end }
  }
  if (headers.get('transfer-encoding') !== 'chunked') return { body: bytes.subarray(start), end: bytes.length }
  const parts: Buffer[] = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (Number.isNaN(size) || bytes.length < lineEnd + size + 4) throw new Error('the last chunk is missing')
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + size + 4
    if (size === 0) return { body: Buffer.concat(parts), end: at }
  }
}

/** Undefined where nothing is wrong. */
export function findFault({ wire, isMalformed }: Shot, answer: Answer): string | undefined {
  const { status, headers, body } = answer
  // 503 names an outage: a machine that is busy with other tests may be too slow for its own disk.
  if (status >= 500 && status !== 503 && status !== 501) return `status ${status}`
  for (const name of ['x-planted', 'x-powered-by']) if (headers.has(name)) return `the header ${name}`
  if (headers.get('x-content-type-options') !== 'nosniff' && status !== 304) return 'no security headers'
  if (body.length === 0) return undefined
  if (isMalformed && status >= 400) return isHostingError(answer) || isOwnError(wire, answer) ? undefined : 'its shape'
  if (wire === 'judge' && headers.get('content-type') === 'application/json') return judgeFault(answer)
  // A part of JSON need not be JSON.
  if (status < 400) return status !== 206 && isJson(headers) && !isParsed(body) ? 'it is no JSON' : undefined
  return isOwnError(wire, answer) ? undefined : `its shape: ${body.toString('utf8', 0, 200)}`
}

const isJson = (headers: ReadonlyMap<string, string>): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\b/.test(headers.get('content-type') ?? '')

const isParsed = (body: Buffer): boolean => parse(body) !== undefined

function parse(body: Buffer): unknown {
  try {
    // An export may begin with a byte order mark.
    return JSON.parse(body.toString('utf8').replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

function isOwnError(wire: Shot['wire'], answer: Answer): boolean {
  // What is under `/-/` is the page's, whoever seems to be asked.
  if (answer.status === 404 && answer.headers.get('content-type')?.startsWith('text/html')) return true
  if (wire === 'datasets') return isDatasetsError(answer)
  if (wire === 'judge') return judgeFault(answer) === undefined
  if (wire === 'oauth') return isOAuthError(answer) || isHostingError(answer)
  if (wire === 'git') return answer.headers.get('content-type')?.startsWith('text/plain') || isHostingError(answer)
  return isHostingError(answer)
}

function isHostingError({ body, status }: Answer): boolean {
  const { message, documentation_url: url, status: said } = Object(parse(body))
  return typeof message === 'string' && typeof url === 'string' && said === String(status)
}

/** A page, or the word for what is wrong in the form that was asked for. */
const isOAuthError = ({ headers, body }: Answer): boolean =>
  headers.get('content-type')?.startsWith('text/html') === true || /\b(?:error|message)\b/.test(body.toString('utf8'))

function isDatasetsError({ body }: Answer): boolean {
  const { type, message } = Object(Object(parse(body)).error)
  return typeof type === 'string' && typeof message === 'string'
}

const internalError = -32603

function judgeFault({ body, status }: Answer): string | undefined {
  const parsed = parse(body)
  if (parsed === undefined) return 'it is no JSON'
  for (const one of [parsed].flat() as Record<string, unknown>[]) {
    const error = one.error as { code?: unknown; message?: unknown; data?: unknown } | undefined
    if (one.jsonrpc !== '2.0' || !('id' in one) || 'result' in one === 'error' in one) {
      return status >= 400 && isHostingError({ body, status, headers: new Map() }) ? undefined : 'its envelope'
    }
    if (error && error.code === internalError) return `the error ${JSON.stringify(error)}`
    if (error && (typeof error.code !== 'number' || typeof error.message !== 'string')) return 'its error'
  }
  return undefined
}
