/**
 * The feeds of each contest that are open here: they are woken by its changes, and those that see the same share what
 * they read.
 */
type Channel = {
  feeds: number
  /** How many changes were signalled. */
  changes: number
  readonly waiting: Set<() => void>
  /** Reads in progress. */
  reads: Map<string, Promise<unknown>>
  wokenAt: number
  waking: NodeJS.Timeout | undefined
}

/** In a busy contest feeds are woken this often, and then send several events at once. */
const wakeEveryMs = 200

export type FeedChannel = {
  /** To be taken before reading, for `wait`. */
  changes(): number
  /** Until the contest changes, also if it did so since `changes` was taken; for this time at most. */
  wait(changes: number, ms: number, signal: AbortSignal): Promise<void>
  /** Concurrent reads of one name are one, unless the contest changes meanwhile. */
  share<T>(name: string, read: () => Promise<T>): Promise<T>
  leave(): void
}

/** `listen`: the listener gets no id if signals may have been missed. */
export function makeFeedChannels(listen: (listener: (contestId: number | undefined) => void) => () => void) {
  const channels = new Map<number, Channel>()

  const stop = listen((contestId) => {
    for (const [id, channel] of channels) if (contestId === undefined || id === contestId) noteChange(channel)
  })

  function noteChange(channel: Channel): void {
    channel.changes++
    // Who comes from now on must not get what was read before.
    channel.reads = new Map()
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

  const wait = (channel: Channel, ms: number, signal: AbortSignal) =>
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

  function share<T>(channel: Channel, name: string, read: () => Promise<T>): Promise<T> {
    const { reads } = channel
    const known = reads.get(name)
    if (known) return known as Promise<T>
    const own = read().finally(() => reads.delete(name))
    reads.set(name, own)
    return own
  }

  return {
    join(contestId: number): FeedChannel {
      const known = channels.get(contestId)
      const channel: Channel = known ?? {
        ...{ feeds: 0, changes: 0, waiting: new Set(), reads: new Map() },
        ...{ wokenAt: Number.NEGATIVE_INFINITY, waking: undefined },
      }
      channels.set(contestId, channel)
      channel.feeds++
      return {
        changes: () => channel.changes,
        wait: async (changes, ms, signal) => {
          const isAwake = channel.changes !== changes && !channel.waking
          if (!isAwake) await wait(channel, ms, signal)
        },
        share: (name, read) => share(channel, name, read),
        leave() {
          channel.feeds--
          if (channel.feeds > 0) return
          clearTimeout(channel.waking)
          channels.delete(contestId)
        },
      }
    },

    close: () => stop(),
  }
}
