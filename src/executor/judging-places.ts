/**
 * Places: how many submissions are being judged. One more than there are slots may begin at a time, since one author
 * may have as many as slots; one that takes longer lets another begin beside it, and their authors share the slots in
 * turn. The number of open ones is bounded, and so is their disk space.
 */

export type JudgingPlace = {
  /** Lets another begin beside it. */
  letNextBegin(): void
  /** It holds nothing on disk and runs in no slot, so it does not count. */
  pause(): void
  /** It counts again as soon as there is room; those that come back precede those that begin. */
  resume(signal: AbortSignal): Promise<void>
  end(): void
}

export type JudgingPlaces = {
  /** Resolves when another may begin. */
  untilFree(): Promise<void>
  begin(): JudgingPlace
}

export type PlaceBounds = {
  /** How many may begin at a time. */
  readonly beginning: number
  /** How many may be open, including those that begin, while there is disk space; otherwise as many as may begin. */
  readonly open: number
  hasSpace(): boolean
}

/** Disk space of their programs and tests; beyond it no more are open than may begin. */
const mostOpenBytes = 4 * 1024 ** 3

export const hasSpaceForAnother = (openBytes: number): boolean => openBytes < mostOpenBytes

type State = 'beginning' | 'shared' | 'away'

export function makeJudgingPlaces({ beginning, open, hasSpace }: PlaceBounds): JudgingPlaces {
  const places = new Map<JudgingPlace, State>()
  const comingBack = new Set<() => void>()
  const waiting = new Set<() => void>()

  const count = (...states: readonly State[]) => [...places.values()].filter((state) => states.includes(state)).length
  const countOpen = () => count('beginning', 'shared')
  const mayBegin = () =>
    comingBack.size === 0 && count('beginning') < beginning && countOpen() < (hasSpace() ? open : beginning)

  const change = (act: () => void) => {
    act()
    for (const takeBack of comingBack) if (countOpen() < open) takeBack()
    if (mayBegin()) for (const wake of waiting) wake()
  }
  const become = (place: JudgingPlace, state: State) => change(() => places.has(place) && places.set(place, state))

  async function resume(place: JudgingPlace, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const back = Promise.withResolvers<void>()
    const takeBack = () => {
      comingBack.delete(takeBack)
      places.set(place, 'shared')
      back.resolve()
    }
    const giveUp = () => change(() => comingBack.delete(takeBack) && back.reject(signal.reason))
    signal.addEventListener('abort', giveUp, { once: true })
    change(() => comingBack.add(takeBack))
    await back.promise.finally(() => signal.removeEventListener('abort', giveUp))
  }

  return {
    async untilFree() {
      while (!mayBegin()) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.add(resolve)
        await promise
        waiting.delete(resolve)
      }
    },
    begin() {
      const place: JudgingPlace = {
        letNextBegin() {
          if (places.get(place) === 'beginning') become(place, 'shared')
        },
        pause: () => become(place, 'away'),
        resume: (signal) => resume(place, signal),
        end: () => change(() => places.delete(place)),
      }
      places.set(place, 'beginning')
      return place
    },
  }
}
