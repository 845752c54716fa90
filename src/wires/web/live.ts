/**
 * Live updates: server-sent events that say which submissions have changed. They are hints and hold nothing else: the page
 * reads what changed over the judge's interface, as anybody who may. One timer serves all streams.
 */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { demand } from '../../base/failure.ts'

/** Without ids: some may have been missed. */
export type Changes = (listener: (ids: ReadonlySet<number> | undefined) => void) => () => void

/** Of one account, on one server: browser tabs and a few tools. */
export const mostStreamsOfOne = 20
export const mostStreams = 5_000
/** Those a stream tells of; without any it tells of all. */
export const mostWatched = 100
const heartbeatMs = 15_000
/** Then the client comes again, by itself, and who it is is looked at again. */
const longestMs = 5 * 60_000
/** What a client may have missed while it was away and still be told, in changes of all submissions. */
const keptChanges = 1_000
/** A client that reads so little of it is let go. */
const mostUnreadBytes = 64 * 1024

type Stream = { readonly output: Readable; readonly watched: ReadonlySet<number>; readonly endsAt: number }

export type Live = ReturnType<typeof makeLive>

export function makeLive(changes: Changes) {
  /** Ids of events count on from here; those of another server, or of this one before it was started anew, are unknown. */
  const epoch = randomUUID().slice(0, 8)
  let count = 0
  const kept: { readonly at: number; readonly id: number }[] = []
  const streams = new Map<number, Set<Stream>>()
  let streamCount = 0
  let timer: NodeJS.Timeout | undefined

  const all = () => [...streams.values()].flatMap((own) => [...own])
  const wants = ({ watched }: Stream, id: number) => watched.size === 0 || watched.has(id)
  const writeChange = (at: number, id: number) => `id: ${epoch}-${at}\nevent: submission\ndata: {"ID":${id}}\n\n`
  /** The client is to look at everything again. */
  const writeResync = () => `id: ${epoch}-${count}\nevent: resync\ndata: {}\n\n`

  const stopListening = changes((ids) => {
    if (!ids) {
      kept.length = 0
      count++
      for (const stream of all()) write(stream, writeResync())
      return
    }
    for (const id of ids) {
      count++
      kept.push({ at: count, id })
      if (kept.length > 2 * keptChanges) kept.splice(0, keptChanges)
      for (const stream of all()) if (wants(stream, id)) write(stream, writeChange(count, id))
    }
  })

  function beat(): void {
    const now = performance.now()
    for (const stream of all())
      if (stream.endsAt <= now) stream.output.push(null)
      else write(stream, ': heartbeat\n\n')
  }

  function missedSince(stream: Stream, lastEventId: string): string {
    const [, theirEpoch, at] = /^(\w{8})-(\d{1,15})$/.exec(lastEventId) ?? []
    const since = Number(at)
    const isKept =
      theirEpoch === epoch && since <= count && (since === count || (kept[0]?.at ?? count + 1) <= since + 1)
    if (!isKept) return writeResync()
    const missed = kept.filter((change) => change.at > since && wants(stream, change.id))
    return missed.map((change) => writeChange(change.at, change.id)).join('')
  }

  return {
    open(accountId: number, watched: ReadonlySet<number>, lastEventId: string | undefined): Readable {
      const own = streams.get(accountId) ?? new Set<Stream>()
      const hasRoom = own.size < mostStreamsOfOne && streamCount < mostStreams
      demand(
        hasRoom,
        'limited',
        'too-many-streams',
        'Too many pages are open: close some, or ask again from time to time.',
      )
      const output = new Readable({
        read() {},
        destroy(error, done) {
          if (own.delete(stream)) streamCount--
          if (own.size === 0 && streams.get(accountId) === own) streams.delete(accountId)
          if (streamCount === 0) clearInterval(timer)
          done(error)
        },
      })
      const stream: Stream = { output, watched, endsAt: performance.now() + longestMs }
      if (streamCount === 0) timer = setInterval(beat, heartbeatMs).unref()
      own.add(stream)
      streams.set(accountId, own)
      streamCount++
      write(stream, `retry: 2000\nid: ${epoch}-${count}\n\n`)
      if (lastEventId) write(stream, missedSince(stream, lastEventId))
      return output
    },
    countStreams: (): number => streamCount,
    /** The server stops: clients are to go to another one. */
    close(): void {
      clearInterval(timer)
      stopListening()
      for (const { output } of all()) output.push(null)
    },
  }
}

function write({ output }: Stream, text: string): void {
  if (text === '' || output.destroyed || output.readableEnded) return
  if (output.readableLength > mostUnreadBytes) output.destroy()
  else output.push(text)
}
