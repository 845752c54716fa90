/** Unpacks an archive, which may be broken or hostile, into an empty folder, and writes nothing outside it. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { type Entry, extract } from 'tar-stream'
import { OperatorError } from '../../lib/failure.ts'
import { asidePrefix, databaseFile, isTemporary } from '../../store/files/data-folder.ts'
import { type FileList, formatNumber, listFile } from './archive.ts'
import { rowsFolder } from './rows.ts'

/** Enough for a list of millions of files, and too little to fill the memory. */
const maxListBytes = 512 * 1024 * 1024

export async function unpackArchive(archive: string, folder: string): Promise<{ count: number }> {
  const found: FileList = {}
  let list: FileList | undefined
  try {
    for await (const entry of readEntries(archive)) {
      const name = checkName(entry.header.name)
      if (entry.header.type === 'directory') {
        await mkdir(join(folder, name), { recursive: true, mode: 0o700 })
        entry.resume()
      } else if (entry.header.type !== 'file') {
        throw new OperatorError(`it holds ${JSON.stringify(name)}, which is neither a file nor a folder`)
      } else if (name === listFile) list = await readList(entry)
      else found[name] = await writeEntry(entry, join(folder, name))
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new OperatorError(
      `${archive} is not a whole backup: ${code === 'EEXIST' ? 'it holds a name twice' : message}.`,
    )
  }
  compare(archive, list, found)
  return { count: Object.keys(found).length }
}

async function* readEntries(archive: string): AsyncGenerator<Entry> {
  const source = createReadStream(archive)
  const unzipped = createGunzip()
  const entries = extract()
  source.on('error', (error) => entries.destroy(error))
  unzipped.on('error', (error) => entries.destroy(error))
  source.pipe(unzipped).pipe(entries as unknown as NodeJS.WritableStream)
  try {
    yield* entries as AsyncIterable<Entry>
  } finally {
    source.destroy()
    unzipped.destroy()
  }
}

/** Accepts plain paths below the folder. Links are never created, so no entry can escape through an earlier one. */
function checkName(given: string): string {
  const name = given.replace(/\/$/, '')
  const parts = name.split('/')
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..') && !/[\0\\]/.test(name)
  const isReserved = isTemporary(parts[0]!) || parts[0]!.startsWith(asidePrefix) || /^guildhall\.db-/.test(parts[0]!)
  if (!isPlain || isReserved) throw new OperatorError(`it holds a name that no backup has, ${JSON.stringify(given)}`)
  return name
}

async function writeEntry(entry: Entry, path: string): Promise<readonly [number, string]> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  let size = 0
  const file = await open(path, 'wx', (entry.header.mode ?? 0) & 0o100 ? 0o700 : 0o600)
  try {
    for await (const chunk of entry as AsyncIterable<Buffer>) {
      hash.update(chunk)
      size += chunk.length
      await file.writeFile(chunk)
    }
  } finally {
    await file.close()
  }
  return [size, hash.digest('hex')]
}

async function readList(entry: Entry): Promise<FileList> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of entry as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxListBytes) throw new OperatorError('its list of files is too long')
    chunks.push(chunk)
  }
  const { format, files } = JSON.parse(Buffer.concat(chunks).toString()) ?? {}
  if (!Number.isInteger(format) || format < 1 || format > formatNumber)
    throw new OperatorError(`it has the format ${format}, which this Guildhall does not know`)
  if (typeof files !== 'object' || files === null) throw new OperatorError('its list of files is broken')
  return files
}

/** Archives of the first format have the SQLite file itself. */
const hasDatabase = (found: FileList): boolean =>
  found[databaseFile] !== undefined || found[`${rowsFolder}/head.json`] !== undefined

function compare(archive: string, list: FileList | undefined, found: FileList): void {
  const names = new Set([...Object.keys(list ?? {}), ...Object.keys(found)])
  const wrong = [...names].find((name) => String(list?.[name]) !== String(found[name]))
  if (list && wrong === undefined && hasDatabase(found)) return
  const reason = !list ? 'its end is missing' : wrong === undefined ? 'it has no database' : `${wrong} is not as it was`
  throw new OperatorError(`${archive} is not a whole backup: ${reason}.`)
}
