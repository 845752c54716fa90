/** Backup while a server runs and writes, restore, and archives that are broken or hostile. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createWriteStream, existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, describe, it } from 'node:test'
import { createGzip, gunzipSync, gzipSync } from 'node:zlib'
import { type Headers, pack } from 'tar-stream'
import { unpackArchive } from '../../src/commands/backup/unpacking.ts'
import { makeBlobs } from '../../src/store/files/blobs.ts'
import { makeLfsClient, makeObject } from '../forge/lfs/lfs-client.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { makeRest } from '../support/rest.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { until } from '../support/until.ts'

const admin = {
  GUILDHALL_ADMIN_PASSWORD: 'admin-password',
  GUILDHALL_ADMIN_TOKEN: 'admin-token-0123456789-0123456789',
  GUILDHALL_LIMITS: 'off',
}

describe('a backup', () => {
  let place: string
  let data: string
  let archive: string
  const at = (name: string) => join(place, name)
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-backup-'))
    data = at('data')
    archive = at('whole.tar.gz')
  })
  after(() => rm(place, { recursive: true, force: true }))
  const command = (words: string[], folder: string) => runProgram(words, { GUILDHALL_DATA: folder, ...admin })

  it('made while accounts are created holds each that was answered before it, and comes back whole', async () => {
    const server = await startProgram({ GUILDHALL_DATA: data, ...admin })
    const git = (...words: string[]) => execFileSync('git', words, { stdio: 'ignore' })
    const made = await makeRest(server.url, admin.GUILDHALL_ADMIN_TOKEN).post('/user/repos', {
      name: 'r',
      auto_init: true,
    })
    assert.equal(made.status, 201)
    const blobs = makeBlobs(join(data, 'blobs'))
    const kept = await blobs.put(Buffer.from('kept'))
    const large = makeObject('a large file')
    const token = { token: admin.GUILDHALL_ADMIN_TOKEN }
    assert.equal(await makeLfsClient(server.url, 'admin/r', token).upload(large), 200)
    const rpc = makeRpcClient(server.url)
    const answered: string[] = []
    let isMaking = true
    const making = (async () => {
      for (let i = 0; isMaking; i++) {
        const name = `user${i}`
        await rpc.call('create_account', {
          AccountName: name,
          DisplayName: name,
          Role: 'contestant',
          Password: 'a-password',
        })
        answered.push(name)
      }
    })()
    await until(() => answered.length >= 3)
    const due = [...answered]
    const done = await command(['backup', archive], data)
    isMaking = false
    await making
    assert.equal(done.code, 0, done.err)
    assert.equal(await server.end('SIGTERM'), 0)
    assert.equal((await stat(archive)).mode & 0o077, 0)
    assert.deepEqual(
      (await readdir(data)).filter((name) => name.startsWith('.')),
      [],
    )

    const restored = await command(['restore', archive], at('back'))
    assert.equal(restored.code, 0, restored.err)
    const list = (await command(['account', 'list'], at('back'))).out
    for (const name of due) assert.match(list, new RegExp(` ${name} `))
    assert.equal(await readFile(join(at('back'), 'blobs', kept.hash.slice(0, 2), kept.hash), 'utf8'), 'kept')
    git('-C', join(at('back'), 'repositories', '01', '1.git'), 'fsck', '--strict')
    const again = await startProgram({ GUILDHALL_DATA: at('back'), ...admin })
    await makeRpcClient(again.url).signIn(due[0]!, 'a-password')
    assert.ok((await makeLfsClient(again.url, 'admin/r').download(large)).bytes.equals(large.bytes))
    assert.equal(await again.end('SIGTERM'), 0)
  })

  it('is not written over another file, nor into the data folder, nor from an empty one', async () => {
    for (const [words, folder, says] of [
      [['backup', archive], data, /is there already/],
      [['backup', join(data, 'b.tar.gz')], data, /data folder/],
      [['backup', at('new.tar.gz')], at('nothing'), /no database/],
      [['backup', join(place, 'no', 'such', 'b.tar.gz')], data, /could not be made/],
    ] as const) {
      const { code, err } = await command([...words], folder)
      assert.equal(code, 1)
      assert.match(err, says)
      assert.match(err, /^guildhall: [^\n]+\n$/)
    }
    assert.ok(!existsSync(at('nothing')))
  })

  it('goes into a folder in use only when told, and puts aside what was there', async () => {
    const folder = at('used')
    await cp(at('back'), folder, { recursive: true })
    assert.equal((await runProgram(['account', 'add', 'later'], { GUILDHALL_DATA: folder }, 'a-password')).code, 0)
    const refused = await command(['restore', archive], folder)
    assert.deepEqual([refused.code, /not empty/.test(refused.err)], [1, true])
    assert.match((await command(['account', 'list'], folder)).out, / later /)
    const done = await command(['restore', archive, '--replace'], folder)
    assert.equal(done.code, 0, done.err)
    assert.doesNotMatch((await command(['account', 'list'], folder)).out, / later /)
    const aside = (await readdir(folder)).find((name) => name.startsWith('replaced-'))!
    assert.match((await command(['account', 'list'], join(folder, aside))).out, / later /)
  })

  it('is not restored under a running server', async () => {
    const server = await startProgram({ GUILDHALL_DATA: at('back') })
    const { code, err } = await command(['restore', archive, '--replace'], at('back'))
    assert.deepEqual([code, /Another Guildhall serves/.test(err)], [1, true])
    assert.equal(await server.end('SIGTERM'), 0)
  })

  it('that was cut short while it was moved in stops a start until it is done again', async () => {
    const folder = at('used')
    await writeFile(join(folder, 'restoring'), '')
    for (const words of [['serve'], ['account', 'list'], ['backup', at('x.tar.gz')]]) {
      const { code, err } = await command(words, folder)
      assert.deepEqual([code, /cut short/.test(err)], [1, true])
    }
    assert.equal((await command(['restore', archive, '--replace'], folder)).code, 0)
    assert.equal((await command(['account', 'list'], folder)).code, 0)
  })

  it('that is broken anywhere changes nothing', async () => {
    const bytes = await readFile(archive)
    const plain = gunzipSync(bytes)
    const flipped = Buffer.from(plain)
    const inside = flipped.indexOf('guildhall.rows/account.1') + 600
    flipped[inside] = flipped[inside]! ^ 1
    const broken: Record<string, Buffer> = {
      empty: Buffer.alloc(0),
      'no archive': Buffer.from('hello'),
      'cut in the middle': bytes.subarray(0, bytes.length / 2),
      'cut at the end': bytes.subarray(0, bytes.length - 9),
      'a short tar': gzipSync(plain.subarray(0, Math.floor(plain.length / 1024) * 512)),
      'one bit changed': gzipSync(flipped),
    }
    const folder = at('used')
    const before = await readdir(folder)
    for (const [what, content] of Object.entries(broken)) {
      await writeFile(at('broken.tar.gz'), content)
      await mkdir(at('stage'))
      await assert.rejects(unpackArchive(at('broken.tar.gz'), at('stage')), /is not a whole backup/, what)
      await rm(at('stage'), { recursive: true })
    }
    const { code, err } = await command(['restore', at('broken.tar.gz'), '--replace'], folder)
    assert.equal(code, 1)
    assert.match(err, /^guildhall: [^\n]*is not a whole backup[^\n]*\n$/)
    assert.deepEqual(await readdir(folder), before)
  })

  it('that is hostile writes nothing outside the folder it is unpacked in', async () => {
    const file = (name: string): [Headers, string] => [{ name }, 'x']
    const hostile: Record<string, [Headers, string][]> = {
      'a way up': [file('../escaped')],
      'a way up from within': [file('blobs/../../escaped')],
      'from the root': [file(`${place}/escaped`)],
      'a symbolic link': [[{ name: 'blobs', type: 'symlink', linkname: place }, ''], file('blobs/escaped')],
      'a hard link': [[{ name: 'mine', type: 'link', linkname: archive }, '']],
      'a device': [[{ name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }, '']],
      'a name twice': [file('twice'), file('twice')],
      'our own marks': [file('serving.lock')],
      'a journal for the database': [file('guildhall.db-wal')],
      'a list that is none': [[{ name: 'backup.json' }, 'null']],
      'a list without files': [[{ name: 'backup.json' }, '{"format":1}']],
      'a format to come': [[{ name: 'backup.json' }, '{"format":3,"files":{}}']],
      'no database': [[{ name: 'backup.json' }, '{"format":1,"files":{}}']],
    }
    for (const [what, entries] of Object.entries(hostile)) {
      const tar = pack()
      for (const [header, body] of entries) tar.entry(header, body)
      tar.finalize()
      await pipeline(Readable.from(tar), createGzip(), createWriteStream(at('hostile.tar.gz')))
      await mkdir(at('stage'))
      await assert.rejects(unpackArchive(at('hostile.tar.gz'), at('stage')), /is not a whole backup/, what)
      await rm(at('stage'), { recursive: true })
      assert.ok(!existsSync(at('escaped')), what)
    }
  })
})
