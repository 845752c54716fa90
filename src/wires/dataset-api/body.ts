/** The body of a request: decoded as its header says, and never longer than the limit, however small it came. */
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { demand, Failure } from '../../base/failure.ts'

export const maxBodyBytes = 9_437_184

/** What packing may add to a body that it can't make smaller. */
const maxPackingBytes = 65_536

export async function readBody(source: Readable | undefined, contentEncoding: string | undefined): Promise<Buffer> {
  const encoding = (contentEncoding ?? '').trim().toLowerCase() || 'identity'
  demand(
    ['identity', 'gzip', 'x-gzip', 'deflate', 'br'].includes(encoding),
    'invalid',
    'unsupported-content-encoding',
    'Content-Encoding must be one of gzip, deflate, br, identity.',
  )
  if (source === undefined) return Buffer.alloc(0)
  if (encoding === 'identity') return readAll(source, maxBodyBytes)
  const packed = await readAll(source, maxBodyBytes + maxPackingBytes)
  return packed.length === 0 ? packed : unpack(packed, encoding)
}

async function readAll(source: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of source) {
    length += chunk.length
    demand(length <= maxBytes, 'invalid', 'request-too-large', tooLarge)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

const tooLarge = `The body is over ${maxBodyBytes} bytes: push fewer items at a time.`

async function unpack(packed: Buffer, encoding: string): Promise<Buffer> {
  const decoder = decoderOf(packed, encoding)
  decoder.end(packed)
  try {
    return await readAll(decoder, maxBodyBytes)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('invalid', 'invalid-request', `The body is not valid ${encoding}: ${(error as Error).message}.`)
  } finally {
    decoder.destroy()
  }
}

function decoderOf(packed: Buffer, encoding: string) {
  if (encoding === 'br') return createBrotliDecompress()
  if (encoding !== 'deflate') return createGunzip()
  // RFC 1950: the header's method is 8 and its two bytes are a multiple of 31; without it the data is raw.
  const isWrapped = packed.length > 1 && (packed[0]! & 0x0f) === 8 && packed.readUInt16BE(0) % 31 === 0
  return isWrapped ? createInflate() : createInflateRaw()
}
