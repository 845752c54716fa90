/** Pushes the items of a file: JSON lines as they are read, or one JSON array. */
import { OperatorError } from '../../base/failure.ts'
import { scanItems } from '../../datasets/items/scan.ts'
import type { Progress } from './progress.ts'
import { type Remote, refusalOf } from './server.ts'

const maxItems = 1_000
const maxBytes = 4 * 1024 * 1024
const lineFeed = 0x0a

export type Upload = { readonly items: number; readonly bytes: number }

export async function uploadItems(
  remote: Remote,
  dataset: string,
  source: AsyncIterable<Buffer>,
  progress: Progress,
): Promise<Upload> {
  let items = 0
  let bytes = 0
  for await (const lines of batchLines(source)) {
    await pushBatch(remote, dataset, Buffer.from(`[${lines.join(',')}]`), items)
    items += lines.length
    bytes += lines.reduce((sum, line) => sum + line.length, 0)
    progress.show({ items, bytes })
  }
  return { items, bytes }
}

/** A refused push has stored nothing and may be repeated; one without an answer is not repeated, since it might be stored twice. */
async function pushBatch(remote: Remote, dataset: string, body: Buffer, before: number): Promise<void> {
  for (;;) {
    const response = await remote.send('POST', `/datasets/${encodeURIComponent(dataset)}/items`, { body })
    if (response.status === 429) {
      await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get('retry-after') ?? 1)))
      continue
    }
    if (response.status === 201) return
    const { message } = await refusalOf(response)
    throw new OperatorError(`${before.toLocaleString('en')} items are stored, the next batch was refused: ${message}`)
  }
}

async function* batchLines(source: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let batch: string[] = []
  let size = 0
  for await (const line of eachLine(source)) {
    if (line.trim() === '') continue
    if (batch.length >= maxItems || (size > 0 && size + line.length > maxBytes)) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(line)
    size += Buffer.byteLength(line)
  }
  if (batch.length > 0) yield batch
}

/** An array is read as a whole and split; anything else is read as lines. */
async function* eachLine(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  let isArray: boolean | undefined
  for await (const chunk of source) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    isArray ??= isArrayStart(rest)
    if (isArray !== false) continue
    const end = rest.lastIndexOf(lineFeed) + 1
    if (end > 0) yield* rest.toString('utf8', 0, end).split('\n')
    rest = rest.subarray(end)
  }
  const text = isArray ? scanItems(Buffer.from(rest)).lines.toString() : rest.toString()
  yield* text.split('\n')
}

function isArrayStart(bytes: Buffer): boolean | undefined {
  const first = /[^\s\ufeff]/.exec(bytes.toString('utf8', 0, 64))?.[0]
  return first === undefined ? undefined : first === '['
}
