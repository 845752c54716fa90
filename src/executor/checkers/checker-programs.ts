/** A cache of checker programs: each is compiled once per content, and evicted beyond a size. */
import { mebibyte } from '../../lib/text/bytes.ts'
import { makeHeldCache } from '../held-cache.ts'

import {
  type BuildNeeds,
  buildChecker,
  CheckerFault,
  type CheckerProgram,
  type CheckerSource,
} from './checker-program.ts'

export type HeldChecker = { readonly program: CheckerProgram; release(): void }

export type CheckerPrograms = {
  /** Throws a `CheckerFault` if the checker does not compile. `key` identifies its content. */
  obtain(key: string, source: CheckerSource, needs: Pick<BuildNeeds, 'owner' | 'signal'>): Promise<HeldChecker>
}

/** A checker that did not compile counts as this size, which bounds how many are cached. */
const faultBytes = mebibyte

export function makeCheckerPrograms(
  parts: Pick<BuildNeeds, 'sandbox' | 'languages'>,
  cacheBytes = 512 * mebibyte,
): CheckerPrograms {
  const cache = makeHeldCache<CheckerProgram | CheckerFault>({
    mostBytes: cacheBytes,
    sizeOf: (built) => (built instanceof CheckerFault ? faultBytes : Math.max(built.bytes, faultBytes)),
    drop: (built) => void (built instanceof CheckerFault || built.drop()),
  })
  return {
    async obtain(key, source, needs) {
      const build = () =>
        buildChecker({ ...parts, ...needs }, source).catch((error: unknown) => {
          if (error instanceof CheckerFault) return error
          throw error
        })
      const { value, release } = await cache.obtain(key, build)
      if (!(value instanceof CheckerFault)) return { program: value, release }
      release()
      throw value
    },
  }
}
