/** Writes translated records as files of our own form. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ExportRecord, perFile, type RecordType } from '../../records/record-files.ts'
import { nameOfRecords } from '../reading/unpacking.ts'

export type RecordWriter = ReturnType<typeof makeRecordWriter>

export function makeRecordWriter(folder: string) {
  const held = new Map<RecordType, ExportRecord[]>()
  const counts = new Map<RecordType, number>()

  function write(type: RecordType, records: readonly ExportRecord[]): void {
    const number = (counts.get(type) ?? 0) + 1
    counts.set(type, number)
    // One record a line: a record may have the length of many.
    const text = `[${records.map((record) => JSON.stringify(record)).join(',\n')}]`
    writeFileSync(join(folder, nameOfRecords(type, number)), text, { flag: 'wx', mode: 0o600 })
  }

  return {
    add(record: ExportRecord): void {
      const records = held.get(record.type) ?? []
      records.push(record)
      held.set(record.type, records)
      if (records.length < perFile) return
      held.delete(record.type)
      write(record.type, records)
    },

    /** The number of files of each type. */
    finish(): ReadonlyMap<RecordType, number> {
      for (const [type, records] of held) write(type, records)
      held.clear()
      return counts
    },
  }
}
