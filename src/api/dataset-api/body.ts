/** Reads and decompresses the body of a request. The limit counts decompressed bytes. */
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import type { Hold } from '../../http/byte-budget.ts'
import { demand, Failure } from '../../lib/failure.ts'

export const maxBodyBytes = 9_437_184

/** Compression may make an incompressible body larger by this much. */
const maxPackingBytes = 65_536

export async function readBody(
  source: Readable | undefined,
  contentEncoding: string | undefined,
  hold: Hold,
  maxBytes = maxBodyBytes,
): Promise<Buffer> {
  const encoding = (contentEncoding ?? '').trim().toLowerCase() || 'identity'
  demand(
    ['identity', 'gzip', 'x-gzip', 'deflate', 'br', 'zstd'].includes(encoding),
    'invalid',
    'unsupported-content-encoding',
    'Content-Encoding must be one of gzip, deflate, br, zstd, identity.',
  )
  if (source === undefined) return Buffer.alloc(0)
  const isPacked = encoding !== 'identity'
  const most = maxBytes + (isPacked ? maxPackingBytes : 0)
  const packed = await readAll(source, most, hold, () => 'The body broke off.')
  return isPacked && packed.length > 0 ? unpack(packed, encoding, hold, maxBytes) : packed
}

/**
 * Uses events, since an iterator's promises took longer than the reading itself. Bytes beyond the limit are read and
 * dropped.
 */
function readAll(source: Readable, maxBytes: number, hold: Hold, explain: (error?: Error) => string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    source.on('data', (chunk: Buffer) => {
      const isOver = length > maxBytes
      length += chunk.length
      if (length <= maxBytes) {
        chunks.push(chunk)
        const waiting = hold.take(chunk.length)
        if (!waiting) return
        source.pause()
        waiting.then(() => source.resume(), reject)
      } else if (!isOver)
        reject(new Failure('invalid', 'request-too-large', explainTooLarge([...chunks, chunk], maxBytes)))
    })
    source.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    const fail = (error?: Error) => {
      if (!source.readableEnded) reject(new Failure('invalid', 'invalid-request', explain(error)))
    }
    source.on('error', fail).on('close', fail)
  })
}

function explainTooLarge(head: readonly Buffer[], maxBytes: number): string {
  return isOneItem(Buffer.concat(head), maxBytes)
    ? `One item is over ${maxBytes} bytes, the most that a push may have: split it, or leave a part of it out.`
    : `The body is over ${maxBytes} bytes: push fewer items at a time.`
}

/** Whether the first item of a body alone exceeds the limit of the whole body. */
function isOneItem(head: Buffer, maxBytes: number): boolean {
  let depth = 0
  let isText = false
  let isArray: boolean | undefined
  for (let at = 0; at < head.length; at++) {
    const byte = head[at]!
    if (isText) {
      if (byte === 0x5c) at++
      else if (byte === 0x22) isText = false
    } else if (byte === 0x22) isText = true
    else if (byte === 0x7b || byte === 0x5b) {
      isArray ??= byte === 0x5b
      depth++
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--
      if (depth === (isArray ? 1 : 0)) return at >= maxBytes
    }
  }
  return depth > 0
}

async function unpack(packed: Buffer, encoding: string, hold: Hold, maxBytes: number): Promise<Buffer> {
  const decoder = decoderOf(packed, encoding)
  decoder.end(packed)
  try {
    return await readAll(decoder, maxBytes, hold, (error) => `The body is not valid ${encoding}: ${error?.message}.`)
  } finally {
    decoder.destroy()
  }
}

function decoderOf(packed: Buffer, encoding: string) {
  if (encoding === 'br') return createBrotliDecompress()
  if (encoding === 'zstd') return createZstdDecompress()
  if (encoding !== 'deflate') return createGunzip()
  // RFC 1950: the header's method is 8 and its two bytes are a multiple of 31; without it the data is raw.
  const isWrapped = packed.length > 1 && (packed[0]! & 0x0f) === 8 && packed.readUInt16BE(0) % 31 === 0
  return isWrapped ? createInflate() : createInflateRaw()
}
