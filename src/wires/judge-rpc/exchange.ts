/** One HTTP request of this wire, and what its response tells beside the answer. It is a class, since one is made for each request. */
import type { ServerResponse } from 'node:http'
// `globalThis.performance` is a getter; importing it is measurably faster.
import { performance } from 'node:perf_hooks'
import type { HttpRequest } from '../http-request.ts'

export class Exchange {
  readonly request: HttpRequest
  readonly response: ServerResponse
  /** When it came; once its body is there, that moment. */
  startedAt = performance.now()
  /** A small body, once it is there. */
  body: Buffer | undefined
  /** Each call of a batch that signs in or out sets a cookie; the client keeps the last. */
  cookies: string[] | undefined
  /** The rest of the body may still arrive, so the connection can't be used again. */
  isLastOfConnection = false

  constructor(request: HttpRequest, response: ServerResponse) {
    this.request = request
    this.response = response
  }

  addCookie(cookie: string): void {
    this.cookies ??= []
    this.cookies.push(cookie)
  }
}
