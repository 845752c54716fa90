/** What an executor claims and reports, in order: it asks this server, which asks the judge and writes down. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { claimMethod } from '../support/judge.ts'
import type { Json } from '../support/rpc.ts'

export type JudgingEvent = { readonly kind: 'claim' | 'end'; readonly id: number; readonly author: number | undefined }

export type JudgingRecord = {
  readonly url: string
  readonly events: readonly JudgingEvent[]
  /** How many of an author's were being judged at the same time, at most. */
  mostAtOnce(author: number): number
  close(): Promise<void>
}

const endings = ['report_submission', 'report_submission_failure', 'update_submission']

export async function startJudgingRecord(judgeUrl: string): Promise<JudgingRecord> {
  const events: JudgingEvent[] = []
  const authors = new Map<number, number>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { method, params } = JSON.parse(body.toString()) as { method: string; params: Json }
    // An ending is written down before the judge knows of it, since it may answer the next claim first.
    if (endings.includes(method)) events.push({ kind: 'end', id: params.ID, author: authors.get(params.ID) })
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const headers = { 'content-type': 'application/json', authorization: request.headers.authorization! }
    const text = await fetch(judgeUrl, { method: 'POST', headers, body, signal: gone.signal })
      .then((answer) => answer.text())
      .catch(() => undefined)
    if (text === undefined) return void response.destroy()
    const claimed = method === claimMethod ? JSON.parse(text).result?.Submission : undefined
    if (claimed) {
      authors.set(claimed.ID, claimed.Author.ID)
      events.push({ kind: 'claim', id: claimed.ID, author: claimed.Author.ID })
    }
    response.end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    events,
    mostAtOnce(author) {
      let [now, most] = [0, 0]
      for (const event of events.filter((each) => each.author === author)) {
        now += event.kind === 'claim' ? 1 : -1
        most = Math.max(most, now)
      }
      return most
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
