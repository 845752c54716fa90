/** Large files by the real client, `git lfs` as Debian has it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { WorkingFolder } from '../../support/git.ts'
import { provideGitLfs } from '../../support/git-lfs.ts'
import { makeRest, makeToken } from '../../support/rest.ts'
import { commit, type GitServer, startGitServer } from '../git-server.ts'
import { makeObject } from './lfs-client.ts'

const missing = await provideGitLfs()
// Else it tells of its progress to terminals alone.
process.env.GIT_LFS_FORCE_PROGRESS = '1'

describe('git lfs', { skip: missing ?? false }, () => {
  let { server, ann, bob, work, url, start, stop } = {} as GitServer
  before(async () => {
    ;({ server, ann, bob, work, url, start, stop } = await startGitServer('sqlite'))
  })
  after(() => stop())

  const enable = async (folder: WorkingFolder) => folder.must('lfs', 'install', '--local')
  const write = async (folder: WorkingFolder, name: string, bytes = randomBytes(100_000)) => {
    await writeFile(join(folder.path, name), bytes)
    await folder.must('add', '.')
    await commit(folder, name)
    return bytes
  }
  /** A repository that keeps .bin files by LFS. */
  const begin = async (name: string, isPrivate = false) => {
    const folder = await start(name, isPrivate)
    await enable(folder)
    await folder.must('lfs', 'track', '*.bin')
    return folder
  }
  const clone = async (address: string) => {
    const folder = await work()
    await enable(folder)
    await folder.must('remote', 'add', 'origin', address)
    await folder.must('fetch', '--quiet', 'origin')
    await folder.must('checkout', '--quiet', '-B', 'main', 'origin/main')
    return folder
  }
  const share = (name: string, login: string, permission = 'push') =>
    ann.put(`/repos/ann/${name}/collaborators/${login}`, { permission })

  test('pushes, clones and pulls, and sends only what the server has not', async () => {
    const folder = await begin('large', true)
    const files = new Map<string, Buffer>()
    for (const name of ['a.bin', 'b.bin', 'c.bin']) files.set(name, await write(folder, name))
    const pushed = await folder.must('push', 'origin', 'main')
    assert.match(pushed, /Uploading LFS objects: 100% \(3\/3\)/)
    assert.match(await folder.must('show', 'main:a.bin'), /^version https:\/\/git-lfs/)
    const copy = await clone(url('ann/large'))
    for (const [name, bytes] of files) assert.ok((await readFile(join(copy.path, name))).equals(bytes), name)
    assert.match(await copy.must('lfs', 'fsck'), /Git LFS fsck OK/)
    const more = await write(copy, 'd.bin')
    assert.match(await copy.must('push', 'origin', 'main'), /Uploading LFS objects: 100% \(1\/1\)/)
    await folder.must('pull', '--quiet', 'origin', 'main')
    assert.ok((await readFile(join(folder.path, 'd.bin'))).equals(more))
  })

  test('reads what is public without a sign-in, and is refused a push', async () => {
    const folder = await begin('open')
    const bytes = await write(folder, 'a.bin')
    await folder.must('push', '--quiet', 'origin', 'main')
    const copy = await clone(`${server.url}/ann/open.git`)
    assert.ok((await readFile(join(copy.path, 'a.bin'))).equals(bytes))
    await copy.must('remote', 'set-url', 'origin', url('ann/open', bob, 'bob'))
    await write(copy, 'b.bin')
    const refused = await copy.git('push', 'origin', 'main')
    assert.notEqual(refused.code, 0)
    assert.match(refused.output, /Must have write rights|Authorization error|403/)
  })

  test('goes on with a download that broke off', async () => {
    const folder = await begin('resumed')
    const bytes = await write(folder, 'a.bin', randomBytes(300_000))
    await folder.must('push', '--quiet', 'origin', 'main')
    const copy = await work()
    await enable(copy)
    const { oid } = makeObject(bytes)
    await mkdir(join(copy.path, '.git', 'lfs', 'incomplete'), { recursive: true })
    await writeFile(join(copy.path, '.git', 'lfs', 'incomplete', `${oid}.part`), bytes.subarray(0, 100_000))
    await copy.must('remote', 'add', 'origin', url('ann/resumed'))
    await copy.must('pull', '--quiet', 'origin', 'main')
    assert.ok((await readFile(join(copy.path, 'a.bin'))).equals(bytes))
    const { text } = await ann.get('/metrics')
    assert.match(text, /info\/lfs\/objects\/:oid",method="GET",status="206"/)
  })

  test('works with tokens of other kinds, for their own repository', async () => {
    const folder = await begin('tokens', true)
    const bytes = await write(folder, 'a.bin')
    await folder.must('push', '--quiet', 'origin', 'main')
    for (const kind of ['fine-grained', 'installation', 'workflow']) {
      const draft = { kind, repositories: ['ann/tokens'], permissions: { contents: 'read' } }
      const reader = makeRest(server.url, await makeToken(server, 'ann', draft))
      const copy = await clone(url('ann/tokens', reader, 'x-access-token'))
      assert.ok((await readFile(join(copy.path, 'a.bin'))).equals(bytes), kind)
    }
  })

  test('locks a file, so that another can neither lock nor push it until it is forced', async () => {
    const folder = await begin('locked')
    await folder.must('lfs', 'track', '--lockable', '*.bin')
    await write(folder, 'a.bin')
    await folder.must('push', '--quiet', 'origin', 'main')
    await folder.must('lfs', 'lock', 'a.bin')
    assert.match(await folder.must('lfs', 'locks'), /a\.bin\s+ann\s+ID:\d+/)
    await share('locked', 'bob')
    const invitation = (await bob.get('/user/repository_invitations')).body[0]
    await bob.patch(`/user/repository_invitations/${invitation.id}`)
    const copy = await clone(url('ann/locked', bob, 'bob'))
    const again = await copy.git('lfs', 'lock', 'a.bin')
    assert.notEqual(again.code, 0)
    assert.match(again.output, /ann has locked this file already/)
    await copy.must('config', 'lfs.locksverify', 'true')
    // git lfs makes what is not locked by oneself read-only.
    await chmod(join(copy.path, 'a.bin'), 0o644)
    await write(copy, 'a.bin')
    const refused = await copy.git('push', 'origin', 'main')
    assert.notEqual(refused.code, 0, refused.output)
    assert.match(refused.output, /a\.bin - ann/)
    assert.notEqual((await copy.git('lfs', 'unlock', '--force', 'a.bin')).code, 0, 'bob is no admin')
    await folder.must('lfs', 'unlock', 'a.bin')
    await copy.must('push', '--quiet', 'origin', 'main')
    await copy.must('lfs', 'lock', 'a.bin')
    await folder.must('lfs', 'unlock', '--force', 'a.bin')
    assert.equal(await folder.must('lfs', 'locks'), '')
  })
})
