/** Blobs: whole under their hash, or absent. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { type Blob, type Blobs, makeBlobs } from '../../src/store/files/blobs.ts'

describe('blobs', () => {
  let folder: string
  let blobs: Blobs
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildhall-blobs-'))
    blobs = makeBlobs(folder)
    await blobs.prepare()
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const bytes = randomBytes(200_000)
  const hash = createHash('sha256').update(bytes).digest('hex')

  test('one is found by its hash, whole and in part, however it came', async () => {
    async function* inPieces() {
      for (let at = 0; at < bytes.length; at += 7_777) yield bytes.subarray(at, at + 7_777)
    }
    assert.equal(await blobs.has(hash), false)
    assert.deepEqual(await blobs.put(inPieces()), { hash, size: bytes.length })
    assert.deepEqual(await blobs.put(bytes), { hash, size: bytes.length })
    assert.ok((await buffer(blobs.read(hash))).equals(bytes))
    assert.ok((await buffer(blobs.read(hash, { start: 10, end: 19 }))).equals(bytes.subarray(10, 20)))
    await blobs.remove(hash)
    assert.equal(await blobs.has(hash), false)
    await blobs.remove(hash)
  })

  test('a short one is read at once, and again from memory until it is removed; one that was cut short is not taken for it', async () => {
    const short = await blobs.put(Buffer.from('short'))
    const path = join(folder, short.hash.slice(0, 2), short.hash)
    assert.deepEqual(await blobs.readWhole(short), Buffer.from('short'))
    await writeFile(path, 'sho')
    assert.deepEqual(await blobs.readWhole(short), Buffer.from('short'))
    await assert.rejects(makeBlobs(folder).readWhole(short), /has 3 bytes, and should have 5/)
    await blobs.remove(short.hash)
    await assert.rejects(blobs.readWhole(short), /ENOENT/)
    const long = await blobs.put(bytes)
    assert.ok((await buffer((await blobs.readWhole(long)) as Readable)).equals(bytes))
    await blobs.remove(long.hash)
  })

  test('short ones that were read lately take so much memory and no more', async () => {
    const all = Array.from({ length: 140 }, (_, i) => Buffer.alloc(64 * 1024, i))
    const put = []
    for (const each of all) put.push(await blobs.put(each))
    for (const each of put) await blobs.readWhole(each)
    const isKept = async ({ hash, size }: Blob) => {
      const path = join(folder, hash.slice(0, 2), hash)
      await rename(path, `${path}-away`)
      const found = await blobs.readWhole({ hash, size }).catch(() => undefined)
      await rename(`${path}-away`, path)
      return found !== undefined
    }
    const kept = []
    for (const each of put.toReversed()) kept.push(await isKept(each))
    assert.equal(kept.filter(Boolean).length, 128)
    assert.ok(kept.slice(0, 128).every(Boolean))
    for (const { hash } of put) await blobs.remove(hash)
  })

  test('what breaks off leaves nothing', async () => {
    async function* brokenOff() {
      yield bytes
      throw new Error('gone')
    }
    await assert.rejects(blobs.put(brokenOff()), /gone/)
    assert.equal(await blobs.has(hash), false)
    assert.deepEqual(await readdir(join(folder, 'coming')), [])
  })

  test('what is written down before one has its name is there whenever the name is', async () => {
    const seen: [string, boolean][] = []
    await blobs.put(bytes, async (blob) => seen.push([blob.hash, await blobs.has(blob.hash)]))
    assert.deepEqual(seen, [[hash, false]])
    await blobs.remove(hash)
    const refused = blobs.put(bytes, async () => {
      throw new Error('not written down')
    })
    await assert.rejects(refused, /not written down/)
    assert.equal(await blobs.has(hash), false)
  })

  test('a link lasts when the blob is removed, and what a dead process was writing is swept away', async () => {
    await blobs.put(bytes)
    await blobs.linkTo(hash, join(folder, 'linked'))
    await blobs.remove(hash)
    assert.ok((await readFile(join(folder, 'linked'))).equals(bytes))
    await writeFile(join(folder, 'coming', 'left'), 'half')
    await blobs.sweep(Date.now() - 60_000)
    assert.deepEqual(await readdir(join(folder, 'coming')), ['left'])
    await blobs.sweep(Number.POSITIVE_INFINITY)
    assert.deepEqual(await readdir(join(folder, 'coming')), [])
  })

  test('no name leads out of the folder', () => {
    for (const name of ['../escaped', hash.toUpperCase(), `${hash}/..`, '']) {
      assert.throws(() => blobs.read(name), /named by its SHA-256/)
    }
  })
})
