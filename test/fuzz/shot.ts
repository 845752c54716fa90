/** One thing that is done to the server: the bytes that are sent, how they are sent, and in whose words it must answer. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Random } from './random.ts'

export type Interface = 'judge' | 'forge' | 'git' | 'datasets' | 'oauth'

/**
 * - whole: sent at once, and every answer is read
 * - half: so many of its bytes are sent, then the connection is closed or reset
 * - reset: sent whole, reset when the answer begins
 * - unread: sent whole, nothing is read for a while, then reset
 * - slow: sent in pieces, read in pieces with pauses, then given up
 */
export type Manner = 'whole' | 'half' | 'reset' | 'unread' | 'slow'

export type Shot = {
  readonly about: string
  readonly wire: Interface
  readonly bytes: Buffer
  readonly manner: Manner
  /** For `half`: how many bytes, and whether the end is a reset. */
  readonly cutAt?: number
  readonly resets?: boolean
  /** The methods of the requests in it, in order: an answer to HEAD has no body. */
  readonly methods: readonly string[]
  /** What is no HTTP is answered in the forge's words. */
  readonly isMalformed: boolean
  /** More of it is to come that never does: it need not be answered. */
  readonly isUnfinished?: boolean
}

export type RequestParts = {
  readonly method: string
  readonly path: string
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: string | Buffer | undefined
  readonly version?: '1.0' | '1.1'
  readonly host?: string | null
  /** The body goes out in chunks, without its length. */
  readonly isChunked?: boolean
  /** Whether the connection stays open for another request. */
  readonly isKept?: boolean
}

export function writeRequest(parts: RequestParts): Buffer {
  const { method, path, headers = [], version = '1.1', host = 'localhost', isChunked, isKept } = parts
  const body = parts.body === undefined ? undefined : Buffer.from(parts.body as string)
  const lines = [`${method} ${path} HTTP/${version}`]
  if (host !== null) lines.push(`Host: ${host}`)
  if (!isKept) lines.push('Connection: close')
  for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  if (body && !isChunked) lines.push(`Content-Length: ${body.length}`)
  if (body && isChunked) lines.push('Transfer-Encoding: chunked')
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  if (!body) return head
  return Buffer.concat(isChunked ? [head, ...writeChunks(body)] : [head, body])
}

function writeChunks(body: Buffer): Buffer[] {
  const size = Math.max(1, Math.ceil(body.length / 3))
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size)
    chunks.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return [...chunks, Buffer.from('0\r\n\r\n')]
}

const packers = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync } as const

/** A little that becomes 64 MiB when it is unpacked; made when it is first wanted. */
const bombs: Record<string, Buffer | undefined> = {}
function bombOf(encoding: keyof typeof packers): Buffer {
  bombs[encoding] ??= packers[encoding](Buffer.alloc(64 * 1024 * 1024))
  return bombs[encoding]
}

/** The body as it stands, packed, packed wrongly, or so that a little becomes much. */
export function drawEncoding(
  random: Random,
  body: string | Buffer | undefined,
): { body: string | Buffer | undefined; headers: readonly (readonly [string, string])[] } {
  if (body === undefined || random.isChance(0.8)) return { body, headers: [] }
  const encoding = random.pick(['gzip', 'x-gzip', 'deflate', 'br'] as const)
  const headers = [['Content-Encoding', encoding]] as const
  const chance = random.below(10)
  if (chance === 0) return { body: bombOf(encoding), headers }
  if (chance === 1) return { body, headers }
  if (chance === 2) return { body, headers: [['Content-Encoding', random.pick(['zstd', 'gzip, br', '', 'identity'])]] }
  const packed = packers[encoding](body)
  if (chance === 3) return { body: packed.subarray(0, random.below(packed.length)), headers }
  return { body: packed, headers }
}

export const contentTypes: readonly string[] = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/x-git-receive-pack-request',
  'x',
  '/',
  ';;;',
  'application/json, text/html',
  '\xff\xfe',
]

export const accepts: readonly string[] = [
  '*/*',
  'text/html',
  'application/json',
  'application/vnd.platform+json',
  'application/vnd.platform.raw',
  'application/vnd.platform.diff',
  'application/vnd.platform.patch',
  'application/vnd.platform.sha',
  'application/vnd.platform.object',
  'application/vnd.platform.repository+json',
  ';q=x',
  `${'a/b,'.repeat(500)}c`,
  '\xff',
]

/** Headers that say too much, the wrong thing, or something twice. */
export function drawHeaders(random: Random): (readonly [string, string])[] {
  const odd: readonly (readonly [string, string])[] = [
    ['Content-Type', random.pick(contentTypes)],
    ['Accept', random.pick(accepts)],
    ['Accept-Encoding', random.pick(['gzip', 'br;q=0', '*', 'x'])],
    ['If-None-Match', random.pick(['*', '"x"', 'W/"x", "y"', ','.repeat(3_000)])],
    ['If-Modified-Since', random.pick(['Thu, 01 Jan 1970 00:00:00 GMT', 'yesterday', '9'.repeat(50)])],
    ['If-Match', '"x"'],
    ['If-Range', '"x"'],
    ['Range', random.pick(['bytes=0-0', 'bytes=5-', 'bytes=-5', 'bytes=9999999999999999999-', 'bytes=1-0', 'x'])],
    ['Expect', random.pick(['100-continue', 'nonsense'])],
    ['Upgrade', 'websocket'],
    ['Origin', random.pick(['null', 'http://evil.example', 'http://localhost'])],
    ['Sec-Fetch-Site', random.pick(['cross-site', 'same-origin', 'x'])],
    ['X-Platform-Api-Version', random.pick(['2022-11-28', '1999-01-01', '', 'x'])],
    ['X-GitHub-Api-Version', random.pick(['2022-11-28', '1999-01-01', 'x'])],
    ['X-Http-Method-Override', 'DELETE'],
    ['X-Forwarded-For', random.pick(['1.2.3.4', 'x', '1.2.3.4, 5.6.7.8'])],
    ['X-Forwarded-Proto', 'javascript'],
    ['Git-Protocol', random.pick(['version=2', 'version=9', 'x'.repeat(500), '; touch x'])],
    ['Cookie', random.pick(['guildhall_session=x', 'guildhall_session=', 'a; b=; =c', 'x='.repeat(1_000)])],
    ['X-Long', 'y'.repeat(random.pick([10, 4_000, 15_000, 17_000]))],
  ]
  return random.some(odd, random.isChance(0.5) ? 0 : 4)
}
