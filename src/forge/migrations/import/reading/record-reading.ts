/** Reads the records of an unpacked archive in batches. */
import type { Definition } from '../definitions/definition.ts'
import { demandImport } from '../refusal.ts'
import type { Placed } from './file-parsing.ts'
import { nameOfRecords, type UnpackedArchive } from './unpacking.ts'

export async function* readRecords<R>(
  { folder, recordFiles, reader }: UnpackedArchive,
  { type }: Definition<R>,
): AsyncGenerator<readonly Placed<R>[]> {
  const count = recordFiles.get(type) ?? 0
  for (let number = 1; number <= count; number++)
    for await (const { items } of reader.read({ folder, name: nameOfRecords(type, number), type }))
      yield items as readonly Placed<R>[]
}

const mib = 1024 * 1024
/** The text of accounts, teams and repositories, which are held in memory: some hundred thousand of them. */
const maxHeldBytes = 256 * mib

/** Reads all records of a type of which there are few. */
export async function readAll<R>(
  { folder, recordFiles, reader }: UnpackedArchive,
  { type }: Definition<R>,
): Promise<R[]> {
  const all: R[] = []
  let held = 0
  const count = recordFiles.get(type) ?? 0
  for (let number = 1; number <= count; number++)
    for await (const { items, bytes } of reader.read({ folder, name: nameOfRecords(type, number), type })) {
      held += bytes
      demandImport(
        held <= maxHeldBytes,
        `The archive holds more than ${maxHeldBytes / mib} MiB of records of ${type}s.`,
      )
      for (const { record } of items as readonly Placed<R>[]) all.push(record)
    }
  return all
}
