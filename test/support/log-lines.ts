/** A log whose lines a test can read. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, makeLog } from '../../src/lib/log.ts'
import type { Json } from './rpc.ts'

export type LogLines = {
  readonly log: Log
  readonly lines: readonly Json[]
  /** Those whose message the pattern finds. */
  find(message: RegExp): Json[]
  /** Waits until so many lines have such a message. */
  await(message: RegExp, count?: number): Promise<Json[]>
}

export function makeLogLines(level = 'info'): LogLines {
  const lines: Json[] = []
  const log = makeLog(level, { write: (line) => void lines.push(JSON.parse(line)) })
  const find = (message: RegExp) => lines.filter(({ msg }) => message.test(msg ?? ''))
  return {
    log,
    lines,
    find,
    async await(message, count = 1) {
      while (find(message).length < count) await sleep(20)
      return find(message)
    },
  }
}
