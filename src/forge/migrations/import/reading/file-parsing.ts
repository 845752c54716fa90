/** Parses the files of an archive that hold lists. A batch takes the main thread some milliseconds to receive. */
import { join } from 'node:path'
import { perFile, type RecordType } from '../../records/record-files.ts'
import { readingOf } from '../definitions/definitions.ts'
import { demandImport } from '../refusal.ts'
import { Fields } from './fields.ts'
import { type ListedElement, parseList } from './json.ts'

const kib = 1024
/** Room for two texts or lists of the maximum length, at three bytes a character. */
const maxRecordBytes = 8 * kib * kib
/** Room for a name of a thousand characters, all escaped. */
const maxListedBytes = 16 * kib
const batchBytes = 256 * kib
const batchCount = 500

export type Placed<R> = { readonly record: R; readonly place: string }
export type Listed = { readonly path: unknown; readonly sha256: unknown; readonly bytes: unknown }
/** `bytes`: the size of the text that the items were parsed from. */
export type Batch = { readonly items: readonly unknown[]; readonly bytes: number }

/** The content of a file: records of one type or, for the manifest, at most so many names. */
export type FileRequest =
  | { readonly folder: string; readonly name: string; readonly type: RecordType }
  | { readonly folder: string; readonly name: string; readonly maxListed: number }

export function* parseFile(request: FileRequest): Generator<Batch> {
  let items: unknown[] = []
  let bytes = 0
  for (const one of 'type' in request ? parseRecords(request) : parseManifest(request)) {
    items.push(one.value)
    bytes += one.bytes
    if (items.length < batchCount && bytes < batchBytes) continue
    yield { items, bytes }
    items = []
    bytes = 0
  }
  if (items.length > 0) yield { items, bytes }
}

function* parseRecords({ folder, name, type }: Extract<FileRequest, { type: RecordType }>): Generator<ListedElement> {
  const bounds = { maxElements: perFile, maxElementBytes: maxRecordBytes, what: 'records' }
  const demandList = (value: unknown) => demandImport(Array.isArray(value), `${name} is not a list of records.`)
  let number = 0
  for (const { value, bytes } of parseList(join(folder, name), name, bounds, demandList)) {
    const place = `${name}, record ${++number}`
    const fields = new Fields(value, place)
    demandImport(fields.members.type === type, `${place} is no ${type}.`)
    const placed: Placed<unknown> = { record: readingOf.get(type)!.read(fields), place }
    yield { value: placed, bytes }
  }
}

function* parseManifest({
  folder,
  name,
  maxListed,
}: Extract<FileRequest, { maxListed: number }>): Generator<ListedElement> {
  const bounds = { maxElements: maxListed, maxElementBytes: maxListedBytes, what: 'files' }
  const demandFiles = (value: unknown) =>
    demandImport(Array.isArray((value as { files?: unknown }).files), `${name} lists no files.`)
  for (const { value, bytes } of parseList(join(folder, name), name, bounds, demandFiles)) {
    const { path, sha256, bytes: size } = value as Listed
    yield { value: { path, sha256, bytes: size } satisfies Listed, bytes }
  }
}
