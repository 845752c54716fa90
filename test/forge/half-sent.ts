/** Requests to git that are sent but for their end, over a connection of their own. */
import { once } from 'node:events'
import { connect } from 'node:net'

export type HalfSent = {
  /** Sends the rest; answers the status and all that was said. */
  finish(rest: Buffer): Promise<{ status: number; text: string }>
  /** Whether the server has closed it. */
  isClosed(): boolean
  /** What was said so far. */
  said(): string
  drop(): void
}

type Draft = {
  readonly url: string
  readonly path: string
  readonly token?: string | undefined
  /** What is sent now, and how long the whole will be. */
  readonly start: Buffer
  readonly length: number
}

/** Resolves once the server has taken the request up. */
export async function sendHalf({ url, path, token, start, length }: Draft): Promise<HalfSent> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let said = ''
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')))
  const sign = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n${sign}Connection: close\r\nExpect: 100-continue\r\n`
  socket.write(`${head}Content-Length: ${length}\r\n\r\n`)
  await once(socket, 'data')
  socket.write(start)
  return {
    async finish(rest) {
      const closed = once(socket, 'close')
      socket.write(rest)
      await closed
      const answer = said.slice(said.lastIndexOf('HTTP/1.1 '))
      return { status: Number(answer.slice(9, 12)), text: answer }
    },
    isClosed: () => socket.destroyed,
    said: () => said,
    drop: () => socket.destroy(),
  }
}
