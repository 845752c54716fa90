/** What an owner's repositories may take holds however something comes to be there, and counts what nothing leads to. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { defaultGitLimits, packBounds } from '../../src/forge/git/git-limits.ts'
import { makePackInspector } from '../../src/forge/git/packs/pack-inspector.ts'
import { writePacket } from '../../src/forge/git/pkt-line.ts'
import { onAccount } from '../../src/forge/git/processor-accounting.ts'
import type { WorkingFolder } from '../support/git.ts'
import { makeUser, type RestClient } from '../support/rest.ts'
import { until } from '../support/until.ts'
import { makePack, makePush, objectId } from './crafted-packs.ts'
import { commit, type GitServer, mib, startGitServer } from './git-server.ts'
import { sendHalf } from './half-sent.ts'

const who = 'Ann <ann@example.org> 1700000000 +0000'
const dayMs = 24 * 3_600_000
const emptyTree = objectId('tree', '')
const emptyCommit = Buffer.from(`tree ${emptyTree}\nauthor ${who}\ncommitter ${who}\n\nempty\n`)

describe('the quota of what repositories take', () => {
  let hosted: GitServer
  let shiftMs = 0
  before(async () => {
    hosted = await startGitServer('sqlite', {
      clock: { now: () => Date.now() + shiftMs },
      environment: { GUILDHALL_LIMITS: 'on', GUILDHALL_QUOTAS: 'repositoryMib=4' },
    })
  })
  after(() => hosted.stop())

  const sizeOf = async (client: RestClient, name: string) => (await client.get(`/repos/${name}`)).body.size as number

  /** A repository with one commit of its own, and a working folder. */
  async function begin(
    login: string,
    name: string,
  ): Promise<{ client: RestClient; folder: WorkingFolder; url: string }> {
    const client = await makeUser(hosted.server, login)
    assert.equal((await client.post('/user/repos', { name })).status, 201)
    const folder = await hosted.work()
    const url = hosted.url(`${login}/${name}`, client, login)
    await commit(folder, 'one')
    await folder.must('push', '--quiet', url, 'HEAD:refs/heads/main')
    return { client, folder, url }
  }

  /** One that has so much beside what is there. */
  async function add(folder: WorkingFolder, bytes: number): Promise<void> {
    await writeFile(join(folder.path, 'large'), randomBytes(bytes))
    await folder.must('add', '.')
    await commit(folder, 'more')
  }

  test('counts what came with pushes that were refused', async () => {
    const { client, folder, url } = await begin('cat', 'refused')
    const first = await folder.must('rev-parse', 'HEAD')
    await folder.must(
      'push',
      '--quiet',
      url,
      `${await folder.must('commit-tree', `${first}^{tree}`, '-p', first, '-m', 'two')}:main`,
    )
    for (const more of [1.5, 1.5]) {
      await folder.must('reset', '--quiet', '--hard', first)
      await add(folder, more * mib)
      assert.match((await folder.git('push', '--force', url, 'HEAD:main')).output, /refus|forbid|reject/i)
    }
    assert.ok((await sizeOf(client, 'cat/refused')) > 3000, 'what git has of them counts')
    await add(folder, 1.5 * mib)
    const more = await folder.git('push', url, 'HEAD:refs/heads/other')
    assert.match(more.output, /the most that one account may have here: 4 MiB of repositories/)
  })

  test('holds for files and objects that are written over REST', async () => {
    const { client } = await begin('dan', 'written')
    const content = () => randomBytes(1.5 * mib).toString('base64')
    const makeBlob = async () =>
      (await client.post('/repos/dan/written/git/blobs', { content: content(), encoding: 'base64' })).status
    const put = async (path: string) =>
      (await client.put(`/repos/dan/written/contents/${path}`, { message: 'x', content: content() })).status
    assert.deepEqual([await makeBlob(), await put('a'), await makeBlob(), await put('b')], [201, 201, 403, 403])
    assert.ok((await sizeOf(client, 'dan/written')) > 3000)
  })

  test('holds for forks, the files of releases, and attachments', async () => {
    const { client, folder, url } = await begin('eve', 'source')
    await add(folder, 2.5 * mib)
    await folder.must('push', '--quiet', url, 'HEAD:main')
    const { body: release } = await client.post('/repos/eve/source/releases', { tag_name: 'v1' })
    const send = async (who: RestClient, path: string, bytes: number) => {
      const answer = await fetch(`${hosted.server.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${who.token}`, 'content-type': 'application/octet-stream' },
        body: randomBytes(bytes),
      })
      await answer.arrayBuffer()
      return answer.status
    }
    const upload = (name: string) => send(client, `/repos/eve/source/releases/${release.id}/assets?name=${name}`, mib)
    assert.deepEqual([await upload('a'), await upload('b')], [201, 403])
    const fay = await makeUser(hosted.server, 'fay')
    const attach = (bytes: number) => send(fay, '/repos/eve/source/attachments?name=a.txt', bytes)
    assert.deepEqual([await attach(1.7 * mib)], [201], 'it is nothing of the owner’s, who has no room left')
    assert.equal((await fay.post('/repos/eve/source/forks', {})).status, 403)
    assert.deepEqual([await attach(1.7 * mib), await attach(1.7 * mib)], [201, 403])
    const gus = await makeUser(hosted.server, 'gus')
    assert.equal((await gus.post('/repos/eve/source/forks', {})).status, 202)
  })

  test('counts what is on its way, and nothing stays of what was cut off while another push is open', async () => {
    const { client } = await begin('hal', 'cut')
    const body = makePush('refs/heads/big', emptyTree, makePack([{ type: 'blob', bytes: randomBytes(1.5 * mib) }]))
    const send = (length: number) =>
      sendHalf({
        url: hosted.server.url,
        path: '/hal/cut.git/git-receive-pack',
        token: client.token,
        start: body.subarray(0, length),
        length: body.length,
      })
    const objects = join(
      hosted.server.house.forge.git.folderOf({ id: (await client.get('/repos/hal/cut')).body.id }),
      'objects',
    )
    const countIncoming = async () => (await readdir(objects)).filter((name) => name.startsWith('tmp_objdir')).length
    const kept = await send(1.4 * mib)
    await until(async () => (await countIncoming()) === 1)
    const others = [await send(1.4 * mib), await send(1.4 * mib)]
    await until(async () => (await countIncoming()) === 3)
    const over = await send(1.4 * mib)
    await until(() => over.said().includes('the most that one account may have here'))
    for (const other of [...others, over]) other.drop()
    await until(async () => (await countIncoming()) === 1)
    kept.drop()
    await until(async () => (await countIncoming()) === 0)
  })

  test('takes a look through packs in turns, so that nobody waits for all of another’s', async () => {
    const inspector = makePackInspector(packBounds(defaultGitLimits))
    const tiny = Array.from({ length: 20_000 }, (_, i) => ({ type: 'blob' as const, bytes: Buffer.from(String(i)) }))
    const ended: string[] = []
    const inspect = async (caller: string, bytes: Buffer) => {
      const pack = onAccount({ caller }, () => inspector.begin())
      await pack.take(bytes, false)
      ended.push(caller)
      pack.close()
    }
    const heavy = makePack(tiny)
    const small = makePack([{ type: 'blob', bytes: randomBytes(20_000) }])
    await Promise.all([...Array.from({ length: 4 }, () => inspect('user:1', heavy)), inspect('user:2', small)])
    assert.equal(ended[0], 'user:2')
  })

  test('is not asked by a fetch, whose filter has a bound of its own, told in git’s words', async () => {
    const { client, folder, url } = await begin('joe', 'filtered')
    const { output } = await folder.git('ls-remote', url, 'refs/heads/main')
    const ask = async (filter: string) => {
      const lines = ['command=fetch', 'delimiter', `want ${output.slice(0, 40)}\n`, `filter ${filter}\n`, 'done\n']
      const body = lines.map((line) => (line === 'delimiter' ? Buffer.from('0001') : writePacket(line)))
      const answer = await fetch(`${hosted.server.url}/joe/filtered.git/git-upload-pack`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.token}`, 'git-protocol': 'version=2' },
        body: Buffer.concat([...body, Buffer.from('0000')]),
      })
      return { status: answer.status, text: await answer.text() }
    }
    const combine = (count: number, joint = '+') => `combine:${Array(count).fill('tree:9').join(joint)}`
    assert.match((await ask(combine(8))).text, /packfile/)
    for (const filter of [combine(9), combine(9000), combine(9, '%2B'), combine(9, '%252b')]) {
      const { status, text } = await ask(filter)
      assert.equal(status, 200)
      assert.match(text, /^[0-9a-f]{4}ERR A filter /)
    }
    const cloned = await folder.git('clone', '--quiet', '--bare', '--filter=blob:none', '--filter=tree:1', url, 'clone')
    assert.equal(cloned.code, 0, cloned.output)
  })

  test('of an owner has nothing of what a pull brings, which is its author’s until it is merged', async () => {
    const { client: vic, folder } = await begin('vic', 'target')
    const eli = await makeUser(hosted.server, 'eli')
    const { storage } = hosted.server.house.forge
    const idOf = async (login: string) => (await vic.get(`/users/${login}`)).body.id as number
    const measure = async (login: string) => Math.round((await storage.measure(await idOf(login))) / mib)
    assert.equal((await eli.post('/repos/vic/target/forks', {})).status, 202)
    await add(folder, 1.9 * mib)
    const fork = hosted.url('eli/target', eli, 'eli')
    await folder.must('push', '--quiet', fork, 'HEAD:refs/heads/big', 'HEAD:refs/heads/again')
    const open = (head: string) =>
      eli.post('/repos/vic/target/pulls', { title: 'x', head: `eli:${head}`, base: 'main' })
    assert.equal((await open('big')).status, 201)
    assert.deepEqual([await measure('vic'), await measure('eli')], [0, 4])
    assert.equal((await open('again')).status, 201, 'it brings nothing more')
    assert.deepEqual([await measure('vic'), await measure('eli')], [0, 4])
    assert.equal((await vic.put('/repos/vic/target/contents/own', { message: 'x', content: '' })).status, 201)
    assert.deepEqual([await measure('vic'), await measure('eli')], [0, 4], 'measured by a push')
    assert.equal((await vic.put('/repos/vic/target/pulls/1/merge', {})).status, 200)
    assert.deepEqual([await measure('vic'), await measure('eli')], [2, 2])
  })

  test('has nothing of a pull that is refused, and of one that is opened five times at once once', async () => {
    const { client: uma, folder } = await begin('uma', 'target')
    const ned = await makeUser(hosted.server, 'ned')
    const { storage } = hosted.server.house.forge
    const { id } = (await uma.get('/users/ned')).body
    const measure = async () => Math.round((await storage.measure(id)) / (mib / 2))
    assert.equal((await ned.post('/repos/uma/target/forks', {})).status, 202)
    const fork = hosted.url('ned/target', ned, 'ned')
    const open = (head: string) =>
      ned.post('/repos/uma/target/pulls', { title: 'x', head: `ned:${head}`, base: 'main' })
    await folder.must('switch', '--quiet', '--create', 'good')
    await add(folder, 0.5 * mib)
    await folder.must('switch', '--quiet', '--orphan', 'alone')
    await add(folder, 0.5 * mib)
    await folder.must('push', '--quiet', fork, 'good', 'alone')
    const inForkAlone = await measure()
    for (let times = 0; times < 3; times++) {
      const { status, body } = await open('alone')
      assert.equal(status, 422)
      assert.match(JSON.stringify(body), /no history in common/)
    }
    assert.equal(await measure(), inForkAlone)
    const statuses = (await Promise.all(Array.from({ length: 5 }, () => open('good')))).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [201, 422, 422, 422, 422])
    assert.equal(await measure(), inForkAlone + 1)
  })

  test('is of one piece with a push: refs that git has begun to move are moved to the last, whoever leaves', async () => {
    const { client } = await begin('ida', 'many')
    const sha = objectId('commit', emptyCommit)
    const refs = Array.from({ length: 1500 }, (_, i) => `refs/tags/t${i}`)
    const commands = refs.map((ref, i) =>
      writePacket(`${'0'.repeat(40)} ${sha} ${ref}${i === 0 ? '\0 report-status side-band-64k' : ''}`),
    )
    const pack = makePack([
      { type: 'commit', bytes: emptyCommit },
      { type: 'tree', bytes: Buffer.alloc(0) },
    ])
    const body = Buffer.concat([...commands, Buffer.from('0000'), pack])
    const { id } = (await client.get('/repos/ida/many')).body
    const tags = join(hosted.server.house.forge.git.folderOf({ id }), 'refs/tags')
    const count = async () => (await readdir(tags).catch(() => [])).filter((name) => !name.endsWith('.lock')).length
    const path = '/ida/many.git/git-receive-pack'
    const pushing = await sendHalf({
      url: hosted.server.url,
      path,
      token: client.token,
      start: body,
      length: body.length,
    })
    await until(async () => (await count()) > 0)
    pushing.drop()
    await until(async () => (await count()) === refs.length)
    const { db } = hosted.server.house.store
    const openPush = () =>
      db.selectFrom('push').select('id').where('repository_id', '=', id).where('state', '=', 'receiving').execute()
    await until(async () => (await openPush()).length === 0)
    assert.equal((await client.get('/repos/ida/many/tags?per_page=1')).body.length, 1)
  })

  test('has room again once git has let go of what nothing leads to', async () => {
    const { client, folder, url } = await begin('kim', 'left')
    const first = await folder.must('rev-parse', 'HEAD')
    await add(folder, mib)
    await folder.must('push', '--quiet', url, 'HEAD:refs/heads/side')
    await folder.must('push', '--quiet', url, ':refs/heads/side')
    const { id, size } = (await client.get('/repos/kim/left')).body
    assert.ok(size > 1000)
    const objects = join(hosted.server.house.forge.git.folderOf({ id }), 'objects')
    const longAgo = new Date(Date.now() - 20 * dayMs)
    for (const name of await readdir(objects, { recursive: true })) await utimes(join(objects, name), longAgo, longAgo)
    shiftMs = 16 * dayMs
    await until(async () => (await sizeOf(client, 'kim/left')) < 100)
    assert.equal((await client.get('/repos/kim/left/branches/main')).body.commit.sha, first)
  })
})
