/**
 * Signals: short texts on named channels, delivered to every process on the database once the write that sent them has
 * committed.
 */

/** `undefined` instead of a payload: the connection was lost for a while, so check whether something was missed. */
export type Listener = (payload: string | undefined) => void

export type Signal = { readonly channel: string; readonly payload: string }

/** PostgreSQL accepts at most 8,000 bytes; SQLite has the same bound, so that no failure appears only on PostgreSQL. */
const maxBytes = 7_000

/** A signal as one text, channel first. An invalid one is a bug of its sender. */
export function encodeSignal({ channel, payload }: Signal): string {
  const text = `${channel}\n${payload}`
  if (channel.includes('\n')) throw new Error('The name of a channel is one line.')
  if (text.includes('\0')) throw new Error('A signal holds no NUL.')
  if (Buffer.byteLength(text) > maxBytes) throw new Error(`A signal holds ${maxBytes} bytes at most: send an id.`)
  return text
}

export function decodeSignal(text: string): Signal {
  const end = text.indexOf('\n')
  return { channel: text.slice(0, end), payload: text.slice(end + 1) }
}

/** The listeners in this process. */
export function makeListeners() {
  const channels = new Map<string, Set<Listener>>()

  function tell(listeners: Iterable<Listener>, payload: string | undefined): void {
    for (const listener of [...listeners]) {
      try {
        listener(payload)
      } catch (error) {
        // One listener's bug must not reach the write that woke it, nor other listeners.
        process.emitWarning(error as Error)
      }
    }
  }

  return {
    /** Returns a function that stops listening. */
    add(channel: string, listener: Listener): () => void {
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners)
      // A separate wrapper, so that one function may listen twice.
      const own: Listener = (payload) => listener(payload)
      listeners.add(own)
      return () => {
        listeners.delete(own)
        if (listeners.size === 0 && channels.get(channel) === listeners) channels.delete(channel)
      }
    },
    deliver({ channel, payload }: Signal): void {
      tell(channels.get(channel) ?? [], payload)
    },
    wakeAll(): void {
      for (const listeners of [...channels.values()]) tell(listeners, undefined)
    },
  }
}
