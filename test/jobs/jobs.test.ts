import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { backOff } from '../../src/jobs/back-off.ts'
import { type Job, type Jobs, makeJobs, type Needs } from '../../src/jobs/jobs.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Store } from '../../src/store/store.ts'
import { startProcess } from '../support/child-process.ts'
import { engines, makeMigratedDatabase, silentLog, type TestDatabase } from '../support/engines.ts'
import { ruleTestOn } from '../support/rule-test.ts'
import { until } from '../support/until.ts'

for (const engine of engines) {
  describe(`jobs on ${engine}`, () => {
    let database: TestDatabase
    let store: Store
    let started: Jobs[] = []
    before(async () => {
      database = await makeMigratedDatabase(engine)
      store = await database.open()
    })
    afterEach(async () => {
      await Promise.all(started.map((jobs) => jobs.stop(0)))
      started = []
    })
    after(async () => {
      await store.close()
      await database.drop()
    })

    function makeServer(options: Partial<Needs> = {}): Jobs {
      const jobs = makeJobs({ store, clock: systemClock, log: silentLog, firstPauseMs: 10, ...options })
      started.push(jobs)
      return jobs
    }

    const enqueue = (jobs: Jobs, kind: string, payload: unknown = {}, options = {}) =>
      store.write((trx) => jobs.enqueue(trx, kind, payload, options))

    test('a job is done soon after its act is committed, with its payload and progress', async () => {
      const jobs = makeServer({ pollMs: 60_000 })
      const seen: unknown[] = []
      jobs.define('mail', async (payload, { jobId, progress }) => {
        progress(1, 2)
        progress(2, 2)
        seen.push([payload, jobId])
      })
      await jobs.start()
      const id = await enqueue(jobs, 'mail', { to: 'gr\u{FC}\0\uD800' })
      const job = await waitFor(jobs, id, isEnded)
      assert.deepEqual(seen, [[{ to: 'gr\u{FC}\0\uD800' }, id]])
      assert.deepEqual([job.state, job.tries, job.progress, job.error], ['done', 1, { done: 2, total: 2 }, undefined])
    })

    test('a job that was cut short goes on at once where no other process could run it', async () => {
      const runs: number[] = []
      const dead = makeServer()
      dead.define('cut', (_, { signal }) => once(signal, 'abort'))
      await dead.start()
      const id = await enqueue(dead, 'cut')
      await waitFor(dead, id, ({ state }) => state === 'running')
      const next = makeServer({ isAlone: true, pollMs: 60_000 })
      next.define('cut', async (_, { isLastTry }) => runs.push(Number(isLastTry)))
      await next.start()
      const job = await waitFor(next, id, isEnded)
      assert.deepEqual([job.state, job.tries, runs], ['done', 2, [0]])
    })

    test('a job enqueued in a transaction that fails was never there', async () => {
      const jobs = makeServer()
      jobs.define('undone', async () => assert.fail('it must not run'))
      await jobs.start()
      let id = 0
      const failing = store.write(async (trx) => {
        id = await jobs.enqueue(trx, 'undone', {})
        throw new Error('changed my mind')
      })
      await assert.rejects(failing, /changed my mind/)
      assert.equal(await jobs.find(id), undefined)
    })

    test('progress shows while the job runs', async () => {
      const jobs = makeServer()
      const { promise: release, resolve } = Promise.withResolvers<void>()
      jobs.define('export', async (_payload, { progress }) => {
        progress(3, 10)
        progress(4, 10)
        await release
      })
      await jobs.start()
      const id = await enqueue(jobs, 'export')
      const job = await waitFor(jobs, id, ({ progress }) => progress?.done === 4)
      assert.equal(job.state, 'running')
      resolve()
      await waitFor(jobs, id, isEnded)
    })

    test('a job that fails is tried again later and later, then is dead with its last words and no secrets', async () => {
      const jobs = makeServer()
      let tries = 0
      jobs.define('hopeless', async () => {
        tries++
        throw new Error(`try ${tries}: refused by https://us:hunter22@host/?token=abc\0`)
      })
      await jobs.start()
      const id = await enqueue(jobs, 'hopeless', {}, { maxTries: 3 })
      const job = await waitFor(jobs, id, isEnded)
      assert.deepEqual([job.state, job.tries, tries], ['dead', 3, 3])
      assert.match(job.error!, /^try 3: refused by /)
      assert.doesNotMatch(job.error!, /hunter22|abc|\0/)
    })

    test('a job that fails once is done at the second try', async () => {
      const jobs = makeServer({ pollMs: 60_000 })
      let tries = 0
      jobs.define('flaky', async () => {
        if (++tries === 1) throw new Error('not yet')
      })
      await jobs.start()
      const job = await waitFor(jobs, await enqueue(jobs, 'flaky'), isEnded)
      assert.deepEqual([job.state, job.tries], ['done', 2])
    })

    test('a job for later waits for its time', async () => {
      const jobs = makeServer({ pollMs: 60_000 })
      const ranAt: number[] = []
      jobs.define('later', async () => ranAt.push(Date.now()))
      await jobs.start()
      const runAt = Date.now() + 300
      await waitFor(jobs, await enqueue(jobs, 'later', {}, { runAt }), isEnded)
      assert.ok(ranAt[0]! >= runAt)
    })

    test('each job runs once, in two servers at once, no more at a time than allowed', async () => {
      const seen: number[] = []
      let most = 0
      for (const jobs of [makeServer(), makeServer()]) {
        let atOnce = 0
        jobs.define<{ n: number }>(
          'many',
          async ({ n }) => {
            most = Math.max(most, ++atOnce)
            await sleep(1)
            seen.push(n)
            atOnce--
          },
          { concurrency: 4 },
        )
        await jobs.start()
      }
      const jobs = started[0]!
      const ids = await store.write(async (trx) => {
        const added: number[] = []
        for (let n = 0; n < 60; n++) added.push(await jobs.enqueue(trx, 'many', { n }))
        return added
      })
      for (const id of ids) assert.equal((await waitFor(jobs, id, isEnded)).tries, 1)
      assert.deepEqual(
        seen.sort((a, b) => a - b),
        Array.from({ length: 60 }, (_, n) => n),
      )
      assert.ok(most <= 4)
    })

    test('under one key at most one waits and one runs, and none is lost', async () => {
      const jobs = makeServer()
      const { promise: release, resolve } = Promise.withResolvers<void>()
      let runs = 0
      let atOnce = 0
      jobs.define(
        'join',
        async () => {
          runs++
          assert.equal(++atOnce, 1)
          await release
          atOnce--
        },
        { concurrency: 3 },
      )
      await jobs.start()
      const first = await enqueue(jobs, 'join', {}, { key: 'set 1' })
      await waitFor(jobs, first, ({ state }) => state === 'running')
      const again = await Promise.all([1, 2, 3].map(() => enqueue(jobs, 'join', {}, { key: 'set 1' })))
      assert.equal(new Set(again).size, 1)
      assert.notEqual(again[0], first)
      resolve()
      assert.equal((await waitFor(jobs, again[0]!, isEnded)).state, 'done')
      assert.equal(runs, 2)
    })

    test('a failed job gives way to one that waits under its key', async () => {
      const jobs = makeServer()
      const { promise: release, resolve } = Promise.withResolvers<void>()
      let runs = 0
      jobs.define('yield', async () => {
        if (++runs > 1) return
        await release
        throw new Error('first try fails')
      })
      await jobs.start()
      const first = await enqueue(jobs, 'yield', {}, { key: 'k' })
      await waitFor(jobs, first, ({ state }) => state === 'running')
      const second = await enqueue(jobs, 'yield', {}, { key: 'k' })
      resolve()
      assert.equal((await waitFor(jobs, second, isEnded)).state, 'done')
      assert.match((await waitFor(jobs, first, isEnded)).error!, /took over/)
      assert.equal(runs, 2)
    })

    test('a recurring job runs again and again, never twice at once, in two servers', async () => {
      let atOnce = 0
      let most = 0
      let runs = 0
      for (const jobs of [makeServer(), makeServer()]) {
        jobs.define('sweep', async () => {
          most = Math.max(most, ++atOnce)
          runs++
          await sleep(5)
          atOnce--
          if (runs === 2) throw new Error('a failure does not end it')
        })
        jobs.every('sweep', 20)
        await jobs.start()
      }
      await until(() => runs >= 6)
      assert.equal(most, 1)
      const rows = await store.db.selectFrom('job').select('id').where('kind', '=', 'sweep').execute()
      assert.equal(rows.length, 1)
    })

    test('a server that starts again does not run a recurring job before its time', async () => {
      let runs = 0
      for (let i = 0; i < 3; i++) {
        const jobs = makeServer()
        jobs.define('daily', async () => runs++)
        jobs.every('daily', 86_400_000)
        await jobs.start()
        await until(() => runs > 0)
        await jobs.stop()
      }
      assert.equal(runs, 1)
    })

    test('a stop lets a job end within its grace, and gives back one that does not', async () => {
      const jobs = makeServer()
      let isAborted = false
      const quick = Promise.withResolvers<void>()
      jobs.define('quick', () => quick.promise)
      jobs.define('deaf', () => sleep(5_000, undefined, { ref: false }))
      jobs.define('heeding', async (_payload, { signal }) => {
        await sleep(5_000, undefined, { signal }).finally(() => {
          isAborted = signal.aborted
        })
      })
      await jobs.start()
      const ids = []
      for (const kind of ['quick', 'deaf', 'heeding']) ids.push(await enqueue(jobs, kind))
      for (const id of ids) await waitFor(jobs, id, ({ state }) => state === 'running')
      const stopping = jobs.stop(400)
      quick.resolve()
      await stopping
      const states = await Promise.all(ids.map(async (id) => (await jobs.find(id))!))
      assert.deepEqual(
        states.map(({ state, tries }) => [state, tries]),
        [
          ['done', 1],
          ['queued', 0],
          ['queued', 0],
        ],
      )
      assert.ok(isAborted)
    })

    ruleTestOn(engine)('a stop waits for the end of a job that is being recorded', async () => {
      const jobs = makeServer()
      const [end, locked, free] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
      jobs.define('ending', () => end!.promise)
      await jobs.start()
      const id = await enqueue(jobs, 'ending')
      await waitFor(jobs, id, ({ state }) => state === 'running')
      const locking = store.write(async (trx) => {
        await trx.updateTable('job').set({ error: null }).where('id', '=', id).execute()
        locked!.resolve()
        await free!.promise
      })
      await locked!.promise
      end!.resolve()
      // Longer than a job has to end: by then the stop would have left it.
      setTimeout(free!.resolve, 900)
      await jobs.stop(0)
      assert.equal((await jobs.find(id))!.state, 'done')
      await locking
    })

    test("a killed process's job is taken up again, a living one's is left alone", async () => {
      const other = startProcess(
        database,
        `const { makeJobs } = await import(src + 'jobs/jobs.ts')
        const jobs = makeJobs({ store, clock, log, leaseMs: 600 })
        jobs.define('long', async (payload, { jobId }) => {
          console.log(jobId)
          await new Promise(() => setInterval(() => {}, 1_000))
        })
        await jobs.start()
        await store.write((trx) => jobs.enqueue(trx, 'long', { n: 1 }))`,
      )
      const id = Number(await other.line())
      const jobs = makeServer({ leaseMs: 600, pollMs: 50 })
      const seen: unknown[] = []
      jobs.define('long', async (payload) => seen.push(payload))
      await jobs.start()
      // A living process renews its lease: it is left alone although its first lease is long over.
      const readLease = async () =>
        (await store.db.selectFrom('job').select('lease_until').where('id', '=', id).executeTakeFirstOrThrow())
          .lease_until!
      const firstUntil = await readLease()
      await until(async () => (await readLease()) > firstUntil + 1_500)
      assert.deepEqual([(await jobs.find(id))!.state, seen], ['running', []])
      await other.kill()
      const job = await waitFor(jobs, id, isEnded)
      assert.deepEqual([job.state, job.tries, seen], ['done', 2, [{ n: 1 }]])
    })

    test('a job that ends its process at each try is dead after the last', async () => {
      const jobs = makeServer({ leaseMs: 50, pollMs: 20 })
      const id = await enqueue(jobs, 'poison', {}, { maxTries: 2 })
      const crash = () =>
        store.write((trx) =>
          sql`update job set state = 'running', tries = tries + 1, lease = 'gone', lease_until = 1
            where id = ${id} and state = 'queued'`.execute(trx),
        )
      await jobs.start()
      await until(async () => {
        await crash()
        return (await jobs.find(id))!.state === 'dead'
      })
      const job = (await jobs.find(id))!
      assert.equal(job.tries, 2)
      assert.match(job.error!, /process that ran it ended/)
    })

    /** Runs until the job has killed it. */
    const runDeadly = (options = '{}') =>
      startProcess(
        database,
        `const { makeJobs } = await import(src + 'jobs/jobs.ts')
        const jobs = makeJobs({ store, clock, log, leaseMs: 60, pollMs: 20, firstPauseMs: 1 })
        jobs.define('deadly', async () => process.kill(process.pid, 'SIGKILL'), ${options})
        await jobs.start()`,
      ).ended()

    const readRow = (id: number) =>
      store.db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

    test('a job that killed its process twice is given up, and whoever waits for it is told in the same write', async () => {
      const jobs = makeServer({ leaseMs: 60, pollMs: 20 })
      const id = await enqueue(jobs, 'deadly', { n: 7 })
      for (let death = 0; death < 2; death++) assert.equal(await runDeadly(), null)
      const told: unknown[] = []
      jobs.define<{ n: number }>('deadly', async () => assert.fail('it must not run a third time'), {
        whenGivenUp: async (trx, payload) => {
          const row = await trx.selectFrom('job').select('state').where('id', '=', id).executeTakeFirstOrThrow()
          told.push(payload, row.state)
        },
      })
      await jobs.start()
      const job = await waitFor(jobs, id, isEnded)
      assert.deepEqual([job.state, job.tries, told], ['dead', 2, [{ n: 7 }, 'dead']])
      assert.match(job.error!, /process that ran it ended.*2 times: it was given up/)
    })

    test('one that works on a queue of its own has a pause instead, which no newer one of its key ends', async () => {
      const jobs = makeServer({ leaseMs: 60, pollMs: 20 })
      const first = await enqueue(jobs, 'deadly', {}, { key: 'all' })
      await runDeadly('{ isStanding: true }')
      // Asked for anew while nobody knows yet that the first is gone.
      const second = await enqueue(jobs, 'deadly', {}, { key: 'all' })
      assert.notEqual(second, first)
      await runDeadly('{ isStanding: true }')
      jobs.define('deadly', async () => assert.fail('it has a pause'), { isStanding: true })
      await jobs.start()
      await until(async () => (await readRow(second)).deaths === 2 && (await readRow(second)).state === 'queued')
      assert.match((await readRow(first)).error!, /took over/)
      const pausedUntil = (await readRow(second)).run_at
      assert.ok(pausedUntil > Date.now())
      assert.equal(await enqueue(jobs, 'deadly', {}, { key: 'all' }), second)
      await store.write((trx) => jobs.hasten(trx, 'deadly'))
      assert.deepEqual([(await readRow(second)).run_at, (await readRow(second)).deaths], [pausedUntil, 2])
    })

    test('a try that ends, however it does, is no death, and what a living process lost is none either', async () => {
      const jobs = makeServer()
      let tries = 0
      jobs.define('survivor', async (_payload, { jobId, renew }) => {
        const deaths = (at: number) =>
          store.write((trx) => sql`update job set deaths = ${at} where id = ${jobId}`.execute(trx))
        if (++tries === 1) {
          await deaths(1)
          throw new Error('an ordinary failure')
        }
        assert.equal((await readRow(jobId)).deaths, 0)
        // As another process would, which takes this one for dead because its database was away.
        await store.write((trx) => sql`update job set deaths = 1, lease = 'other' where id = ${jobId}`.execute(trx))
        await assert.rejects(renew(), /lease of this job is lost/)
      })
      await jobs.start()
      const id = await enqueue(jobs, 'survivor')
      await until(async () => tries === 2 && (await readRow(id)).deaths === 0)
    })

    test('who lost the lease is told, and its end changes nothing', async () => {
      const jobs = makeServer()
      const { promise: told, resolve } = Promise.withResolvers<unknown>()
      jobs.define('stolen', async (_payload, { jobId, renew, signal }) => {
        await store.write((trx) => sql`update job set lease = 'other' where id = ${jobId}`.execute(trx))
        await assert.rejects(renew(), /lease of this job is lost/)
        resolve(signal.aborted)
      })
      await jobs.start()
      const id = await enqueue(jobs, 'stolen')
      assert.equal(await told, true)
      await jobs.stop()
      assert.equal((await jobs.find(id))!.state, 'running')
    })

    test('finished jobs are pruned, the dead later than the done', async () => {
      const setUp = makeServer()
      const ids = [await enqueue(setUp, 'old'), await enqueue(setUp, 'old'), await enqueue(setUp, 'old')]
      const end = (id: number, state: string, agoMs: number) =>
        store.write((trx) =>
          sql`update job set state = ${state}, finished_at = ${Date.now() - agoMs} where id = ${id}`.execute(trx),
        )
      await end(ids[0]!, 'done', 2_000_000)
      await end(ids[1]!, 'dead', 2_000_000)
      await end(ids[2]!, 'dead', 4_000_000)
      await store.write((trx) => sql`update job set run_at = 0 where kind = 'jobs.prune'`.execute(trx))
      const jobs = makeServer({ keepDoneMs: 1_000_000, keepDeadMs: 3_000_000 })
      await jobs.start()
      await until(async () => !(await jobs.find(ids[0]!)) && !(await jobs.find(ids[2]!)))
      assert.equal((await jobs.find(ids[1]!))!.state, 'dead')
    })

    test('what is due is counted, however many jobs of other kinds wait for their time', async () => {
      const jobs = makeServer()
      const hour = 3_600_000
      const before = (await jobs.readBacklog()).due.count
      const later = { state: 'queued', kind: 'a.later', payload: '{}', run_at: Date.now() + hour } as const
      const rows = Array.from({ length: 2_001 }, () => ({ ...later, max_tries: 1, tries: 0, created_at: 0 }))
      const at = Date.now() - hour
      await store.write(async (trx) => {
        for (let i = 0; i < 5; i++) await trx.insertInto('job').values(rows).execute()
        for (const kind of ['b.due', 'c.due'])
          await jobs.enqueue(trx, kind, {}, { runAt: kind === 'c.due' ? at : at + 1 })
      })
      const { due } = await jobs.readBacklog()
      await store.write((trx) => trx.deleteFrom('job').where('kind', 'in', ['a.later', 'b.due', 'c.due']).execute())
      assert.deepEqual(due, { count: before + 2, since: at })
    })

    test('looking for due jobs reads an index, however many there are', async () => {
      const explain = engine === 'sqlite' ? sql`explain query plan` : sql`explain`
      const plan = await store.write(async (trx) => {
        // Statistics of the moment may favour another way: what is asked is whether the index serves at all.
        if (engine === 'postgres') {
          for (const way of ['seqscan', 'bitmapscan', 'sort'])
            await sql.raw(`set local enable_${way} = off`).execute(trx)
        }
        return sql`${explain} select id from job where kind = 'x' and state = 'queued' and run_at <= 5
          order by run_at, id limit 1`.execute(trx)
      })
      const text = JSON.stringify(plan.rows)
      assert.match(text, /job_due/)
      assert.doesNotMatch(text, /sort|temp b-tree/i)
    })
  })
}

test('the pause doubles with each try up to an hour, and half of it is chance', () => {
  const cases: [tries: number, chance: number, pauseMs: number][] = [
    [1, 0, 500],
    [1, 1, 1_000],
    [2, 1, 2_000],
    [5, 0.5, 12_000],
    [12, 1, 2_048_000],
    [13, 1, 3_600_000],
    [2_000, 1, 3_600_000],
  ]
  for (const [tries, chance, pauseMs] of cases) assert.equal(backOff(tries, 1_000, chance), pauseMs)
})

test('a job that waits does not run before the writes of whoever joined it under its key are there to see', async () => {
  const database = await makeMigratedDatabase('postgres')
  const store = await database.open()
  const jobs = makeJobs({ store, clock: systemClock, log: silentLog, pollMs: 20 })
  const seen: unknown[] = []
  jobs.define('join', async () => seen.push(await store.db.selectFrom('setting').selectAll().execute()))
  // Kinds are looked for in the order they were defined: once this one has run, the other has been looked for.
  jobs.define('after', async () => {})
  const id = await store.write((trx) => jobs.enqueue(trx, 'join', {}, { key: 'k' }))
  const [joined, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const joining = store.write(async (trx) => {
    assert.equal(await jobs.enqueue(trx, 'join', {}, { key: 'k' }), id)
    joined.resolve()
    await waited.promise
    await trx.insertInto('setting').values({ key: 'a', value: '1' }).execute()
  })
  await joined.promise
  await jobs.start()
  await waitFor(jobs, await store.write((trx) => jobs.enqueue(trx, 'after', {})), isEnded)
  waited.resolve()
  await joining
  await waitFor(jobs, id, isEnded)
  assert.deepEqual(seen, [[{ key: 'a', value: '1' }]])
  await jobs.stop()
  await store.close()
  await database.drop()
})

const isEnded = ({ state }: Job) => state === 'done' || state === 'dead'

async function waitFor(jobs: Jobs, id: number, isReached: (job: Job) => boolean): Promise<Job> {
  let job: Job | undefined
  await until(async () => {
    job = await jobs.find(id)
    assert.ok(job, `job ${id} is there`)
    return isReached(job)
  })
  return job!
}
