/** Large bodies: read in pieces, they are what JSON.parse would have made of them. */
import assert from 'node:assert/strict'
import { readdirSync, readSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { decodeBase64 } from '../../../src/api/judge-rpc/uploads/base64.ts'
import { readLargeBody, type Upload } from '../../../src/api/judge-rpc/uploads/large-body.ts'
import { makeTemporaryFiles, type TemporaryFiles } from '../../../src/store/files/temporary-files.ts'
import { damage, harm, parseWhole as parse, part, spell } from '../../support/spelled-json.ts'

const base64Text = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64'))
const almostBase64 = fc.array(fc.constantFrom(...'AQgw+/=-_ \n"\\é💥')).map((characters) => characters.join(''))
const uploadText = fc.oneof(
  { weight: 4, arbitrary: base64Text },
  fc.tuple(base64Text, base64Text).map((texts) => texts.join('')),
  { weight: 2, arbitrary: almostBase64 },
  fc.string({ unit: 'binary' }),
)
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constant('ZippedTestData') },
  fc.constantFrom('params', 'ZippedTestDat', 'a"b\\', ''),
)

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 6, arbitrary: uploadText },
    { weight: 3, arbitrary: tie('object') },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.jsonValue(),
  ),
  object: fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((members) => ({ members })),
}))
const body = fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 4 }).map((members) => ({ members }))

const spelledJson = fc
  .tuple(body, fc.infiniteStream(part))
  .map(([given, stream]) => Buffer.from(spell(given, () => stream.next().value)))

function cut(body: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((at) => Math.floor(at * body.length)), body.length].sort((a, b) => a - b)
  return ends.map((end, i) => body.subarray(i === 0 ? 0 : ends[i - 1], end)).filter((chunk) => chunk.length > 0)
}

const longBytes = 4

describe('a large body', () => {
  let folder: string
  let files: TemporaryFiles
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildhall-test-'))
    files = makeTemporaryFiles(folder)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const read = (chunks: Iterable<Buffer>, change: object = {}) =>
    readLargeBody(Readable.from(chunks), {
      maxBytes: 10_000_000,
      longBytes,
      isAnonymous: false,
      openFile: files.open,
      take: () => {},
      takeFile: () => {},
      ...change,
    })

  test('cut into any chunks is what JSON.parse makes of it whole, with its uploads decoded', async () => {
    const places = fc.array(part, { maxLength: 12 })
    const damages = fc.array(damage, { maxLength: 1 })
    await fc.assert(
      fc.asyncProperty(spelledJson, places, damages, async (whole, cuts, harms) => {
        const body = harms.reduce(harm, whole)
        const { rest, uploads, close } = await read(cut(body, cuts))
        try {
          const expected = parse(body)
          const found = parse(rest)
          assert.equal(found === undefined, expected === undefined, body.toString())
          if (expected !== undefined) compare(found, expected, uploads)
        } finally {
          await close()
        }
      }),
      { numRuns: 1_000 },
    )
  })

  /** Where a mark stands, the upload is what the text says: its bytes, or that it is not base64. */
  function compare(found: unknown, expected: unknown, uploads: ReadonlyMap<string, Upload>): void {
    const upload = typeof found === 'string' ? uploads.get(found) : undefined
    if (upload) {
      assert.deepEqual(bytesOf(upload), decodeBase64(expected as string))
      if (upload.bytes) assert.equal(upload.textBytes, Buffer.byteLength(expected as string))
    } else if (typeof found === 'object' && found !== null) {
      assert.deepEqual(Object.keys(found), Object.keys(expected as object))
      for (const [key, one] of Object.entries(found)) {
        const given = (expected as Record<string, unknown>)[key]
        const isLong = typeof given === 'string' && Buffer.byteLength(given) >= longBytes
        if (key === 'ZippedTestData' && isLong) assert.ok(uploads.has(one), 'a long upload stayed in memory')
        compare(one, given, uploads)
      }
    } else {
      assert.deepEqual(found, expected)
    }
  }

  function bytesOf({ bytes }: Upload): Buffer | undefined {
    if (bytes === undefined || Buffer.isBuffer(bytes)) return bytes
    const content = Buffer.alloc(bytes.length)
    assert.equal(readSync(bytes.fd, content, 0, bytes.length, 0), bytes.length)
    return content
  }

  test('keeps a file only while it is needed, and none that has a name', async () => {
    const text = 'A'.repeat(1_000)
    const body = Buffer.from(JSON.stringify({ params: { ZippedTestData: text, Content: text } }))
    const { rest, uploads, close } = await read([body])
    assert.equal(uploads.size, 1)
    assert.ok(rest.includes(text), 'other members stay where they are')
    assert.deepEqual(readdirSync(folder), [])
    const { bytes } = uploads.values().next().value!
    await close()
    assert.throws(() => readSync((bytes as { fd: number }).fd, Buffer.alloc(1), 0, 1, 0), { code: 'EBADF' })
  })

  test('has a file for an upload from a mebibyte on: shorter ones, however many, have none', async () => {
    let opened = 0
    const openFile = () => {
      opened++
      return files.open()
    }
    const uploadsOf = async (...lengths: readonly number[]) => {
      const calls = lengths.map((length) => ({ params: { ZippedTestData: 'A'.repeat(length) } }))
      opened = 0
      const { uploads, close } = await read([Buffer.from(JSON.stringify(calls))], { longBytes: undefined, openFile })
      await close()
      return [uploads.size, opened]
    }
    const mebibyte = 1_048_576
    assert.deepEqual(await uploadsOf(mebibyte - 4, mebibyte - 4, 4), [0, 0])
    assert.deepEqual(await uploadsOf(mebibyte, mebibyte - 4, mebibyte), [2, 2])
  })

  test('what a server left that was killed while it made such a file is swept away, and nothing else', async () => {
    for (const name of ['.passing-1', 'guildhall.db']) await writeFile(join(folder, name), 'x')
    await files.sweep()
    assert.deepEqual(readdirSync(folder), ['guildhall.db'])
    await rm(join(folder, 'guildhall.db'))
  })

  test('of a caller who has not signed in keeps nothing, unless a batch may sign in first', async () => {
    const call = JSON.stringify({ params: { ZippedTestData: 'A'.repeat(1_000) } })
    const kept = async (body: string) => {
      const { uploads, close } = await read([Buffer.from(body)], { isAnonymous: true })
      await close()
      return [...uploads.values()].map(({ bytes }) => bytes !== undefined)
    }
    assert.deepEqual(await kept(call), [false])
    assert.deepEqual(await kept(` \n${call}`), [false])
    assert.deepEqual(await kept(`[${call}]`), [true])
  })

  test('over the limit is refused while it is read', async () => {
    let taken = 0
    function* endless() {
      for (;;) {
        taken++
        yield Buffer.alloc(100, 'x')
      }
    }
    await assert.rejects(read(endless(), { maxBytes: 1_000 }), { statusCode: 413 })
    assert.ok(taken < 40, `${taken} chunks were taken`)
  })

  const pieces = (body: Buffer) => cut(body, [0.2, 0.4, 0.6, 0.8])

  test('of more values than any call needs, or of endless ones, is refused while it is read', async () => {
    const keys = Array.from({ length: 600_000 }, (_, i) => `"k${i}":0`).join(',')
    const many = ['0,'.repeat(600_000), keys, '['.repeat(600_000), '1'.repeat(9_000_000), ']'.repeat(9_000_000)]
    for (const text of many) {
      await assert.rejects(read(pieces(Buffer.from(`{"params":[${text}]}`))), { statusCode: 400 }, text.slice(0, 20))
    }
  })

  test('of one long text full of commas, brackets, quotes and backslashes is not many values', async () => {
    const body = JSON.stringify({ params: { text: '[{,"\\'.repeat(400_000) } })
    const { rest, close } = await read(pieces(Buffer.from(body)))
    await close()
    assert.equal(rest.toString(), body)
  })

  test('of blanks is short before it is parsed, and parsed to the same', async () => {
    const blanks = ' \n\t\r'.repeat(500_000)
    for (const [body, expected] of [
      [`${blanks}{"a":${blanks}[1,${blanks}2]${blanks}}${blanks}`, { a: [1, 2] }],
      [`[1${blanks}2]`, undefined],
      [blanks, undefined],
      [`["${' '.repeat(100)}"]`, [' '.repeat(100)]],
    ] as const) {
      const { rest, close } = await read(pieces(Buffer.from(body)), { maxBytes: 20_000_000 })
      await close()
      assert.ok(rest.length < 200, `${rest.length} bytes are left`)
      assert.deepEqual(parse(rest), expected)
    }
  })
})
