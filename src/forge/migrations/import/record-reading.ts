/** Reading the records of an unpacked archive, one file of a hundred at a time. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Definition } from './definitions/definition.ts'
import { Fields } from './fields.ts'
import { parseJson } from './json.ts'
import { demandImport } from './refusal.ts'
import { nameOfRecords, type UnpackedArchive } from './unpacking.ts'

export type Placed<R> = { readonly record: R; readonly place: string }

export async function* readRecords<R>(
  { folder, recordFiles }: UnpackedArchive,
  { type, read }: Definition<R>,
): AsyncGenerator<Placed<R>[]> {
  const count = recordFiles.get(type) ?? 0
  for (let number = 1; number <= count; number++) {
    const name = nameOfRecords(type, number)
    const records = parseJson(await readFile(join(folder, name)), name)
    demandImport(Array.isArray(records) && records.length <= maxPerFile, `${name} is no list of records.`)
    yield records.map((given, at) => {
      const place = `${name}, record ${at + 1}`
      const fields = new Fields(given, place)
      demandImport(fields.members.type === type, `${place} is no ${type}.`)
      return { record: read(fields), place }
    })
    // Others have their turn between two files, however fast the disk is.
    await yieldTurn()
  }
}

/** Of what there is little of. */
export async function readAll<R>(archive: UnpackedArchive, definition: Definition<R>): Promise<R[]> {
  const all: R[] = []
  for await (const placed of readRecords(archive, definition)) for (const { record } of placed) all.push(record)
  return all
}

/** What one statement can insert. */
const maxPerFile = 1_000
