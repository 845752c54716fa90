/** What an owner's repositories may take holds however something comes to be there, and counts what nothing leads to. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { measureRefs, readSize, sizeWords } from '../../src/forge/git/folders/repository-size.ts'
import { makePackInspector } from '../../src/forge/git/pack/pack-inspector.ts'
import { defaultGitLimits, packBounds } from '../../src/forge/git/process/git-limits.ts'
import { demandGit } from '../../src/forge/git/process/process.ts'
import { onAccount } from '../../src/forge/git/process/processor-accounting.ts'
import { writePacket } from '../../src/forge/git/serve/pkt-line.ts'
import type { WorkingFolder } from '../support/git.ts'
import { makeUser, type RestClient } from '../support/rest.ts'
import { until } from '../support/until.ts'
import { makePack, makePush, objectId } from './crafted-packs.ts'
import { commit, type GitServer, mib, startGitServer } from './git-server.ts'
import { type HalfSent, sendHalf } from './half-sent.ts'

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
    assert.match(more.output, /the limit for one account: 4 MiB of repositories/)
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
    const blobs = Array.from({ length: 20 }, () => ({ type: 'blob' as const, bytes: randomBytes(0.1 * mib) }))
    const body = makePush('refs/heads/big', emptyTree, makePack(blobs))
    const send = (length: number) =>
      sendHalf({
        url: hosted.server.url,
        path: '/hal/cut.git/git-receive-pack',
        token: client.token,
        start: body.subarray(0, length),
        length: body.length,
      })
    const objects = join(
      hosted.server.services.forge.git.folderOf({ id: (await client.get('/repos/hal/cut')).body.id }),
      'objects',
    )
    const listIncoming = async () => (await readdir(objects)).filter((name) => name.startsWith('tmp_objdir'))
    const countIncoming = async () => (await listIncoming()).length
    /** Until all that was sent has come through, only what is sent next can be too much. */
    const hasCome = async (...sent: HalfSent[]) => {
      for (const one of sent) assert.ok(!one.isClosed(), `it was ended: ${one.said()}`)
      let bytes = 0
      for (const folder of await listIncoming())
        for (const name of await readdir(join(objects, folder), { recursive: true }).catch(() => []))
          bytes += await stat(join(objects, folder, name)).then(
            ({ size }) => size,
            () => 0,
          )
      return bytes > sent.length * 1.2 * mib
    }
    const kept = await send(1.4 * mib)
    await until(() => hasCome(kept))
    const other = await send(1.4 * mib)
    await until(() => hasCome(kept, other))
    const over = await send(1.9 * mib)
    await until(() => over.said().includes('the limit for one account'))
    for (const dropped of [other, over]) dropped.drop()
    await until(async () => (await countIncoming()) === 1)
    kept.drop()
    await until(async () => (await countIncoming()) === 0)
  })

  test('counts refs by the blocks that they take, and packs those of a push of many', async () => {
    const { client, folder, url } = await begin('ray', 'refs')
    const push = (refs: string[]) => folder.git('push', url, ...refs.map((ref) => `HEAD:refs/heads/${ref}`))
    // One of them is too little to be packed, which begins at 100 blocks.
    const deep = (name: string) => `${name}${'/d'.repeat(85)}`
    const before = await sizeOf(client, 'ray/refs')
    const many = await push(Array.from({ length: 14 }, (_, i) => deep(`q${i}`)))
    assert.match(many.output, /the limit for one account: 4 MiB of repositories/)
    assert.equal(await sizeOf(client, 'ray/refs'), before)
    assert.equal((await push([deep('one')])).code, 0)
    // What was measured before it came may be written down after it.
    await until(async () => (await sizeOf(client, 'ray/refs')) > before + 300)
    const refs = Array.from({ length: 500 }, (_, i) => `r${i}`)
    assert.equal((await push(refs)).code, 0)
    await until(async () => (await sizeOf(client, 'ray/refs')) < before + 100)
    const listed = (await folder.git('ls-remote', '--heads', url)).output.trim().split('\n')
    assert.equal(listed.length, refs.length + 2)
    assert.ok((await sizeOf(client, 'ray/refs')) >= before + 20, 'their names still count')
    // Of refs that are not there git makes the folders, too.
    const gone = (count: number) => Array.from({ length: count }, (_, i) => `:refs/heads/${deep(`gone${i}`)}`)
    const sha = await folder.must('rev-parse', 'HEAD')
    const remove = async (refs: string[]) => {
      const lines = refs.map((ref, i) =>
        writePacket(`${sha} ${'0'.repeat(40)} ${ref.slice(1)}${i === 0 ? '\0 report-status delete-refs' : ''}`),
      )
      const answer = await fetch(`${hosted.server.url}/ray/refs.git/git-receive-pack`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.token}` },
        body: Buffer.concat([...lines, Buffer.from('0000')]),
      })
      return answer.text()
    }
    assert.match(await remove(gone(200)), /have more than 16384 folders: push fewer of them at once/)
    assert.match(await remove(gone(50)), /ng refs/)
    const refFolders = (await readdir(join(await hosted.folderOf('ray/refs'), 'refs'), { recursive: true })).length
    assert.ok(refFolders < 10, String(refFolders))
    const moved = ['refs/heads', ...Array.from({ length: 110 }, () => 'd'), 'x'].join('/')
    await mkdir(join(await hosted.folderOf('ray/refs'), moved), { recursive: true })
    assert.equal((await measureRefs(await hosted.folderOf('ray/refs'))).looseBlocks, 0, 'empty folders do not count')
    const ada = await makeUser(hosted.server, 'ada')
    assert.equal((await ada.post('/repos/ray/refs/forks', {})).status, 202)
    const fork = await folder.git('ls-remote', '--heads', hosted.url('ada/refs', ada, 'ada'))
    assert.deepEqual(fork.output.trim().split('\n'), listed)
    assert.equal((await measureRefs(await hosted.folderOf('ada/refs'))).looseBlocks, 0)
    assert.equal((await hosted.fsck('ada/refs')).code, 0)
  })

  test('is full at its size, to the kibibyte', async () => {
    const client = await makeUser(hosted.server, 'eva')
    const { body: repository } = await client.post('/user/repos', { name: 'full' })
    const { forge, store } = hosted.server.services
    const { owner } = repository
    const setSize = (size_kib: number) =>
      store.write((trx) => trx.updateTable('repository').set({ size_kib }).where('id', '=', repository.id).execute())
    await setSize(4 * 1024 - 1)
    await forge.storage.demandSpace({ owner })
    await forge.storage.demandSpaceFor(owner.id, 1024)
    await assert.rejects(forge.storage.demandSpaceFor(owner.id, 1025), /4 MiB of repositories/)
    await setSize(4 * 1024)
    await assert.rejects(forge.storage.demandSpace({ owner }), /4 MiB of repositories/)
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
    const { storage } = hosted.server.services.forge
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
    const [joy, joyFolder] = [await makeUser(hosted.server, 'joy'), await hosted.work()]
    await joy.post('/user/repos', { name: 'own' })
    await add(joyFolder, 3 * mib)
    await joyFolder.must('push', '--quiet', hosted.url('joy/own', joy, 'joy'), 'HEAD:refs/heads/main')
    assert.equal((await joy.post('/repos/vic/target/forks', {})).status, 202, 'a fork has nothing of pulls')
    assert.deepEqual([await measure('vic'), await measure('eli')], [0, 4])
    assert.equal((await vic.put('/repos/vic/target/contents/own', { message: 'x', content: '' })).status, 201)
    assert.deepEqual([await measure('vic'), await measure('eli')], [0, 4], 'measured by a push')
    assert.equal((await vic.put('/repos/vic/target/pulls/1/merge', {})).status, 200)
    assert.deepEqual([await measure('vic'), await measure('eli')], [2, 2])
  })

  test('of who wrote an issue has nothing of the pull that another makes of it, who has what is pushed to its head, too', async () => {
    const { folder, client: base } = await begin('lea', 'base')
    const [author, forker] = [await makeUser(hosted.server, 'lou'), await makeUser(hosted.server, 'max')]
    const measure = async (login: string) => {
      const { id } = (await base.get(`/users/${login}`)).body
      return Math.round((await hosted.server.services.forge.storage.measure(id)) / (mib / 2))
    }
    const measureAll = async () => [await measure('lea'), await measure('lou'), await measure('max')]
    const { number } = (await author.post('/repos/lea/base/issues', { title: 'a typo' })).body
    assert.equal((await forker.post('/repos/lea/base/forks', {})).status, 202)
    const fork = hosted.url('max/base', forker, 'max')
    await add(folder, 0.5 * mib)
    await folder.must('push', '--quiet', fork, 'HEAD:refs/heads/big')
    const pull = await base.post('/repos/lea/base/pulls', { issue: number, head: 'max:big', base: 'main' })
    assert.equal(pull.status, 201)
    assert.deepEqual(await measureAll(), [1, 0, 1], 'who made it a pull has what it brought')
    await add(folder, mib)
    await folder.must('push', '--quiet', fork, 'HEAD:refs/heads/big')
    const sha = await folder.must('rev-parse', 'HEAD')
    await until(async () => (await base.get(`/repos/lea/base/pulls/${number}`)).body.head.sha === sha)
    assert.deepEqual(await measureAll(), [3, 0, 3], 'and what is pushed to it later')
  })

  /** A file of half a mebibyte of text, of which a change is a few bytes in a pack and the whole file on the disk. */
  async function addText(folder: WorkingFolder, first: string, last: string): Promise<void> {
    const lines = [first, ...text, last]
    await writeFile(join(folder.path, 'text'), `${lines.join('\n')}\n`)
    await folder.must('add', '.')
    await commit(folder, `${first} ${last}`)
  }
  const text = randomBytes(256 * 1024)
    .toString('hex')
    .match(/.{64}/g)!

  const measureKib = async (login: string) => {
    const { id } = (await hosted.ann.get(`/users/${login}`)).body
    return Math.round((await hosted.server.services.forge.storage.measure(id)) / 1024)
  }

  test('counts to who opens a pull what it takes on the disk, however small the change', async () => {
    const { folder, url } = await begin('tia', 'text')
    await addText(folder, 'first', 'last')
    await folder.must('push', '--quiet', url, 'HEAD:main')
    const tom = await makeUser(hosted.server, 'tom')
    assert.equal((await tom.post('/repos/tia/text/forks', {})).status, 202)
    await addText(folder, 'changed', 'last')
    await folder.must('push', '--quiet', hosted.url('tom/text', tom, 'tom'), 'HEAD:refs/heads/side')
    const [before, beforeOfTom] = [await measureKib('tia'), await measureKib('tom')]
    const draft = { title: 'x', head: 'tom:side', base: 'main' }
    assert.equal((await tom.post('/repos/tia/text/pulls', draft)).status, 201)
    const onDisk = readSize(await demandGit(sizeWords, { folder: await hosted.folderOf('tia/text') }))
    assert.ok(onDisk > before + 200, 'git has the file once more')
    assert.ok((await measureKib('tom')) > beforeOfTom + 200)
    await until(async () => (await sizeOf(hosted.ann, 'tia/text')) > before + 200)
    assert.ok((await measureKib('tia')) <= before)
  })

  test('has nothing of an update of a branch that ends in a conflict, which leaves nothing', async () => {
    const { client: qui, folder, url } = await begin('qui', 'root')
    const rob = await makeUser(hosted.server, 'rob')
    assert.equal((await rob.post('/repos/qui/root/forks', {})).status, 202)
    const change = async (branch: string, bytes: number) => {
      await folder.must('switch', '--quiet', '--create', branch, 'main')
      await writeFile(join(folder.path, 'same'), branch)
      await add(folder, bytes)
    }
    await change('mine', 10)
    await folder.must('push', '--quiet', url, 'mine')
    await change('theirs', mib)
    await folder.must('push', '--quiet', hosted.url('rob/root', rob, 'rob'), 'theirs:main')
    const { body: pull } = await qui.post('/repos/rob/root/pulls', { title: 'x', head: 'qui:mine', base: 'main' })
    const { status, body } = await qui.put(`/repos/rob/root/pulls/${pull.number}/update-branch`, {})
    assert.equal(status, 422)
    assert.match(JSON.stringify(body), /merge conflict/)
    assert.ok(readSize(await demandGit(sizeWords, { folder: await hosted.folderOf('qui/root') })) < 200)
  })

  test('holds for owners who open pulls from the forks of others', async () => {
    const { client: nan, folder } = await begin('nan', 'base')
    const pia = await makeUser(hosted.server, 'pia')
    assert.equal((await pia.post('/repos/nan/base/forks', {})).status, 202)
    const statuses: number[] = []
    for (const branch of ['a', 'b', 'c']) {
      await folder.must('switch', '--quiet', '--create', branch, 'main')
      await add(folder, 1.2 * mib)
    }
    await folder.must('push', '--quiet', hosted.url('pia/base', pia, 'pia'), 'a', 'b', 'c')
    assert.equal(
      (await nan.put('/repos/nan/base/contents/own', { message: 'x', content: randomBytes(mib).toString('base64') }))
        .status,
      201,
    )
    for (const branch of ['a', 'b', 'c'])
      statuses.push(
        (await nan.post('/repos/nan/base/pulls', { title: 'x', head: `pia:${branch}`, base: 'main' })).status,
      )
    assert.deepEqual(statuses, [201, 201, 403])
  })

  test('has nothing of a pull that is refused, and of one that is opened five times at once once', async () => {
    const { client: uma, folder } = await begin('uma', 'target')
    const ned = await makeUser(hosted.server, 'ned')
    const { storage } = hosted.server.services.forge
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
    const ofOwner = await measureKib('uma')
    for (let times = 0; times < 3; times++) {
      const { status, body } = await open('alone')
      assert.equal(status, 422)
      assert.match(JSON.stringify(body), /no history in common/)
    }
    assert.equal(await measure(), inForkAlone)
    assert.ok((await measureKib('uma')) <= ofOwner + 16, 'nor has the owner')
    const statuses = (await Promise.all(Array.from({ length: 5 }, () => open('good')))).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [201, 422, 422, 422, 422])
    assert.equal(await measure(), inForkAlone + 1)
    assert.ok((await measureKib('uma')) <= ofOwner + 16)
  })

  test('has nothing of what git could not keep, and once of what is there again', async () => {
    const { client: ira, folder } = await begin('ira', 'target')
    const jan = await makeUser(hosted.server, 'jan')
    assert.equal((await jan.post('/repos/ira/target/forks', {})).status, 202)
    await folder.must('switch', '--quiet', '--create', 'side')
    await add(folder, 0.5 * mib)
    const first = await folder.must('rev-parse', 'HEAD')
    await commit(folder, 'small')
    const push = (from: string) =>
      folder.must('push', '--quiet', '--force', hosted.url('jan/target', jan, 'jan'), `${from}:refs/heads/side`)
    await push('side')
    const open = () => jan.post('/repos/ira/target/pulls', { title: 'x', head: 'jan:side', base: 'main' })
    const measureBoth = async () => [await measureKib('ira'), await measureKib('jan')] as const
    const [ofIra, ofJan] = await measureBoth()
    // A file stands where the pack goes.
    const packs = join(await hosted.folderOf('ira/target'), 'objects', 'pack')
    await rm(packs, { recursive: true, force: true })
    await writeFile(packs, '')
    assert.equal((await open()).status, 500)
    assert.deepEqual(await measureBoth(), [ofIra, ofJan])
    await rm(packs)
    await mkdir(packs)
    assert.equal((await open()).status, 201)
    const isCountedOnce = async () => {
      const [owner, author] = await measureBoth()
      assert.ok(owner <= ofIra + 16, `${owner} of ${ofIra}`)
      assert.ok(author > ofJan + 500 && author < ofJan + 700, `${author} of ${ofJan}`)
    }
    await isCountedOnce()
    await folder.must('switch', '--quiet', '--create', 'other', 'main')
    await commit(folder, 'other')
    const follow = async (head: string) => {
      await push(head)
      const sha = await folder.must('rev-parse', head)
      await until(async () => (await ira.get('/repos/ira/target/pulls/1')).body.head.sha === sha)
    }
    await follow('other')
    const target = { folder: await hosted.folderOf('ira/target') }
    await until(async () => (await demandGit(['for-each-ref', '--contains', first], target)).length === 0)
    await follow(first)
    await isCountedOnce()
  })

  test('is of one piece with a push: refs that git has begun to move are moved to the last, whoever leaves', async () => {
    const { client } = await begin('ida', 'many')
    const sha = objectId('commit', emptyCommit)
    const refs = Array.from({ length: 900 }, (_, i) => `refs/tags/t${i}`)
    const commands = refs.map((ref, i) =>
      writePacket(`${'0'.repeat(40)} ${sha} ${ref}${i === 0 ? '\0 report-status side-band-64k' : ''}`),
    )
    const pack = makePack([
      { type: 'commit', bytes: emptyCommit },
      { type: 'tree', bytes: Buffer.alloc(0) },
    ])
    const body = Buffer.concat([...commands, Buffer.from('0000'), pack])
    const { id } = (await client.get('/repos/ida/many')).body
    const tags = join(hosted.server.services.forge.git.folderOf({ id }), 'refs/tags')
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
    const { db } = hosted.server.services.store
    const openPush = () =>
      db.selectFrom('push').select('id').where('repository_id', '=', id).where('state', '=', 'receiving').execute()
    await until(async () => (await openPush()).length === 0)
    assert.equal((await client.get('/repos/ida/many/tags?per_page=1')).body.length, 1)
  })

  test('of an owner has nothing of the merges that are tried of pulls, which go soon after the pulls', async () => {
    const { client: wim, folder, url } = await begin('wim', 'text')
    const yan = await makeUser(hosted.server, 'yan')
    await addText(folder, 'first', 'last')
    await folder.must('push', '--quiet', url, 'HEAD:main')
    assert.equal((await yan.post('/repos/wim/text/forks', {})).status, 202)
    await folder.must('switch', '--quiet', '--create', 'side')
    await addText(folder, 'changed', 'last')
    await folder.must('push', '--quiet', hosted.url('yan/text', yan, 'yan'), 'side')
    await folder.must('switch', '--quiet', 'main')
    await addText(folder, 'first', 'other')
    await folder.must('push', '--quiet', url, 'HEAD:main')
    // Apart from the base: what was tried before that moves is the repository's own.
    const { object } = (await wim.get('/repos/wim/text/git/ref/heads/main')).body
    assert.equal((await wim.post('/repos/wim/text/git/refs', { ref: 'refs/heads/apart', sha: object.sha })).status, 201)
    const own = { message: 'x', content: '', branch: 'apart' }
    await until(async () => (await measureKib('wim')) > 500)
    const [before, ofYan] = [await measureKib('wim'), await measureKib('yan')]
    const draft = { title: 'x', head: 'yan:side', base: 'main' }
    const { body: pull } = await yan.post('/repos/wim/text/pulls', draft)
    assert.match((await wim.get(`/repos/wim/text/pulls/${pull.number}`)).body.merge_commit_sha, /^[0-9a-f]{40}$/)
    const { db } = hosted.server.services.store
    const { id } = (await wim.get('/repos/wim/text')).body
    const working = db.selectFrom('pull_work').select('id').where('repository_id', '=', id)
    const waitUntilFollowed = () => until(async () => (await working.execute()).length === 0)
    await waitUntilFollowed()
    assert.equal((await wim.put('/repos/wim/text/contents/own', own)).status, 201)
    // A commit of the owner's, once what was measured beside the trial is measured again.
    await until(async () => (await measureKib('wim')) <= before + 16)
    assert.ok((await measureKib('yan')) > ofYan + 500, 'the file that was brought, and the one that was merged')
    const measured = await measureKib('yan')
    assert.equal((await yan.patch(`/repos/wim/text/pulls/${pull.number}`, { state: 'closed' })).status, 200)
    const path = await hosted.folderOf('wim/text')
    await until(async () => !(await demandGit(['for-each-ref'], { folder: path })).includes('/merge'))
    const pruning = db.selectFrom('job').select('id').where('kind', '=', 'forge.prune').where('key', '=', String(id))
    await until(async () => (await pruning.execute()).length > 0)
    // What is let go of is dated once the ref is gone.
    await waitUntilFollowed()
    const objects = join(path, 'objects')
    const loose = (await readdir(objects, { recursive: true })).filter((name) =>
      /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(name),
    )
    for (const name of loose) {
      const { mtimeMs } = await stat(join(objects, name))
      await utimes(join(objects, name), new Date(mtimeMs - dayMs), new Date(mtimeMs - dayMs))
    }
    shiftMs = dayMs
    await until(async () => (await measureKib('yan')) < measured - 200)
    assert.ok((await measureKib('wim')) <= before + 16)
    assert.equal((await hosted.fsck('wim/text')).code, 0)
  })

  test('of who opened a pull has one merge that is tried of it, however often the owner moves its base', async () => {
    const { client: sue, folder, url } = await begin('sue', 'moving')
    const ted = await makeUser(hosted.server, 'ted')
    await addText(folder, 'first', 'last')
    await folder.must('push', '--quiet', url, 'HEAD:main')
    assert.equal((await ted.post('/repos/sue/moving/forks', {})).status, 202)
    await folder.must('switch', '--quiet', '--create', 'side')
    await addText(folder, 'first', 'changed')
    await folder.must('push', '--quiet', hosted.url('ted/moving', ted, 'ted'), 'side')
    await folder.must('switch', '--quiet', 'main')
    const path = '/repos/sue/moving/pulls/1'
    const { status } = await ted.post('/repos/sue/moving/pulls', { title: 'x', head: 'ted:side', base: 'main' })
    assert.equal(status, 201)
    const bases = ['one', 'two', 'three', 'four']
    for (const base of bases) {
      await folder.must('switch', '--quiet', '--create', base, 'main')
      await addText(folder, base, 'last')
      await folder.must('push', '--quiet', url, base)
    }
    const tries = async () => {
      await until(async () => (await working().execute()).length === 0)
      assert.match((await sue.get(path)).body.merge_commit_sha, /^[0-9a-f]{40}$/)
      await until(async () => (await working().execute()).length === 0)
      return measureKib('ted')
    }
    const { id } = (await sue.get('/repos/sue/moving')).body
    const working = () =>
      hosted.server.services.store.db.selectFrom('pull_work').select('id').where('repository_id', '=', id)
    assert.equal((await sue.patch(path, { base: bases[0] })).status, 200)
    const first = await tries()
    for (const base of bases.slice(1)) {
      assert.equal((await sue.patch(path, { base })).status, 200)
      assert.ok((await tries()) <= first + 16, base)
    }
    for (const line of ['five', 'six']) {
      await addText(folder, line, 'last')
      await folder.must('push', '--quiet', url, 'four')
      assert.ok((await tries()) <= first + 400, line)
    }
    // By turns, they may have the one before and the one that is tried.
    const [before, owner] = [await measureKib('ted'), await measureKib('sue')]
    assert.equal((await ted.patch(path, { base: 'one' })).status, 200)
    assert.equal((await ted.patch(path, { base: 'three' })).status, 200)
    await tries()
    assert.ok((await measureKib('ted')) >= before, 'what they want tried themselves is theirs')
    assert.ok((await measureKib('sue')) <= owner + 16)
  })

  test('of an owner has nothing of what strangers take of it to forks of their own', async () => {
    const { folder, url } = await begin('uma', 'watched')
    const vic = await makeUser(hosted.server, 'vic')
    assert.equal((await vic.post('/repos/uma/watched/forks', {})).status, 202)
    await commit(folder, 'two')
    await folder.must('push', '--quiet', url, 'HEAD:main')
    const draft = { title: 'x', head: 'uma:main', base: 'main' }
    assert.equal((await vic.post('/repos/vic/watched/pulls', draft)).status, 201)
    const [before, ofVic] = [await measureKib('uma'), await measureKib('vic')]
    await add(folder, 0.5 * mib)
    await folder.must('push', '--quiet', url, 'HEAD:main')
    const tip = await folder.must('rev-parse', 'HEAD')
    await until(async () => (await vic.get('/repos/vic/watched/pulls/1')).body.head.sha === tip)
    assert.ok((await measureKib('uma')) < before + 600)
    assert.ok((await measureKib('vic')) > ofVic + 500)
  })

  test('has as much of pulls as they take once git has packed them', async () => {
    const { client: xia, folder, url } = await begin('xia', 'packed')
    const zoe = await makeUser(hosted.server, 'zoe')
    await addText(folder, 'first', 'last')
    await folder.must('push', '--quiet', url, 'HEAD:main')
    assert.equal((await zoe.post('/repos/xia/packed/forks', {})).status, 202)
    const path = await hosted.folderOf('xia/packed')
    for (const head of ['one', 'two', 'three', 'four']) {
      await folder.must('switch', '--quiet', '--create', head, 'main')
      await addText(folder, head, 'last')
      await folder.must('push', '--quiet', hosted.url('zoe/packed', zoe, 'zoe'), head)
      const draft = { title: 'x', head: `zoe:${head}`, base: 'main' }
      assert.equal((await zoe.post('/repos/xia/packed/pulls', draft)).status, 201)
      await demandGit(['repack', '-d', '--quiet'], { folder: path })
    }
    const { db } = hosted.server.services.store
    const { id } = (await xia.get('/repos/xia/packed')).body
    const counted = async () => {
      const rows = await db.selectFrom('pull_usage').select('size_kib').where('repository_id', '=', id).execute()
      return rows.reduce((sum, row) => sum + row.size_kib, 0)
    }
    const asBrought = await counted()
    assert.ok(asBrought > 600, String(asBrought))
    await demandGit(['config', 'gc.autoPackLimit', '1'], { folder: path })
    assert.equal((await xia.put('/repos/xia/packed/contents/own', { message: 'x', content: '' })).status, 201)
    await until(async () => (await counted()) < asBrought / 2)
    assert.ok((await measureKib('xia')) > 250, 'the owner’s own counts to the owner')
  })

  async function makeOld(id: number): Promise<void> {
    const objects = join(hosted.server.services.forge.git.folderOf({ id }), 'objects')
    const longAgo = new Date(Date.now() - 20 * dayMs)
    for (const name of await readdir(objects, { recursive: true })) await utimes(join(objects, name), longAgo, longAgo)
  }

  /** Two pulls whose heads are pushed anew by force: one leads to half a mebibyte no more, the other to its own still. */
  async function forcePulls() {
    const { client: oda, folder } = await begin('oda', 'target')
    const zac = await makeUser(hosted.server, 'zac')
    const measure = async (login: string) => {
      const { id } = (await oda.get(`/users/${login}`)).body
      return Math.round((await hosted.server.services.forge.storage.measure(id)) / (mib / 4))
    }
    assert.equal((await zac.post('/repos/oda/target/forks', {})).status, 202)
    const fork = hosted.url('zac/target', zac, 'zac')
    for (const head of ['dropped', 'amended']) {
      await folder.must('switch', '--quiet', '--create', head, 'main')
      await add(folder, 0.5 * mib)
      await folder.must('push', '--quiet', fork, head)
      const { status } = await zac.post('/repos/oda/target/pulls', { title: head, head: `zac:${head}`, base: 'main' })
      assert.equal(status, 201)
    }
    await folder.must('commit', '--quiet', '--amend', '--message', 'the same')
    await folder.must('switch', '--quiet', 'dropped')
    await folder.must('reset', '--quiet', '--hard', 'main')
    await commit(folder, 'small')
    // With what git notes of a pack then, a fetch brings nothing that an earlier head has brought.
    await demandGit(['gc', '--quiet'], { folder: await hosted.folderOf('zac/target') })
    await folder.must('push', '--quiet', '--force', fork, 'dropped', 'amended')
    for (const [number, head] of [
      [1, 'dropped'],
      [2, 'amended'],
    ]) {
      const events = async () =>
        (await oda.get(`/repos/oda/target/issues/${number}/events`)).body as { event: string }[]
      await until(async () => (await events()).some(({ event }) => event === 'head_ref_force_pushed'))
      const { body } = await oda.get(`/repos/oda/target/pulls/${number}`)
      assert.equal(body.head.sha, await folder.must('rev-parse', String(head)))
    }
    const { id } = (await oda.get('/repos/oda/target')).body as { id: number }
    return { id, measure, before: await measure('zac') }
  }

  test('has room again once git has let go of what nothing leads to', async () => {
    const forced = await forcePulls()
    const { client, folder, url } = await begin('kim', 'left')
    const first = await folder.must('rev-parse', 'HEAD')
    await add(folder, mib)
    await folder.must('push', '--quiet', url, 'HEAD:refs/heads/side')
    await folder.must('push', '--quiet', url, ':refs/heads/side')
    const { id, size } = (await client.get('/repos/kim/left')).body
    assert.ok(size > 1000)
    await makeOld(id)
    await makeOld(forced.id)
    shiftMs = 16 * dayMs
    await until(async () => (await sizeOf(client, 'kim/left')) < 100)
    assert.equal((await client.get('/repos/kim/left/branches/main')).body.commit.sha, first)
    await until(async () => (await forced.measure('zac')) < forced.before)
    const left = [await forced.measure('zac'), await forced.measure('oda')]
    assert.deepEqual(
      left,
      [6, 0],
      'of pulls that were pushed by force, what their heads still lead to counts as before',
    )
  })
})
