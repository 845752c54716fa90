/** The pace of a git client: a client that blocks git loses its slot, but only if somebody waits for it. */
import { Writable } from 'node:stream'
import { Failure } from '../../../lib/failure.ts'
import type { Slot } from '../../../lib/scheduling/fair-scheduler.ts'

export type Watched = {
  /** Whether the server now waits for the client to send or to read. Git's own work never counts. */
  isWaiting(): boolean
  /** How many bytes the client has sent and read so far. */
  moved(): number
}

/** A link of 8 kbit/s is kept, even when the server is full. */
const minBytesPerSecond = 1024
const looksPerWindow = 10

/** Calls `cut` at most once: if the client blocked git this long, moved too few bytes, and another caller waits. */
export function watchClient(
  slot: Pick<Slot, 'giveUpIfWanted'>,
  windowSeconds: number,
  { isWaiting, moved }: Watched,
  cut: (why: Failure) => void,
): () => void {
  let looks = 0
  let before = moved()
  const timer = setInterval(
    () => {
      if (!isWaiting()) return
      looks++
      if (looks < looksPerWindow) return
      const isSlow = moved() - before < minBytesPerSecond * windowSeconds
      if (isSlow && slot.giveUpIfWanted()) {
        clearInterval(timer)
        return cut(tooSlow())
      }
      if (isSlow) return
      looks = 0
      before = moved()
    },
    (windowSeconds * 1000) / looksPerWindow,
  )
  timer.unref()
  return () => clearInterval(timer)
}

const tooSlow = () =>
  new Failure('unavailable', 'client-too-slow', 'Others wait for git, and this client kept it waiting: try again.', {
    retryAfterSeconds: 10,
  })

export type OutputPace = {
  /** Passes everything on in small slices, and leaves the output open. */
  into(output: Writable): Writable
  readonly isWaiting: boolean
  readonly moved: number
}

/** Less than a slow client reads in one window, so that its progress shows as it reads. */
const sliceBytes = 16 * 1024

export function makeOutputPace(): OutputPace {
  let isWaiting = false
  let moved = 0
  return {
    into: (output) =>
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          isWaiting = true
          const writeFrom = (at: number) => {
            if (at >= chunk.length) {
              isWaiting = false
              return done()
            }
            const slice = chunk.subarray(at, at + sliceBytes)
            output.write(slice, (error) => {
              if (error) return done(error)
              moved += slice.length
              writeFrom(at + slice.length)
            })
          }
          writeFrom(0)
        },
      }),
    get isWaiting() {
      return isWaiting
    },
    get moved() {
      return moved
    },
  }
}
