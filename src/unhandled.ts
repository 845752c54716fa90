/** Errors that nobody handles: each is a bug, logged with its request's id and counted, and none of them ends the server. */
import type { Log } from './lib/log.ts'
import { currentRequest } from './lib/request-context.ts'

/** Since the process started; `/metrics` shows them. */
export const unhandledCounts = { rejections: 0, exceptions: 0 }

/**
 * For the rest of the process. A rejection that nobody awaits leaves its request as it was: whoever awaits something else of it is
 * answered. An exception from a callback leaves one thing half done that nobody else will finish, so the connection that it
 * was for is closed: its client would wait for good.
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
