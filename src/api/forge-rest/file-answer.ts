/** Responses with stored files: whole, or the requested range. */
import type { Readable } from 'node:stream'
import { type ByteRange, readRange } from '../byte-range.ts'
import type { RestAnswer } from './rest-answer.ts'
import type { ForgeCall } from './route.ts'

type ServedFile = {
  readonly hash: string
  readonly size: number
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  open(range: ByteRange | undefined): Promise<Readable | Buffer>
}

/** The file's hash is its ETag, so that an interrupted download can be resumed. */
export function serveFile(
  call: Pick<ForgeCall, 'header'>,
  { hash, size, type, headers, open }: ServedFile,
): RestAnswer {
  const etag = `"${hash}"`
  const all = { ...headers, 'accept-ranges': 'bytes' }
  const range = readRange(call.header('range'), call.header('if-range'), { etag, length: size })
  if (range === 'unsatisfiable') {
    const body = { message: 'The file has no such range.', status: '416' }
    return { status: 416, headers: { ...all, 'content-range': `bytes */${size}` }, body }
  }
  if (!range) {
    return {
      status: 200,
      headers: all,
      raw: { type, length: size, etag, bytes: () => open(undefined) },
    }
  }
  const { start, end } = range
  return {
    status: 206,
    headers: { ...all, 'content-range': `bytes ${start}-${end}/${size}` },
    raw: { type, length: end - start + 1, etag, bytes: () => open(range) },
  }
}
