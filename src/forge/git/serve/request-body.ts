/** The body of a request to git, taken in batches, so that each can be decided on after it came and before git has it. */
import type { Readable } from 'node:stream'
import { Failure } from '../../../lib/failure.ts'

export type RequestBody = {
  /** What comes next, gathered until it is so much, all has come, or nothing more came for a while; undefined at the end. */
  next(atLeast?: number, quietMs?: number): Promise<Buffer | undefined>
  /** Gives back what was taken too early: it comes next. */
  putBack(bytes: Buffer): void
  /** Whether the client is waited for now, and how much has come of it. */
  readonly isWaiting: boolean
  readonly taken: number
  /** Whether all has come, and was taken. */
  readonly isAtEnd: boolean
}

/** More than `maxBytes` cuts the connection: what was small on its way here can be without end, unpacked. */
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

/** No listener stays behind: a body that is given up must be free to flow away. */
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

/** What zlib complains of is told as such by the interface. */
const asBroken = (error: Error): Error => ((error as NodeJS.ErrnoException).code?.startsWith('Z_') ? error : broken())

const broken = () => new Failure('invalid', 'broken-off', 'The request broke off, or was not what git sends.')
