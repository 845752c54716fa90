/** A request as wires see it: Node's own, with its id and params, and the address, host and scheme that its client used. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { parse } from 'node:querystring'
import type { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'

/** What tells who asks, and of whom: Fastify's requests have it as well. */
export type Asked = {
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  readonly protocol: string
  readonly host: string
  readonly socket: Socket
}

/** `isForwarded`: it came through a proxy that is believed. The proxy appends its client's address, and everything before that was written by the client. */
export class HttpRequest implements Asked {
  readonly raw: IncomingMessage
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  params: Readonly<Record<string, string>>
  readonly #isForwarded: boolean

  constructor(raw: IncomingMessage, id: string, params: Readonly<Record<string, string>>, isForwarded: boolean) {
    const { method = 'GET', url = '/', headers, socket } = raw
    this.raw = raw
    this.id = id
    this.method = method
    this.url = url
    this.headers = headers
    this.params = params
    this.#isForwarded = isForwarded
    this.ip = (isForwarded && lastOf(headers['x-forwarded-for'])) || (socket.remoteAddress ?? '')
  }

  get socket(): Socket {
    return this.raw.socket
  }

  get host(): string {
    return (this.#isForwarded && lastOf(this.headers['x-forwarded-host'])) || (this.headers.host ?? '')
  }

  get protocol(): string {
    const told = this.#isForwarded && lastOf(this.headers['x-forwarded-proto'])
    return told || ((this.socket as TLSSocket).encrypted ? 'https' : 'http')
  }

  get query(): Record<string, string | string[] | undefined> {
    const start = findQuery(this.url)
    return start < 0 ? {} : parse(this.url.slice(start + 1), '&', '=', { maxKeys: 0 })
  }

  /** A GET has none; what comes with one all the same flows away. */
  get body(): Readable | undefined {
    return this.method === 'GET' || this.method === 'HEAD' ? undefined : this.raw
  }
}

/** Where a query begins, or a fragment, which no client should send; -1 where there is neither. */
export function findQuery(url: string): number {
  const query = url.indexOf('?')
  const fragment = url.indexOf('#')
  return fragment < 0 || (query >= 0 && query < fragment) ? query : fragment
}

/** Of a header that lists several, the last that is no blank. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return String(header ?? '')
    .split(',')
    .map((each) => each.trim())
    .findLast(Boolean)
}
