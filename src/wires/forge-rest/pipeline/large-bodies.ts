/** Bodies beyond the usual size, from when they are read until they are dealt with: all of them together take only so much memory. */
import { Failure } from '../../../base/failure.ts'
import { usualBodyBytes } from '../route.ts'

/** Of all long bodies together; with what is made of it, each takes some three times as much. */
const maxBytes = 128 * 1024 * 1024

export type HeldBody = {
  /** So much of it is held by now. Throws where there is no room for it. */
  readonly take: (size: number) => void
  readonly release: () => void
}

export function makeLargeBodies(most = maxBytes) {
  let total = 0
  return {
    hold(): HeldBody {
      let held = 0
      return {
        take(size) {
          if (size <= usualBodyBytes) return
          if (total + size - held > most) throw tooMany()
          total += size - held
          held = size
        },
        release() {
          total -= held
          held = 0
        },
      }
    },
  }
}

const tooMany = () =>
  new Failure('unavailable', 'many-large-bodies', 'Many large files are being written at this moment: try again.', {
    retryAfterSeconds: 5,
  })
