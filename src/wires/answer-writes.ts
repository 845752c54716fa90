/**
 * Answers go out together, once all requests that came together were dealt with. A write wakes its client, which takes the
 * kernel longer than the write itself where that client sleeps (on two processors, ten clients: a third of all the time a
 * short read takes); the next ones find it awake.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'

/** So many at most wait for each other. */
const most = 32

type Waiting = { readonly response: ServerResponse; write(): void }

let waiting: Waiting[] = []

/** On nobody's behalf. */
const writeSoon = AsyncLocalStorage.bind(() => void setImmediate(writeAnswers))

export function writeTogether(response: ServerResponse, write: () => void): void {
  // What listens to the end of a response runs for its own request.
  const count = waiting.push({ response, write: AsyncLocalStorage.bind(write) })
  if (count === 1) writeSoon()
  else if (count === most) writeAnswers()
}

/** Those that wait, at once: before anything else is done with their connections. */
export function writeAnswers(): void {
  const all = waiting
  waiting = []
  for (const { response, write } of all) {
    try {
      if (!response.destroyed) write()
    } catch (error) {
      response.destroy(error as Error)
    }
  }
}
