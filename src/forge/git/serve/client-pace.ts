/** The pace of a git client: one that keeps git waiting gives up its slot, but only where somebody waits for it. */
import { Writable } from 'node:stream'
import { Failure } from '../../../lib/failure.ts'
import type { Slot } from '../../../lib/scheduling/fair-scheduler.ts'

export type Watched = {
  /** Whether the client is waited for now, to send or to read. Time in which git works never counts. */
  isWaiting(): boolean
  /** How much the client has sent and read so far. */
  moved(): number
}

/** A link of 8 kbit/s is kept, even by a server that is full. */
const minBytesPerSecond = 1024
const looksPerWindow = 10

/** Calls `cut` once at most: where the client was waited for this long, moved less than the least, and another waits. */
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
  /** Passes all on, a little at a time, and leaves the output open. */
  into(output: Writable): Writable
  readonly isWaiting: boolean
  readonly moved: number
}

/** Less than a slow client reads within a window: what it takes shows while it takes it. */
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
