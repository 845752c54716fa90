/** What one request of this wire is answered: status and headers as they become known, then the body, in one write with them. It is a class, since one is made for each request. */
import type { ServerResponse } from 'node:http'
// `globalThis.performance` is a getter; importing it is measurably faster.
import { performance } from 'node:perf_hooks'
import { countedBytes, type Hold } from '../byte-budget.ts'
import type { HttpRequest } from '../http-request.ts'
import { cut, writePieces } from '../long-answer.ts'
import { type Observe, onceClosed, securityHeaders } from '../response.ts'
import { joinHeadLines, writeHead } from '../response-head.ts'
import { corsHeaders } from './cors.ts'

export const json = 'application/json; charset=utf-8'

/** Those of every answer. */
const fixed: Readonly<Record<string, string>> = { ...securityHeaders, ...corsHeaders }
const fixedLines = joinHeadLines(Object.entries(fixed).flat())

export class Reply {
  readonly raw: ServerResponse
  readonly #request: HttpRequest
  /** The address that the request came to, for the metrics. */
  readonly #route: string
  readonly #observe: Observe
  readonly #startedAt = performance.now()
  #hold: (() => Hold) | undefined
  #status = 200
  #headers: Record<string, string> = {}
  /** Whether one of those that every answer has is another here. */
  #isUnusual = false

  constructor(request: HttpRequest, raw: ServerResponse, route: string, observe: Observe) {
    this.#request = request
    this.raw = raw
    this.#route = route
    this.#observe = observe
  }

  /** From here on it is known who pays for what they do not read. */
  payBy(hold: () => Hold): void {
    this.#hold = hold
  }

  code(status: number): this {
    this.#status = status
    return this
  }

  /** The name in small letters. */
  header(name: string, value: string): this {
    if (name in fixed) this.#isUnusual = true
    this.#headers[name] = value
    return this
  }

  headers(more: Readonly<Record<string, string>>): this {
    for (const name in more) this.header(name, more[name]!)
    return this
  }

  removeHeader(name: string): this {
    delete this.#headers[name]
    return this
  }

  type(value: string): this {
    return this.header('content-type', value)
  }

  /** An object becomes JSON; what else is sent has its type already. What is long is to be awaited, and may find no room. */
  send(body?: object | string | Buffer): Promise<void> | undefined {
    const { raw } = this
    if (body === undefined) {
      // RFC 9110, section 8.6: a 204 and a 304 have no length; that of a HEAD would be the body's.
      const hasLength = this.#status !== 204 && this.#status !== 304 && this.#request.method !== 'HEAD'
      if (hasLength) this.#headers['content-length'] = '0'
      this.#writeHead()
      raw.end()
    } else {
      const isWritten = typeof body === 'string' || Buffer.isBuffer(body)
      const content = isWritten ? body : JSON.stringify(body)
      if (!isWritten) this.#headers['content-type'] ??= json
      const length = Buffer.byteLength(content)
      this.#headers['content-length'] = String(length)
      // Text that has as many bytes as characters is ASCII, and goes out several times faster as what it is.
      const isAscii = typeof content === 'string' && length === content.length
      if (length > countedBytes && this.#hold && this.#request.method !== 'HEAD')
        return this.#sendLong(isAscii ? content : Buffer.from(content), length, this.#hold())
      this.#writeHead()
      if (isAscii) raw.end(content, 'latin1')
      else raw.end(content)
    }
    this.#note()
    return undefined
  }

  async #sendLong(content: string | Buffer, length: number, hold: Hold): Promise<void> {
    hold.takeNow(length)
    this.begin()
    await writePieces(this.raw, cut(content), hold, 'latin1')
    this.raw.end()
  }

  /** Writes the head of what is then written to `raw`. */
  begin(): void {
    this.#writeHead()
    onceClosed(this.raw, () => this.#note())
  }

  #writeHead(): void {
    const list: string[] = []
    for (const name in this.#headers) list.push(name, this.#headers[name]!)
    const lines = this.#isUnusual ? this.#joinUnusual() : fixedLines
    writeHead(this.raw, this.#status, `x-request-id: ${this.#request.id}\r\n${lines}`, list)
  }

  #joinUnusual(): string {
    return joinHeadLines(Object.entries(fixed).flatMap((one) => (one[0] in this.#headers ? [] : one)))
  }

  #note(): void {
    const { method, id, url } = this.#request
    this.#observe(this.#route, method, this.#status, performance.now() - this.#startedAt, id, url)
  }
}
