/** The body of a request to git, read in batches, so that each batch can be checked before git gets it. */
import type { Readable } from 'node:stream'
import { Failure } from '../../../lib/failure.ts'

export type RequestBody = {
  /** The next bytes: waits for `atLeast`, the end of the input, or a pause of `quietMs`; undefined at the end. */
  next(atLeast?: number, quietMs?: number): Promise<Buffer | undefined>
  /** Puts bytes back that were read too early: they come next. */
  putBack(bytes: Buffer): void
  /** Whether the server waits for the client now, and how many bytes it has sent. */
  readonly isWaiting: boolean
  readonly taken: number
  /** Whether all of it has arrived and was read. */
  readonly isAtEnd: boolean
}

/** More than `maxBytes` closes the connection: a small compressed body can unpack without end. */
export function makeRequestBody(input: Readable, maxBytes: number, signal: AbortSignal): RequestBody {
  let returned: Buffer | undefined
  let isWaiting = false
  let taken = 0
  let isQuiet = false

  function take(): Buffer | undefined {
    if (returned) {
      const bytes = returned
      returned = undefined
      return bytes
    }
    const bytes: Buffer | null = input.read()
    taken += bytes?.length ?? 0
    if (taken > maxBytes) input.destroy()
    return bytes ?? undefined
  }

  async function wait(quietMs: number | undefined): Promise<void> {
    isWaiting = true
    const quiet = quietMs === undefined ? undefined : AbortSignal.timeout(quietMs)
    try {
      await whenReadable(input, quiet ? AbortSignal.any([signal, quiet]) : signal)
    } catch (error) {
      if (!quiet?.aborted || signal.aborted || input.errored) throw error
      isQuiet = true
    } finally {
      isWaiting = false
    }
  }

  return {
    async next(atLeast = 1, quietMs) {
      isQuiet = false
      const chunks: Buffer[] = []
      let size = 0
      while (size < atLeast) {
        signal.throwIfAborted()
        const chunk = take()
        if (input.destroyed && !input.readableEnded) throw input.errored ? asBroken(input.errored) : broken()
        if (chunk) {
          chunks.push(chunk)
          size += chunk.length
        } else if (input.readableEnded || isQuiet) break
        else await wait(size > 0 ? quietMs : undefined)
      }
      return size === 0 ? undefined : Buffer.concat(chunks)
    },
    putBack(bytes) {
      returned = returned ? Buffer.concat([bytes, returned]) : bytes
    },
    get isWaiting() {
      return isWaiting
    },
    get taken() {
      return taken
    },
    get isAtEnd() {
      return input.readableEnded && returned === undefined
    },
  }
}

/** Removes its listeners: an abandoned body must be free to drain. */
function whenReadable(input: Readable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopListening = () => {
      for (const event of events) input.off(event, goOn)
      input.off('error', fail)
      signal.removeEventListener('abort', abort)
    }
    function goOn(): void {
      stopListening()
      resolve()
    }
    function fail(error: Error): void {
      stopListening()
      reject(asBroken(error))
    }
    function abort(): void {
      stopListening()
      reject(signal.reason)
    }
    for (const event of events) input.on(event, goOn)
    input.on('error', fail)
    signal.addEventListener('abort', abort)
  })
}

const events = ['readable', 'end', 'close'] as const

/** zlib's errors are reported by the interface under their own name. */
const asBroken = (error: Error): Error => ((error as NodeJS.ErrnoException).code?.startsWith('Z_') ? error : broken())

const broken = () => new Failure('invalid', 'broken-off', 'The request broke off, or was not what git sends.')
