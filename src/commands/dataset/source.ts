/** The file to push: unpacks gzip and zstd, and tells how much was read. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { OperatorError } from '../../lib/failure.ts'

export type Source = {
  /** The name in messages. */
  readonly name: string
  readonly bytes: AsyncIterable<Buffer>
  /** The share of the file that was read, from 0 to 1; undefined if its size is unknown. */
  fraction(): number | undefined
}

export type ItemFormat = 'json' | 'csv' | 'tsv'

/** By the file's name, ignoring the ending of the compression. */
export function guessFormat(file: string): ItemFormat {
  const ending = /\.(csv|tsv)(?:\.(?:gz|zst))?$/i.exec(file)?.[1]?.toLowerCase()
  return ending === 'csv' || ending === 'tsv' ? ending : 'json'
}

/** `-` is the standard input. */
export async function openSource(file: string): Promise<Source> {
  if (file === '-') return { name: 'the standard input', bytes: unpack(process.stdin, file), fraction: () => undefined }
  const size = await stat(file).then(
    (found) => found.size,
    (error) => {
      throw unreadable(file, error)
    },
  )
  let read = 0
  async function* count(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
        read += chunk.length
        yield chunk
      }
    } catch (error) {
      throw unreadable(file, error)
    }
  }
  return { name: file, bytes: unpack(count(), file), fraction: () => (size > 0 ? read / size : undefined) }
}

const unreadable = (file: string, error: unknown) =>
  new OperatorError(`${file} can't be read (${(error as NodeJS.ErrnoException).code}).`)

const packings = [
  { name: 'gzip', ending: /\.gz$/i, magic: Buffer.from([0x1f, 0x8b]), open: createGunzip },
  { name: 'zstd', ending: /\.zst$/i, magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), open: createZstdDecompress },
]
const magicLength = 4

/** Detects compression by the first bytes, because a name may be wrong or missing. */
export async function* unpack(source: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  const whole = source[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < magicLength) {
    const { value, done } = await whole.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  async function* all(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head
    for (let next = await whole.next(); !next.done; next = await whole.next()) yield next.value
  }
  const packing = packings.find(({ magic }) => head.subarray(0, magic.length).equals(magic))
  const named = packings.find(({ ending }) => ending.test(file))
  if (named && named !== packing) throw new OperatorError(`${file} is not ${named.name}, though its name says so.`)
  if (!packing) {
    yield* all()
    return
  }
  const { Readable } = await import('node:stream')
  const packed = Readable.from(all())
  const decoder = packing.open()
  packed.on('error', (error) => decoder.destroy(error))
  packed.pipe(decoder)
  try {
    for await (const chunk of decoder) yield chunk
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      `${file} is broken: as ${packing.name} it ends or goes wrong (${(error as Error).message}).`,
    )
  } finally {
    packed.destroy()
  }
}
