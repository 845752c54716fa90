/**
 * Places: how many submissions are being judged. One more begins at a time than there are slots, since one author may have
 * as many as those; one that takes longer than a moment lets another begin beside it, and their authors have the slots in
 * turn. How many are open together is bounded, and so is what they keep on disk.
 */

export type Place = {
  /** Another may begin beside it. */
  share(): void
  /** It keeps nothing and runs in no slot: it does not count. */
  leave(): void
  /** It counts again, once there is room for it; who comes back is before who begins. */
  comeBack(signal: AbortSignal): Promise<void>
  end(): void
}

export type Places = {
  /** Resolves once another may begin. */
  untilFree(): Promise<void>
  begin(): Place
}

export type PlaceBounds = {
  /** How many begin at a time. */
  readonly beginning: number
  /** How many are open, those that begin among them, as long as there is room on the disk; else as many as begin. */
  readonly open: number
  hasSpace(): boolean
}

/** Their programs and tests may take so much of the disk, or only as many are open as there are slots. */
const mostOpenBytes = 4 * 1024 ** 3

export const hasSpaceBeside = (openBytes: number): boolean => openBytes < mostOpenBytes

type State = 'beginning' | 'shared' | 'away'

export function makePlaces({ beginning, open, hasSpace }: PlaceBounds): Places {
  const places = new Map<Place, State>()
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
  const become = (place: Place, state: State) => change(() => places.has(place) && places.set(place, state))

  async function comeBack(place: Place, signal: AbortSignal): Promise<void> {
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
      const place: Place = {
        share() {
          if (places.get(place) === 'beginning') become(place, 'shared')
        },
        leave: () => become(place, 'away'),
        comeBack: (signal) => comeBack(place, signal),
        end: () => change(() => places.delete(place)),
      }
      places.set(place, 'beginning')
      return place
    },
  }
}
