/** Blobs: whole under their hash, or absent. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { type Blobs, makeBlobs } from '../../src/store/files/blobs.ts'

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
