/**
 * Server-sent events of an inbox: one after each change, and a comment from time to time, so that the connection does
 * not seem dead.
 */
import { Readable } from 'node:stream'
import type { SelfAccess } from '../../../forge/access/self-access.ts'
import type { InboxState, InboxStreams } from '../../../forge/notifications/inbox/streams.ts'
import { presentInbox } from './present-notifications.ts'

const heartbeatMs = 15_000
/** A client that leaves this much unread is disconnected. */
const mostUnreadBytes = 64 * 1024

export type StreamRequest = {
  readonly self: SelfAccess
  readonly lastEventId: string | undefined
  /** Throws if the caller has lost access. */
  openAgain(): Promise<unknown>
}

export function openEventStream(streams: InboxStreams, { self, lastEventId, openAgain }: StreamRequest): Readable {
  const mayStill = () =>
    openAgain().then(
      () => true,
      () => false,
    )
  let close = () => {}
  const heartbeat = async () => ((await mayStill()) ? write(': heartbeat\n\n') : stop())
  const beat = setInterval(() => void heartbeat(), heartbeatMs)
  const stop = () => {
    clearInterval(beat)
    close()
    if (!stream.destroyed) stream.push(null)
  }
  const stream = new Readable({
    read() {},
    destroy(error, done) {
      clearInterval(beat)
      close()
      done(error)
    },
  })
  function write(text: string): void {
    if (stream.destroyed || stream.readableEnded) return
    if (stream.readableLength > mostUnreadBytes) stream.destroy()
    else stream.push(text)
  }
  // Begins with the present state, unless the client already knows it.
  const since = /^\d{1,15}$/.test(lastEventId ?? '') ? Number(lastEventId) : -1
  try {
    close = streams.open(self, since, mayStill, { tell: (state) => write(formatEvent(state)), end: stop })
  } catch (error) {
    clearInterval(beat)
    throw error
  }
  write('retry: 5000\n\n')
  return stream
}

const formatEvent = (state: InboxState): string =>
  `id: ${state.change}\nevent: inbox\ndata: ${JSON.stringify(presentInbox(state))}\n\n`
