/** The room that sorting takes on the disk, by caller and in all; who finds none left is told to come again. */
import { Failure } from '../../base/failure.ts'
import type { TemporaryFile, TemporaryFiles } from '../../store/files/temporary-files.ts'

export type SortBounds = {
  readonly bytesPerCaller: number
  readonly bytesInAll: number
  /** How many sorted answers are made or sent at a time. */
  readonly sortsPerCaller: number
  readonly sorts: number
}

const gibibyte = 1024 ** 3
const usual: SortBounds = { bytesPerCaller: 8 * gibibyte, bytesInAll: 32 * gibibyte, sortsPerCaller: 4, sorts: 32 }

export type SortRoom = ReturnType<typeof makeSortRoom>

export function makeSortRoom(openFile: TemporaryFiles['open'], bounds: SortBounds = usual) {
  const held = new Map<string, { bytes: number; sorts: number }>()
  let [bytesInAll, sorts] = [0, 0]

  const ownOf = (caller: string) => held.get(caller) ?? { bytes: 0, sorts: 0 }

  function add(caller: string, bytes: number, more: number): void {
    const own = ownOf(caller)
    bytesInAll += bytes
    sorts += more
    const now = { bytes: own.bytes + bytes, sorts: own.sorts + more }
    if (now.sorts === 0) held.delete(caller)
    else held.set(caller, now)
  }

  return {
    /** The files of one answer. */
    open(caller: string) {
      if (ownOf(caller).sorts >= bounds.sortsPerCaller || sorts >= bounds.sorts)
        throw full('Too many sorted answers are under way: wait until one is done.')
      add(caller, 0, 1)
      const open = new Set<TemporaryFile>()
      let isOpen = true

      async function close(file: TemporaryFile): Promise<void> {
        if (!open.delete(file)) return
        add(caller, -file.length, 0)
        await file.close()
      }

      function demandRoom(bytes: number): void {
        if (ownOf(caller).bytes + bytes <= bounds.bytesPerCaller && bytesInAll + bytes <= bounds.bytesInAll) return
        throw full(
          'So many items take more room to sort than is left: choose some with filter, or the first with limit.',
        )
      }

      return {
        make: async (): Promise<TemporaryFile> => {
          const file = await openFile()
          open.add(file)
          return file
        },
        async write(file: TemporaryFile, bytes: Uint8Array): Promise<void> {
          demandRoom(bytes.length)
          const before = file.length
          try {
            await file.write(bytes)
          } finally {
            add(caller, file.length - before, 0)
          }
        },
        close,
        async closeAll(): Promise<void> {
          if (!isOpen) return
          isOpen = false
          await Promise.all([...open].map(close))
          add(caller, 0, -1)
        },
      }
    },
  }
}

const full = (message: string) => new Failure('limited', 'rate-limit-exceeded', message, { retryAfterSeconds: 30 })
