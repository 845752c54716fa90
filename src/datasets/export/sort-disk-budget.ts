/**
 * The disk budget of sorting, per caller and in all. When it is used up, a slow reader of a sorted answer gives way,
 * then an answer of the caller who has the most; a caller who has as much as others is told to come again.
 */
import { Failure } from '../../lib/failure.ts'
import type { TemporaryFile, TemporaryFiles } from '../../store/files/temporary-files.ts'

export type SortBounds = {
  readonly bytesPerCaller: number
  readonly bytesInAll: number
  /** Concurrent sorted answers that are being made or sent. */
  readonly sortsPerCaller: number
  readonly sorts: number
}

const gibibyte = 1024 ** 3
const usual: SortBounds = { bytesPerCaller: 8 * gibibyte, bytesInAll: 32 * gibibyte, sortsPerCaller: 4, sorts: 32 }

/** Pieces have a mebibyte: a client that asks for none in this time reads less than 50 kB per second. */
const slowMs = 20_000

/** The space of one answer. `readAt`: when a piece of it was last read, null while it is being made. */
type Place = { readonly caller: string; bytes: number; readAt: number | null; readonly release: () => void }

export type SortDiskBudget = ReturnType<typeof makeSortDiskBudget>

export function makeSortDiskBudget(openFile: TemporaryFiles['open'], bounds = usual, now = () => performance.now()) {
  const places = new Set<Place>()

  const sumOf = (sizeOf: (place: Place) => number, caller?: string) =>
    [...places].reduce((sum, place) => sum + (caller === undefined || place.caller === caller ? sizeOf(place) : 0), 0)
  const one = () => 1
  const bytesOf = ({ bytes }: Place) => bytes

  /** Makes one answer give way to a caller who needs this much more. Answers whether one did. */
  function makeWay(caller: string, sizeOf: (place: Place) => number, wanted: number): boolean {
    const at = now()
    // Among those still being made, the newest first: the least work is lost.
    const byPace = [...places]
      .reverse()
      .filter((place) => sizeOf(place) > 0)
      .sort((a, b) => (a.readAt ?? at) - (b.readAt ?? at))
    const slowest = byPace.find(({ readAt }) => readAt !== null && readAt <= at - slowMs)
    const sums = byPace.map((place) => sumOf(sizeOf, place.caller))
    const most = Math.max(0, ...sums)
    // The caller with the most must afterwards still have as much as this caller.
    const richest = most >= sumOf(sizeOf, caller) + 2 * wanted ? byPace[sums.indexOf(most)] : undefined
    const next = slowest ?? richest
    if (!next) return false
    places.delete(next)
    next.release()
    return true
  }

  function demandSpace(caller: string, bytes: number): void {
    let hasSpace = sumOf(bytesOf, caller) + bytes <= bounds.bytesPerCaller
    while (hasSpace && sumOf(bytesOf) + bytes > bounds.bytesInAll) hasSpace = makeWay(caller, bytesOf, bytes)
    if (!hasSpace)
      throw full(
        'There is not enough space to sort so many items: narrow them with filter, or take the first ones with limit.',
      )
  }

  function demandPlace(caller: string): void {
    let hasPlace = sumOf(one, caller) < bounds.sortsPerCaller
    while (hasPlace && places.size >= bounds.sorts) hasPlace = makeWay(caller, one, 1)
    if (!hasPlace) throw full('Too many sorted answers are in progress: wait until one is done.')
  }

  return {
    /** Opens the files of one answer; `cutOff` ends the answer if it is being sent and others need its place. */
    open(caller: string, cutOff: () => void) {
      demandPlace(caller)
      const open = new Set<TemporaryFile>()
      const place: Place = { caller, bytes: 0, readAt: null, release }
      places.add(place)

      /** An answer that is being made ends by itself: threads are using its files. */
      function release(): void {
        if (place.readAt === null) return
        cutOff()
        void closeAll()
      }

      function demandHeld(): void {
        if (!places.has(place))
          throw full('Other callers are waiting to sort, and you have the most sorts in progress: try again later.')
      }

      async function close(file: TemporaryFile): Promise<void> {
        if (!open.delete(file)) return
        place.bytes -= file.length
        await file.close()
      }

      async function closeAll(): Promise<void> {
        places.delete(place)
        await Promise.all([...open].map(close))
      }

      return {
        make: async (): Promise<TemporaryFile> => {
          demandHeld()
          const file = await openFile()
          open.add(file)
          return file
        },
        async write(file: TemporaryFile, bytes: Uint8Array): Promise<void> {
          demandHeld()
          demandSpace(caller, bytes.length)
          const before = file.length
          try {
            await file.write(bytes)
          } finally {
            place.bytes += file.length - before
          }
        },
        /** Reads sorted items; from the first read on, the client's pace counts. */
        async read(file: TemporaryFile, start: number, length: number): Promise<Buffer> {
          demandHeld()
          place.readAt = now()
          return file.read(start, length)
        },
        demandHeld,
        close,
        closeAll,
      }
    },
  }
}

const full = (message: string) => new Failure('limited', 'rate-limit-exceeded', message, { retryAfterSeconds: 30 })
