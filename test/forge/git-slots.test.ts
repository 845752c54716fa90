/** Slots for git: who leaves a request half sent, or an answer unread, does not keep others from cloning and pushing. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, mock, test } from 'node:test'
import { watchClient } from '../../src/forge/git/serve/client-pace.ts'
import { writePacket } from '../../src/forge/git/serve/pkt-line.ts'
import { makeUser, type RestClient } from '../support/rest.ts'
import { until } from '../support/until.ts'
import { commit, type GitServer, startGitServer } from './git-server.ts'
import { type HalfSent, sendHalf } from './half-sent.ts'

/** As many as the server has, by its docs: 16 for each core. */
const slots = availableParallelism() * 16

describe('slots for git', () => {
  let { server, ann, bob, url, start, work, stop } = {} as GitServer
  let halves: HalfSent[] = []
  before(async () => {
    ;({ server, ann, bob, url, start, work, stop } = await startGitServer('sqlite', {
      environment: { GUILDHALL_GIT_LIMITS: 'stallSeconds=1' },
    }))
  })
  after(async () => {
    for (const half of halves) half.drop()
    await stop()
  })

  /** A push of some hundred kilobytes that makes a branch, but for its end: git is at it when it stops. */
  async function makeLongPush(name: string, isPrivate = false): Promise<Buffer> {
    const folder = await start(name, isPrivate)
    await writeFile(join(folder.path, 'noise'), randomBytes(300_000))
    await folder.must('add', '.')
    await commit(folder, 'noise')
    const head = await folder.must('rev-parse', 'HEAD')
    const pack = execFileSync('git', ['pack-objects', '--stdout', '--revs', '--quiet'], {
      cwd: folder.path,
      input: `${head}\n`,
    })
    const command = writePacket(`${'0'.repeat(40)} ${head} refs/heads/half\0 report-status`)
    return Buffer.concat([command, Buffer.from('0000'), pack])
  }

  const halfPush = (name: string, client: RestClient, body: Buffer) =>
    sendHalf({
      url: server.url,
      path: `/ann/${name}.git/git-receive-pack`,
      token: client.token,
      start: body.subarray(0, -10),
      length: body.length,
    })

  const halfFetch = (name: string, client?: RestClient) =>
    sendHalf({
      url: server.url,
      path: `/ann/${name}.git/git-upload-pack`,
      token: client?.token,
      start: Buffer.from('0'),
      length: 500_000,
    })

  const mayWrite = async (name: string, client: RestClient) => {
    const { login } = (await client.get('/user')).body
    const { body } = await ann.put(`/repos/ann/${name}/collaborators/${login}`, { permission: 'push' })
    assert.equal((await client.patch(`/user/repository_invitations/${body.id}`)).status, 204)
  }

  const countOpen = async () => {
    const { length } = await server.services.store.db
      .selectFrom('push')
      .select('id')
      .where('state', '=', 'receiving')
      .execute()
    return length
  }

  test('a stranger clones and pushes while two accounts and nobody hold all they can', async () => {
    const body = await makeLongPush('held')
    const vic = await makeUser(server, 'vic')
    await vic.post('/user/repos', { name: 'own' })
    const mal = await makeUser(server, 'mal')
    for (const client of [bob, mal]) await mayWrite('held', client)
    const fetches = [bob, mal, undefined].flatMap((client) =>
      Array.from({ length: slots / 2 }, () => halfFetch('held', client)),
    )
    halves = await Promise.all(fetches)
    const pushes = [bob, mal].flatMap((client) =>
      Array.from({ length: slots / 2 }, () => halfPush('held', client, body)),
    )
    halves.push(...(await Promise.all(pushes)))
    await until(async () => (await countOpen()) > 0)
    const folder = await work()
    const from = url('ann/held', vic, 'vic')
    const to = url('vic/own', vic, 'vic')
    await folder.must('clone', '--quiet', from, 'copy')
    await folder.must('-C', 'copy', 'push', '--quiet', to, 'main')
    assert.equal((await vic.get('/repos/vic/own/branches')).body.length, 1)
    for (const half of halves.splice(0)) half.drop()
    await until(async () => (await countOpen()) === 0)
  })

  test('who has all of their own taken by pushes that stand still gets one back, told why; another’s stays', async () => {
    // git says who it is only where it is asked.
    const body = await makeLongPush('own', true)
    await mayWrite('own', bob)
    const slow = await halfPush('own', ann, body)
    await until(async () => (await countOpen()) === 1)
    halves = await Promise.all(Array.from({ length: slots / 2 }, () => halfPush('own', bob, body)))
    await until(async () => (await countOpen()) === 1 + slots / 2)
    const folder = await work()
    await folder.must('clone', '--quiet', url('ann/own', bob, 'bob'), 'copy')
    await until(() => halves.some((half) => half.said().includes('503')))
    assert.ok(halves.some((half) => half.said().includes('Others wait for git')))
    for (const half of halves.splice(0)) half.drop()
    const { status, text } = await slow.finish(body.subarray(-10))
    assert.deepEqual([status, text.includes('ok refs/heads/half')], [200, true])
  })
})

describe('a slot for git', () => {
  test('is kept by a client however slow while nobody wants it, and by one that is not slow; git’s own time counts for none', () => {
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      const look = (isWaiting: boolean, isWanted: boolean, bytesPerSecond: number) => {
        let seconds = 0
        let isCut = false
        const watched = { isWaiting: () => isWaiting, moved: () => seconds * bytesPerSecond }
        const stop = watchClient({ giveUpIfWanted: () => isWanted }, 10, watched, () => (isCut = true))
        for (; seconds < 60 && !isCut; seconds++) mock.timers.tick(1_000)
        stop()
        return isCut
      }
      assert.equal(look(true, true, 0), true)
      assert.equal(look(true, true, 500), true)
      assert.equal(look(true, true, 2_000), false)
      assert.equal(look(true, false, 0), false)
      assert.equal(look(false, true, 0), false)
    } finally {
      mock.timers.reset()
    }
  })
})
