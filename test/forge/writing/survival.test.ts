/** Files put over REST through kill -9: what was answered is there, and git and the database agree. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/lib/clock.ts'
import { engines, makeMigratedDatabase } from '../../support/engines.ts'
import { startProgram } from '../../support/program.ts'
import { makeRest } from '../../support/rest.ts'
import { admin, startServer } from '../../support/server.ts'
import { demandAgreement, pusherRepository } from '../pusher.ts'

const rounds = 2
const writers = ['one', 'two', 'three']

for (const engine of engines)
  test(`files put to a server on ${engine} that is killed again and again are there when they were answered`, async (t) => {
    const database = await makeMigratedDatabase(engine)
    t.after(database.drop)
    const answered: string[] = []
    let count = 0
    /** To a branch of its own, so that nobody waits for another, until the server is gone. */
    async function write(url: string, branch: string): Promise<void> {
      const client = makeRest(url, admin.token)
      for (;;) {
        const path = `${branch}-${++count}`
        const draft = { message: path, content: Buffer.from(path).toString('base64'), branch }
        const { status } = await client.put(`/repos/${pusherRepository}/contents/${path}`, draft)
        if (status !== 201) throw new Error(`${path}: ${status}`)
        answered.push(`${branch}:${path}`)
      }
    }
    for (let round = 0; round < rounds; round++) {
      const program = await startProgram({
        GUILDHALL_DATA: database.folder,
        ...(database.url && { DATABASE_URL: database.url }),
        GUILDHALL_ADMIN_PASSWORD: admin.password,
        GUILDHALL_ADMIN_TOKEN: admin.token,
        GUILDHALL_LIMITS: 'off',
        GUILDHALL_LOG: 'silent',
      })
      t.after(() => program.end('SIGKILL'))
      const client = makeRest(program.url, admin.token)
      if (round === 0) {
        const [, name] = pusherRepository.split('/')
        await client.post('/user/repos', { name, auto_init: true })
        const { body } = await client.get(`/repos/${pusherRepository}/git/ref/heads/main`)
        const { sha } = body.object
        for (const branch of writers)
          await client.post(`/repos/${pusherRepository}/git/refs`, { ref: `refs/heads/${branch}`, sha })
      }
      const before = answered.length
      const working = Promise.allSettled(writers.map((branch) => write(program.url, branch)))
      while (answered.length < before + 3) await sleep(20)
      await sleep(Math.random() * 500)
      await program.end('SIGKILL')
      await working
    }
    // Some minutes later: where other servers may be on the database, a push is nobody's only then.
    const clock = { now: () => systemClock.now() + 5 * 60_000 }
    const server = await startServer(engine, { clock, database, environment: { GUILDHALL_LIMITS: 'off' } })
    t.after(() => server.stop())
    await demandAgreement(server, true)
    const client = makeRest(server.url, admin.token)
    for (const each of answered) {
      const [branch = '', path = ''] = each.split(':')
      const { status } = await client.get(`/repos/${pusherRepository}/contents/${path}?ref=${branch}`)
      assert.equal(status, 200, each)
    }
    // The lock of a ref that a killed git has left is taken away once nothing can come of it any more: then all goes on.
    const fresh = { message: 'm', content: '', branch: 'main' }
    assert.equal((await client.put(`/repos/${pusherRepository}/contents/last`, fresh)).status, 201)
  })
