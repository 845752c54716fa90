/**
 * The feeds of each contest that are open here: they are woken by its changes, and those that see the same share what
 * they read.
 */
import { outsideRequests } from '../../lib/request-context.ts'
import { runAs } from '../../lib/scheduling/work-kind.ts'

type Channel = {
  readonly contestId: number
  feeds: number
  /** How many changes were signalled. */
  changes: number
  /** How often the problems were found changed. */
  problemChanges: number
  readonly waiting: Set<() => void>
  readonly reads: Map<string, Promise<unknown>>
  wokenAt: number
  waking: NodeJS.Timeout | undefined
  readonly ending: AbortController
}

/** In a busy contest feeds are woken this often, and then send several events at once. */
const wakeEveryMs = 200
/** Names, limits and tests of problems change without a signal: they are looked at this often, for all feeds. */
const problemsEveryMs = 700
/** What one feed has read serves the others for this long. */
const sharedMs = 1_000

export type FeedChannel = {
  /** To be taken before reading, for `wait`. */
  changes(): number
  problemChanges(): number
  /** Until the contest changes, also if it did so since `changes` was taken; for this time at most. */
  wait(changes: number, ms: number, signal: AbortSignal): Promise<void>
  /**
   * One read for all who ask for this name within a second. The name says who is shown the answer, and what it includes
   * at least: answers for one place in the log include all events before it.
   */
  share<T>(name: string, read: () => Promise<T>): Promise<T>
  leave(): void
}

type Needs = {
  /** The listener gets no id if signals may have been missed. */
  listen(listener: (contestId: number | undefined) => void): () => void
  /** All that feeds show of a contest's problems. */
  readProblems(contestId: number): Promise<string>
}

export function makeFeedChannels({ listen, readProblems }: Needs) {
  const channels = new Map<string, Channel>()

  const stop = listen((contestId) => {
    for (const channel of channels.values())
      if (contestId === undefined || channel.contestId === contestId) noteChange(channel)
  })

  function noteChange(channel: Channel): void {
    channel.changes++
    if (channel.waking) return
    const dueMs = channel.wokenAt + wakeEveryMs - performance.now()
    if (dueMs <= 0) wakeAll(channel)
    else channel.waking = setTimeout(() => wakeAll(channel), dueMs).unref()
  }

  function wakeAll(channel: Channel): void {
    channel.waking = undefined
    channel.wokenAt = performance.now()
    for (const wake of [...channel.waiting]) wake()
  }

  const wait = (channel: Pick<Channel, 'waiting'>, ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        channel.waiting.delete(end)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      channel.waiting.add(end)
      signal.addEventListener('abort', end)
      if (signal.aborted) end()
    })

  function share<T>({ reads }: Channel, name: string, read: () => Promise<T>): Promise<T> {
    const known = reads.get(name)
    if (known) return known as Promise<T>
    const own = runAs('feeds', read)
    reads.set(name, own)
    const forget = () => void reads.delete(name)
    const untilMs = performance.now() + sharedMs
    own.then(() => setTimeout(forget, Math.max(0, untilMs - performance.now())).unref(), forget)
    return own
  }

  /**
   * The first look counts as a change: what feeds have read may be older. A failure does not matter, because the next
   * look finds the change.
   */
  async function watchProblems(channel: Channel): Promise<void> {
    const { contestId, ending } = channel
    let before: string | undefined
    while (!ending.signal.aborted) {
      const now = await runAs('feeds', () => readProblems(contestId)).catch(() => before)
      if (now !== before) {
        channel.problemChanges++
        noteChange(channel)
      }
      before = now
      await wait({ waiting: new Set() }, problemsEveryMs, ending.signal)
    }
  }

  function open(contestId: number): Channel {
    const channel: Channel = {
      ...{ contestId, feeds: 0, changes: 0, problemChanges: 0, waiting: new Set(), reads: new Map() },
      ...{ wokenAt: Number.NEGATIVE_INFINITY, waking: undefined, ending: new AbortController() },
    }
    // The feed that opens it may end before the others.
    void outsideRequests(() => watchProblems(channel))
    return channel
  }

  function end(name: string, channel: Channel): void {
    clearTimeout(channel.waking)
    channel.ending.abort()
    channels.delete(name)
  }

  return {
    /** Feeds from before and after a reopening share nothing. */
    join(contestId: number, epoch: number): FeedChannel {
      const name = `${contestId} ${epoch}`
      const channel = channels.get(name) ?? open(contestId)
      channels.set(name, channel)
      channel.feeds++
      return {
        changes: () => channel.changes,
        problemChanges: () => channel.problemChanges,
        wait: async (changes, ms, signal) => {
          const isAwake = channel.changes !== changes && !channel.waking
          if (!isAwake) await wait(channel, ms, signal)
        },
        share: (key, read) => share(channel, key, read),
        leave() {
          channel.feeds--
          if (channel.feeds === 0) end(name, channel)
        },
      }
    },

    close(): void {
      stop()
      for (const [name, channel] of channels) end(name, channel)
    },
  }
}
