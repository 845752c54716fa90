/** Pushes the items of a file in batches. Each batch has its own key, so that a repeated batch is stored once. */
import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ScannedItems, scanItems } from '../../datasets/items/scan.ts'
import { Failure, OperatorError } from '../../lib/failure.ts'
import { plural } from '../../lib/text/plural.ts'
import { notUtf8 } from '../../lib/text/utf8.ts'
import type { Progress } from './progress.ts'
import { beginningOf, type FileItem, maxItemBytes, tooLong } from './read-items.ts'
import { type Remote, readError } from './server.ts'

const maxItems = 1_000
const maxBytes = 4 * 1024 * 1024
const maxTries = 6

/** `storedBefore`: items stored by an earlier run, which are not stored again. */
export type Upload = { readonly items: number; readonly bytes: number; readonly storedBefore: number }

export type UploadPlan = {
  /**
   * The id, or a function that finds or makes the data set once there is something to push: a refused file leaves no
   * empty data set behind.
   */
  readonly dataset: string | (() => Promise<string>)
  /** The file's name in messages. */
  readonly name: string
  /** The base for keys, besides each batch: the same file gives the same keys. Null: keys of this run alone. */
  readonly keyBase: string | null
  fraction?(): number | undefined
}

export async function uploadItems(
  remote: Remote,
  { dataset, name, keyBase, fraction }: UploadPlan,
  source: AsyncIterable<FileItem>,
  progress: Progress,
): Promise<Upload> {
  const base = keyBase ?? randomUUID()
  let items = 0
  let bytes = 0
  let storedBefore = 0
  let number = 0
  let id: string | undefined
  const fail = (message: string): OperatorError => {
    const stored =
      items === 0 ? 'Nothing is stored' : `${plural(items, 'item')} before it ${items === 1 ? 'is' : 'are'} stored`
    const again = keyBase === null ? '' : ': run the same command again, which stores none twice'
    return new OperatorError(`${message} ${stored}${items === 0 ? '' : again}.`)
  }
  try {
    for await (const batch of gatherBatches(source, name)) {
      const body = joinItems(batch)
      const lines = demandItems(batch, body, name)
      const key = createHash('sha256').update(`${base}\n${number++}\n`).update(lines).digest('base64url')
      id ??= typeof dataset === 'string' ? dataset : await dataset()
      const isNew = await pushBatch(remote, id, { batch, body, key, name })
      items += batch.length
      if (!isNew) storedBefore += batch.length
      bytes += body.length
      progress.show({ items, bytes, fraction: fraction?.() })
    }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    throw fail(error.message)
  }
  return { items, bytes, storedBefore }
}

async function* gatherBatches(source: AsyncIterable<FileItem>, name: string): AsyncGenerator<FileItem[]> {
  let batch: FileItem[] = []
  let size = 0
  try {
    for await (const item of source) {
      const { length } = item.json
      if (length > maxItemBytes) throw tooLong(name, item.line, length)
      if (batch.length >= maxItems || (size > 0 && size + length > maxBytes)) {
        yield batch
        batch = []
        size = 0
      }
      batch.push(item)
      size += length + 1
    }
  } catch (error) {
    // Items before the fault are pushed all the same.
    if (batch.length > 0) yield batch
    throw error
  }
  if (batch.length > 0) yield batch
}

const comma = Buffer.from(',')
const joinItems = (batch: readonly FileItem[]): Buffer =>
  Buffer.concat([
    Buffer.from('['),
    ...batch.flatMap(({ json }, i) => (i === 0 ? [json] : [comma, json])),
    Buffer.from(']'),
  ])

/**
 * Finds a bad line before it is sent: the server knows items, not lines, and a line may hold parts of two. Answers the
 * items in their stored form, which does not change if an editor changes line ends or white space.
 */
function demandItems(batch: readonly FileItem[], body: Buffer, name: string): Buffer {
  const scanned = scan(body)
  if (typeof scanned !== 'string' && scanned.count === batch.length && batch.every(({ json }) => isObject(json)))
    return scanned.lines
  for (const { json, line } of batch) {
    const found = scan(joinItems([{ json, line }]))
    const what = typeof found === 'string' ? found : describeCount(found.count, json)
    if (what) throw new OperatorError(`${name}, line ${line}: ${what}. It begins: ${beginningOf(json)}\n`)
  }
  throw new OperatorError(`${name} can't be read from line ${batch[0]!.line} on.`)
}

function describeCount(count: number, json: Buffer): string | null {
  if (count !== 1) return `${count} items: put each on its own line`
  return isObject(json) ? null : 'not a JSON object'
}

const isObject = (json: Buffer) => /^\s*\{/.test(json.toString('latin1', 0, 64))

/** The items of a body, or the fault in it. */
function scan(body: Buffer): ScannedItems | string {
  try {
    return scanItems(Buffer.from(body))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return error.message
      .replace(/^The body is not valid JSON: /, 'not valid JSON: ')
      .replace(/^The body is not valid UTF-8.*/, `it is ${notUtf8}`)
      .replace(/^Item \d+ is /, '')
      .replace(/,? in item \d+|: every item must be one/g, '')
      .replace(/\.$/, '')
  }
}

type Sending = {
  readonly batch: readonly FileItem[]
  readonly body: Buffer
  readonly key: string
  readonly name: string
}

/** Answers whether the batch is new. Its key makes it safe to send again if no answer came. */
async function pushBatch(remote: Remote, dataset: string, { batch, body, key, name }: Sending): Promise<boolean> {
  const headers = { 'idempotency-key': key }
  for (let attempt = 1; ; attempt++) {
    const answer = await remote
      .send('POST', `/datasets/${encodeURIComponent(dataset)}/items`, { body, headers })
      .catch(async (error) => {
        if (attempt >= maxTries) throw error
        await sleep(100 * 2 ** attempt)
        return null
      })
    if (answer === null) continue
    if (answer.status === 201) return answer.headers.get('idempotency-replayed') !== 'true'
    if (answer.status === 429 || answer.status === 503) {
      if (answer.status === 503 && attempt >= maxTries) throw new OperatorError((await readError(answer)).message)
      await sleep(1000 * Number(answer.headers.get('retry-after') ?? 1))
      continue
    }
    const { message, itemPosition } = await readError(answer)
    const bad = itemPosition === undefined ? undefined : batch[itemPosition]
    throw new OperatorError(
      bad ? `${name}, line ${bad.line}: ${message} It begins: ${beginningOf(bad.json)}\n` : message,
    )
  }
}
