/** A receiver of webhooks on loopback: it keeps what came and answers as it is told. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'

export type Received = { readonly headers: IncomingHttpHeaders; readonly text: string; readonly path: string }

export type Receiver = {
  readonly url: string
  readonly port: number
  readonly received: Received[]
  /** How the next requests are answered; 204 unless told. */
  answer: (response: ServerResponse, path: string) => void
  /** The payload of the first request of this event, and of this action or kind, that is there or comes. */
  heard(event: string, which?: string | ((payload: Json) => boolean)): Promise<Json>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    received.push({ headers: request.headers, text, path: request.url ?? '' })
    receiver.answer(response, request.url ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer: (response) => void response.writeHead(204).end(),
    async heard(event, which = () => true) {
      const isIt = typeof which === 'string' ? ({ action }: Json) => action === which : which
      const find = () =>
        received.find(({ headers, text }) => headers['x-github-event'] === event && isIt(JSON.parse(text)))
      await until(() => find() !== undefined)
      return JSON.parse(find()!.text)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}
