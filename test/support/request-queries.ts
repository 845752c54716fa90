/** Counts the queries that a server in this process makes while it answers requests; those of its background work are left out. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { StatementSync } from 'node:sqlite'
import pg from 'pg'

type Answering = { isOver: boolean; texts: string[] }
type Started = { readonly request: IncomingMessage; readonly response: ServerResponse }

export type RequestQueries = {
  /** Of requests whose path holds this word, since it was last asked. */
  take(word: string): readonly string[]
  stop(): void
}

export function countRequestQueries(): RequestQueries {
  const answering = new AsyncLocalStorage<Answering>()
  let started: { path: string; one: Answering }[] = []
  const begin = (message: unknown) => {
    const { request, response } = message as Started
    const one: Answering = { isOver: false, texts: [] }
    started.push({ path: request.url ?? '', one })
    response.once('close', () => {
      one.isOver = true
    })
    answering.enterWith(one)
  }
  const note = (text: string) => {
    const one = answering.getStore()
    if (one && !one.isOver) one.texts.push(text)
  }
  subscribe('http.server.request.start', begin)
  const { query } = pg.Client.prototype
  const { all, get, run } = StatementSync.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [asked] = args as [string | { text?: string }]
    note(typeof asked === 'string' ? asked : (asked.text ?? ''))
    return (query as (...args: unknown[]) => unknown).apply(this, args)
  } as never
  for (const [name, own] of Object.entries({ all, get, run }))
    (StatementSync.prototype as unknown as Record<string, unknown>)[name] = function (
      this: StatementSync,
      ...args: never[]
    ) {
      note(this.sourceSQL)
      return (own as (...args: never[]) => unknown).apply(this, args)
    }

  return {
    take(word) {
      const own = started.filter(({ path }) => path.includes(word))
      const texts = own.flatMap(({ one }) => one.texts.splice(0))
      started = started.filter(({ one }) => !one.isOver)
      return texts
    },
    stop() {
      unsubscribe('http.server.request.start', begin)
      pg.Client.prototype.query = query
      Object.assign(StatementSync.prototype, { all, get, run })
    },
  }
}
