/** Unhandled errors: each is a bug, logged with its request's id and counted, and none of them ends the server. */
import type { Log } from './lib/log.ts'
import { currentRequest } from './lib/request-context.ts'

/** Counts since the process started; `/metrics` shows them. */
export const unhandledCounts = { rejections: 0, exceptions: 0 }

/**
 * For the rest of the process. An unawaited rejection leaves its request intact: other parts of it are still answered.
 * An exception from a callback leaves something half done that nobody will finish, so its connection is closed:
 * otherwise its client would wait forever.
 */
export function survive(log: Log): void {
  process.on('unhandledRejection', (reason) => {
    unhandledCounts.rejections++
    log.error({ err: reason, requestId: currentRequest()?.id }, 'a promise was rejected that nobody awaits')
  })
  process.on('uncaughtException', (error) => {
    unhandledCounts.exceptions++
    const request = currentRequest()
    log.error({ err: error, requestId: request?.id }, 'a callback threw an exception that nobody caught')
    request?.socket.destroy()
  })
}
