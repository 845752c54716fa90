/** Pushes of a little that stands for much: refused by what the pack says of itself, before any of it is unfolded. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makePack, makePush, objectId, type PackEntry, repeatBase } from './crafted-packs.ts'
import { type GitServer, mib, startGitServer } from './git-server.ts'
import { listGits } from './running-gits.ts'

const who = 'Ann <ann@example.org> 1700000000 +0000'
const commitOf = (tree: string) => `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nbomb\n`
const base = randomBytes(0x10000)

/** A commit of an empty tree, and beside it what is to be taken with it. */
function makeBomb(entries: readonly PackEntry[]): { pack: Buffer; sha: string } {
  const commit = commitOf(objectId('tree', ''))
  const all: PackEntry[] = [
    { type: 'commit', bytes: Buffer.from(commit) },
    { type: 'tree', bytes: Buffer.alloc(0) },
    ...entries,
  ]
  return { pack: makePack(all), sha: objectId('commit', commit) }
}

/** So many deltas on one base, each of which makes so many times 64 KiB. */
const deltas = (count: number, times: number): PackEntry[] => [
  { type: 'blob', bytes: base },
  ...Array.from(
    { length: count },
    (_, i): PackEntry => ({ type: 'delta', back: i + 1, bytes: repeatBase(base.length, times, `n${i}`) }),
  ),
]

describe('a push of a little that stands for much', () => {
  let git = {} as GitServer
  const servers: GitServer[] = []
  const startWith = async (limits: string) => {
    const started = await startGitServer('sqlite', { environment: { GUILDHALL_GIT_LIMITS: limits } })
    servers.push(started)
    return started
  }
  before(async () => {
    git = await startWith('')
    await git.start('target')
  })
  after(() => Promise.all(servers.map(({ stop }) => stop())))

  async function push({ server, ann }: GitServer, { pack, sha }: { pack: Buffer; sha: string }, isChunked = false) {
    const body = makePush('refs/heads/bomb', sha, pack)
    const parts = async function* () {
      for (let at = 0; at < body.length; at += 64 * 1024) yield body.subarray(at, at + 64 * 1024)
    }
    const answer = await fetch(`${server.url}/ann/target.git/git-receive-pack`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/x-git-receive-pack-request' },
      body: (isChunked ? ReadableStream.from(parts()) : body) as unknown as string,
      ...(isChunked && { duplex: 'half' }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  const listObjects = async ({ folderOf }: GitServer) =>
    readdirSync(join(await folderOf('ann/target'), 'objects'), { recursive: true }).sort()

  async function demandRefused(at: GitServer, bomb: { pack: Buffer; sha: string }, reason: RegExp, isChunked = false) {
    const before = await listObjects(at)
    const [{ status, text }, others] = await Promise.all([
      push(at, bomb, isChunked),
      at.bob.get('/repos/ann/target/commits'),
    ])
    assert.equal(status, 200)
    assert.match(text, /unpack .*\n.*ng refs\/heads\/bomb/s)
    assert.match(text, reason)
    assert.equal(others.status, 200)
    assert.equal((await at.ann.get('/repos/ann/target/branches/bomb')).status, 404)
    assert.deepEqual(await listObjects(at), before)
    assert.deepEqual(listGits(at.server.database.folder), [])
  }

  test('is refused by what its deltas come to', async () => {
    const bomb = makeBomb(deltas(200, 1000))
    assert.ok(bomb.pack.length < 100_000, String(bomb.pack.length))
    await demandRefused(git, bomb, /unfolds to far more than was sent/)
  })

  test('is refused by the size of one object', async () => {
    await demandRefused(git, makeBomb(deltas(1, 5000)), /object of 313 MiB.*takes 256 MiB/)
    const zeros = Buffer.alloc(mib)
    await demandRefused(git, makeBomb([{ type: 'tree', bytes: zeros, size: 300 * mib }]), /object of 300 MiB/)
    await demandRefused(git, makeBomb([{ type: 'blob', bytes: zeros, size: 5000 * mib }]), /unfolds to far more/)
    await demandRefused(git, makeBomb([{ type: 'blob', bytes: zeros, size: mib - 1 }]), /malformed/)
  })

  test('is refused behind a long beginning, and git is ended', async () => {
    const long: PackEntry = { type: 'blob', bytes: randomBytes(3 * mib) }
    await demandRefused(git, makeBomb([long, ...deltas(200, 2000)]), /unfolds to far more than was sent/, true)
    await demandRefused(git, makeBomb([long, ...deltas(1, 5000)]), /object of 313 MiB/, true)
  })

  test('is ended by the bound of time where it is within the others', async () => {
    const short = await startWith('pushSeconds=1,pushUnfoldMib=100000')
    await short.start('target')
    await demandRefused(
      short,
      makeBomb(deltas(150, 1000)),
      /unpack index-pack abnormal exit|unpack unpack-objects abnormal exit/,
    )
  })

  test('is taken within the bounds, and stays as small as it came', async () => {
    const zeros: PackEntry = { type: 'blob', bytes: Buffer.alloc(16 * mib) }
    const bomb = makeBomb([zeros, ...deltas(3, 300)])
    const { status, text } = await push(git, bomb)
    assert.deepEqual([status, /unpack ok.*ok refs\/heads\/bomb/s.test(text)], [200, true], text)
    assert.equal((await git.ann.get('/repos/ann/target/branches/bomb')).body.commit.sha, bomb.sha)
    const { size } = (await git.ann.get('/repos/ann/target')).body
    assert.ok(size < 1024, `${size} KiB`)
    assert.equal((await git.fsck('ann/target')).code, 0)
  })
})
