/** The rows of the database in a backup: files of a few megabytes, and one that describes them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../lib/failure.ts'
import type { DumpHead, DumpSource, DumpTable } from '../../store/dump/dump.ts'
import type { Archive } from './archive.ts'

/** A name that the data folder does not use itself. */
export const rowsFolder = 'guildhall.rows'
const headFile = 'head.json'

type StoredHead = DumpHead & {
  readonly installationId: string
  /** The number of files per table. */
  readonly pieces: Readonly<Record<string, number>>
}

const pieceName = (table: string, number: number): string => `${table}.${number}`

export async function addRows(archive: Archive, source: DumpSource, installationId: string): Promise<void> {
  const pieces: Record<string, number> = {}
  for (const table of source.head.tables) {
    let count = 0
    for await (const piece of source.rows(table)) {
      await archive.addBytes(`${rowsFolder}/${pieceName(table.name, ++count)}`, piece)
    }
    pieces[table.name] = count
  }
  const head: StoredHead = { ...source.head, installationId, pieces }
  await archive.addBytes(`${rowsFolder}/${headFile}`, Buffer.from(JSON.stringify(head)))
}

/** Reads an archive that was unpacked and verified. */
export async function readRows(folder: string): Promise<DumpSource & { readonly installationId: string }> {
  const head: StoredHead = JSON.parse(await readFile(join(folder, rowsFolder, headFile), 'utf8'))
  const names = head.tables.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)])
  if (!names.every((name) => /^[a-z][a-z0-9_]*$/.test(name)))
    throw new OperatorError('The backup names tables that no Guildhall has.')
  return {
    head,
    installationId: head.installationId,
    async *rows({ name }: DumpTable) {
      for (let number = 1; number <= (head.pieces[name] ?? 0); number++) {
        yield await readFile(join(folder, rowsFolder, pieceName(name, number)))
      }
    },
  }
}
