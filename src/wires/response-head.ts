/**
 * A response that goes out with others of the same moment, and takes lines of its head ready-made. Node checks and joins each
 * header of each answer anew, which takes longer than all else of a short answer; what is the same for many is checked and
 * joined once here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { http } from '../base/http.ts'
import { writeTogether } from './answer-writes.ts'

declare module 'node:http' {
  interface OutgoingMessage {
    /** Node's own, undocumented: makes the head of its first line and the headers. */
    _storeHeader(firstLine: string, headers: unknown): void
  }
}

/** `name: value` and a line break, for each of a flat list of names and values. */
export function joinHeadLines(headers: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!]
    http.validateHeaderName(name)
    http.validateHeaderValue(name, value)
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

class HeadedResponse<Request extends IncomingMessage = IncomingMessage> extends http.ServerResponse<Request> {
  headLines = ''
  isEnding = false

  override end(...words: unknown[]): this {
    if (this.isEnding) return this
    this.isEnding = true
    writeTogether(this, () => super.end(...(words as [])))
    return this
  }

  override _storeHeader(firstLine: string, headers: unknown): void {
    super._storeHeader(firstLine + this.headLines, headers)
  }
}

// Node declares a property where it has a getter.
Object.defineProperty(HeadedResponse.prototype, 'writableEnded', {
  get(this: HeadedResponse) {
    return this.isEnding
  },
})

/** For the server, which makes a response for every request. */
export { HeadedResponse as ServerResponse }

/** As `writeHead`, with lines that `joinHeadLines` made, or that are plainly sound, before the headers. */
export function writeHead(response: ServerResponse, status: number, lines: string, headers: readonly string[]): void {
  ;(response as HeadedResponse).headLines = lines
  response.writeHead(status, headers as string[])
}
