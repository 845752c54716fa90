/** How often who may ask: primary and secondary limits, their headers and refusals, on one server and on two. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, makeManualClock } from '../../src/lib/clock.ts'
import { engines } from '../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import {
  asAdmin,
  makeRest,
  makeRestOnOneConnection,
  makeToken,
  makeUser,
  type RestAnswer,
  type RestClient,
} from '../support/rest.ts'
import { ruleTestOn } from '../support/rule-test.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'

const rateOf = ({ headers }: RestAnswer) => ({
  limit: Number(headers.get('x-ratelimit-limit')),
  used: Number(headers.get('x-ratelimit-used')),
  remaining: Number(headers.get('x-ratelimit-remaining')),
  reset: Number(headers.get('x-ratelimit-reset')),
  resource: headers.get('x-ratelimit-resource'),
})

const times = <T>(count: number, act: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => act(i)))

const statusesOf = (answers: readonly RestAnswer[]) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

for (const engine of engines) {
  describe(`rate limits on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    const clock = makeManualClock(Date.now())
    let server: TestServer
    let ann: RestClient
    let nobody: RestClient
    before(async () => {
      server = await startServer(engine, { clock })
      ann = await makeUser(server, 'ann')
      nobody = makeRest(server.url)
    })
    after(() => server.stop())

    rule('anonymous callers have 60 an hour by address, users 5,000', async () => {
      assert.equal(rateOf(await nobody.get('/meta')).limit, 60)
      assert.equal(rateOf(await ann.get('/meta')).limit, 5_000)
    })

    test('the 61st anonymous request is refused in the contract’s words, and the hour starts with the first', async () => {
      clock.advance(3_600_000)
      const first = rateOf(await nobody.get('/meta'))
      assert.deepEqual([first.used, first.remaining], [1, 59])
      assert.equal(first.reset, Math.ceil((clock.now() + 3_600_000) / 1000))
      clock.advance(1_800_000)
      for (let i = 0; i < 59; i++) assert.equal((await nobody.get('/meta')).status, 200)
      const refused = await nobody.get('/meta')
      assert.equal(refused.status, 403)
      assert.match(refused.body.message, /^API rate limit exceeded for 127\.0\.0\.1\./)
      assert.deepEqual(rateOf(refused), { limit: 60, used: 60, remaining: 0, reset: first.reset, resource: 'core' })
      clock.advance(1_800_000)
      assert.equal((await nobody.get('/meta')).status, 200)
    })

    test('all tokens of a user are on one budget, whatever the path', async () => {
      const bob = await makeUser(server, 'bob')
      const { body } = await asAdmin(server).post('/admin/users/bob/tokens', { kind: 'fine-grained' })
      const other = makeRest(server.url, body.token)
      assert.equal(rateOf(await bob.get('/meta')).used, 1)
      assert.equal(rateOf(await other.get('/api/v3/versions')).used, 2)
    })

    test('a request is counted once, though its credential is looked up anew, and the address’s once that is revoked', async () => {
      const root = asAdmin(server)
      await makeUser(server, 'eve')
      const draft = { kind: 'classic', scopes: ['repo'] }
      const { body } = await root.post('/admin/users/eve/tokens', draft)
      const eve = makeRestOnOneConnection(server.url, body.token)
      for (let used = 1; used <= 6; used++) {
        assert.equal(rateOf(await eve.get('/meta')).used, used)
        if (used % 2 === 0) await makeToken(server, 'ann', draft)
      }
      clock.advance(3_600_000)
      assert.equal((await root.delete(`/admin/tokens/${body.id}`)).status, 204)
      const refused = await eve.get('/meta')
      assert.deepEqual([refused.status, rateOf(refused).limit, rateOf(refused).used], [401, 60, 1])
    })

    rule(
      'workflow runs have their repository’s hour and installations their account’s, by plan and by size',
      async () => {
        const root = asAdmin(server)
        await root.post('/admin/organizations', { login: 'works', admin: 'ann' })
        await ann.post('/orgs/works/repos', { name: 'run' })
        for (let i = 0; i < 23; i++) await ann.post('/user/repos', { name: `r${i}` })
        const limitOf = async (kind: string, repositories: unknown) => {
          const token = await makeToken(server, 'ann', { kind, repositories, permissions: { contents: 'read' } })
          return rateOf(await makeRest(server.url, token).get('/meta')).limit
        }
        assert.equal(await limitOf('workflow', ['works/run']), 1_000)
        await root.patch('/admin/organizations/works', { plan: 'enterprise' })
        assert.equal(await limitOf('workflow', ['works/run']), 15_000)
        assert.equal(await limitOf('workflow', ['ann/r1']), 1_000)
        assert.equal(await limitOf('installation', ['ann/r1']), 5_000)
        assert.equal(await limitOf('installation', 'all'), 5_150, '50 for each repository beyond 20')
        assert.equal(await limitOf('oauth', 'none'), 5_000)
      },
    )

    rule('runs of one repository share its hour, and are refused in its name', async () => {
      const other = await startServer(engine, { clock, environment: { GUILDHALL_LIMIT_FIGURES: 'workflow=2' } })
      try {
        const dan = await makeUser(other, 'dan')
        const { body } = await dan.post('/user/repos', { name: 'r' })
        const draft = { kind: 'workflow', repositories: ['dan/r'], permissions: { contents: 'read' } }
        for (let i = 0; i < 2; i++)
          assert.equal((await makeRest(other.url, await makeToken(other, 'dan', draft)).get('/meta')).status, 200)
        const refused = await makeRest(other.url, await makeToken(other, 'dan', draft)).get('/meta')
        assert.equal(refused.status, 403)
        assert.ok(refused.body.message.startsWith(`API rate limit exceeded for repository ID ${body.id}.`))
        assert.match(refused.body.documentation_url, /#about-primary-rate-limits$/)
        assert.equal((await dan.get('/meta')).status, 200, 'its owner has an hour of their own')
      } finally {
        await other.stop()
      }
    })

    rule('GET /rate_limit tells each budget and costs none of the primary one', async () => {
      const before = rateOf(await ann.get('/meta')).used
      const answer = await ann.get('/rate_limit')
      const { core, search, graphql, code_search, audit_log, lfs } = answer.body.resources
      assert.deepEqual([core.limit, core.used, core.remaining], [5_000, before, 5_000 - before])
      assert.deepEqual([search.limit, code_search.limit, graphql.limit], [30, 10, 5_000])
      assert.deepEqual([audit_log.limit, lfs.limit], [1_750, 3_000])
      assert.deepEqual(answer.body.rate, core)
      assert.equal(rateOf(await ann.get('/meta')).used, before + 1)
    })

    test('headers are on errors, redirects and 304s, too; an authenticated 304 costs nothing', async () => {
      const used = rateOf(await ann.get('/user')).used
      const etag = (await ann.get('/user')).headers.get('etag')!
      const unchanged = await ann.get('/user', { 'if-none-match': etag })
      assert.equal(unchanged.status, 304)
      assert.equal(rateOf(unchanged).used, used + 1)
      const changed = await ann.get('/user', { 'if-none-match': '"other"' })
      assert.deepEqual([changed.status, rateOf(changed).used], [200, used + 2])
      const missing = await ann.get('/nowhere')
      assert.deepEqual([missing.status, rateOf(missing).used], [404, used + 3])
      const wrong = await ann.get('/meta', { 'x-platform-api-version': '1999-01-01' })
      assert.deepEqual([wrong.status, rateOf(wrong).used], [400, used + 4])
    })

    rule('wrong credentials are on the budget of their address', async () => {
      const before = rateOf(await nobody.get('/meta')).used
      const refused = await nobody.get('/user', { authorization: 'Bearer gdp_wrong' })
      assert.deepEqual([refused.status, rateOf(refused).limit, rateOf(refused).used], [401, 60, before + 1])
    })
  })

  describe(`secondary limits on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    const clock = makeManualClock(Date.now())
    let server: TestServer
    const start = (figures: string, more: { clock?: Clock } = { clock }) =>
      startServer(engine, { ...more, environment: { GUILDHALL_LIMIT_FIGURES: figures } })
    before(async () => {
      server = await start('points=20, content-minute=3, content-hour=5, concurrent=50')
    })
    after(() => server.stop())

    const isSecondary = ({ status, body, headers }: RestAnswer) => {
      assert.equal(status, 403)
      assert.match(
        body.message,
        /^You have exceeded a secondary rate limit\. Please wait a few minutes before you try again\./,
      )
      assert.match(body.documentation_url, /#about-secondary-rate-limits$/)
      assert.ok(Number(headers.get('retry-after')) >= 1)
      assert.notEqual(headers.get('x-ratelimit-remaining'), '0')
    }

    test('reads cost one point and writes five, by method and route, each route for itself', async () => {
      const ann = await makeUser(server, 'ann')
      for (let i = 0; i < 20; i++) assert.equal((await ann.get(`/users/${i % 2 ? 'ann' : 'admin'}`)).status, 200)
      const refused = await ann.get('/users/nobody')
      isSecondary(refused)
      assert.equal(refused.headers.get('retry-after'), '60')
      assert.equal((await ann.get('/meta')).status, 200)
      for (let i = 0; i < 4; i++) assert.equal((await ann.patch('/user', {})).status, 200)
      isSecondary(await ann.patch('/user', {}))
      clock.advance(60_000)
      assert.equal((await ann.get('/users/ann')).status, 200)
    })

    rule('what is refused is not counted as used', async () => {
      const bob = await makeUser(server, 'bob')
      for (let i = 0; i < 20; i++) await bob.get('/versions')
      const { used } = rateOf(await bob.get('/meta'))
      isSecondary(await bob.get('/versions'))
      assert.equal(rateOf(await bob.get('/meta')).used, used + 1)
    })

    test('content is limited by the minute and by the hour', async () => {
      const cid = await makeUser(server, 'cid')
      let made = 0
      const make = () => cid.post('/user/repos', { name: `r${++made}` })
      for (let i = 0; i < 3; i++) assert.equal((await make()).status, 201)
      isSecondary(await make())
      clock.advance(60_000)
      assert.equal((await make()).status, 201)
      assert.equal((await make()).status, 201)
      isSecondary(await make())
      clock.advance(60_000)
      const refused = await make()
      isSecondary(refused)
      const wait = Number(refused.headers.get('retry-after'))
      assert.ok(wait > 60, 'until the hour is over')
      // Who goes on past all patience is never told less.
      for (let i = 0; i < 101; i++) {
        const again = await cid.post('/user/repos', {})
        isSecondary(again)
        assert.ok(Number(again.headers.get('retry-after')) >= wait, `${i}: ${again.headers.get('retry-after')}`)
      }
    })

    rule(
      'going on while limited makes the wait longer, and in the end bans the token until an admin lifts it',
      async () => {
        const other = await start('points=5, patience=10, ban-after=40')
        try {
          const dan = await makeUser(other, 'dan')
          const waits: number[] = []
          for (let i = 0; i < 45; i++) {
            const answer = await dan.get('/meta')
            if (answer.headers.get('retry-after')) waits.push(Number(answer.headers.get('retry-after')))
          }
          assert.equal(waits[0], 60)
          assert.ok(waits.at(-1)! > waits[15]! && waits[15]! > 60, `${waits[0]}, ${waits[15]}, ${waits.at(-1)}`)
          clock.advance(24 * 3_600_000)
          const banned = await dan.get('/meta')
          assert.equal(banned.status, 403)
          assert.match(banned.body.message, /banned/)
          const token = (await other.services.tokens.list({ id: 2 } as never))[0]!
          assert.equal((await asAdmin(other).delete(`/admin/tokens/${token.id}/ban`)).status, 204)
          assert.equal((await dan.get('/meta')).status, 200)
        } finally {
          await other.stop()
        }
      },
    )

    rule('processor time counts: who uses too much of it waits for the minute to end', async () => {
      const other = await start('cpu-seconds=0, points=100000')
      try {
        const eve = await makeUser(other, 'eve')
        let refused: RestAnswer | undefined
        for (let i = 0; i < 5_000 && !refused; i++) {
          const answer = await eve.get('/user')
          if (answer.status === 403) refused = answer
        }
        isSecondary(refused!)
        clock.advance(60_000)
        assert.equal((await eve.get('/user')).status, 200)
      } finally {
        await other.stop()
      }
    })
  })
}

describe('limits switched off', () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite', {
      environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_LIMIT_FIGURES: 'anonymous=5, points=5' },
    })
  })
  after(() => server.stop())

  test('nothing is refused, headers are sent, and the lock-out holds', async () => {
    const nobody = makeRest(server.url)
    for (let i = 0; i < 20; i++) {
      const answer = await nobody.get('/meta')
      assert.deepEqual([answer.status, rateOf(answer).limit], [200, 5])
    }
    assert.equal((await nobody.get('/rate_limit')).body.resources.core.remaining, 0)
    for (let i = 0; i < 10; i++) await nobody.get('/user', { authorization: 'Bearer gdp_x' })
    assert.equal((await nobody.get('/user', { authorization: 'Bearer gdp_x' })).status, 403)
  })
})

describe('processor time', () => {
  test('that git takes for a request is its caller’s', async (t) => {
    const clock = makeManualClock(Date.now())
    const environment = { GUILDHALL_LIMIT_FIGURES: 'cpu-seconds=1' }
    const server = await startServer('sqlite', { clock, environment })
    t.after(() => server.stop())
    const ann = await makeUser(server, 'ann')
    const bob = await makeUser(server, 'bob')
    await pushNoise(t, server, ann, 24)
    assert.equal((await ann.get('/user')).status, 200, 'a push is not a request of this interface')
    // To pack what can't be packed takes git most of a second, and this process next to nothing.
    let refused: RestAnswer | undefined
    for (let i = 0; i < 12 && !refused; i++) {
      const address = (await ann.get('/repos/ann/r/zipball')).headers.get('location')
      if (address) await (await fetch(address, { headers: { authorization: `Bearer ${ann.token}` } })).arrayBuffer()
      const next = await ann.get('/user')
      if (next.status === 403) refused = next
    }
    assert.match(refused?.body.message ?? '', /^You have exceeded a secondary rate limit\./)
    assert.equal((await bob.get('/user')).status, 200)
    clock.advance(60_000)
    assert.equal((await ann.get('/user')).status, 200)
  })

  test('of every GraphQL query counts, from the first', async (t) => {
    const clock = makeManualClock(Date.now())
    const server = await startServer('sqlite', {
      clock,
      environment: { GUILDHALL_LIMIT_FIGURES: 'graphql-cpu-seconds=0' },
    })
    t.after(() => server.stop())
    const ann = await makeUser(server, 'ann')
    const ask = () => ann.post('/graphql', { query: '{ viewer { login } }' })
    assert.equal((await ask()).status, 200)
    // A clock may not have moved in one of them; of other requests one in eight is measured.
    const statuses: number[] = []
    while (statuses.length < 6 && !statuses.includes(403)) statuses.push((await ask()).status)
    assert.equal(statuses.at(-1), 403)
    assert.equal((await ann.get('/user')).status, 200)
  })
})

describe('requests at once', () => {
  test('more than the limit at a time are refused, and let in when others have left', async () => {
    const server = await startServer('sqlite', { environment: { GUILDHALL_LIMIT_FIGURES: 'concurrent=4' } })
    try {
      const ann = await makeUser(server, 'ann')
      await ann.post('/user/repos', { name: 'r', auto_init: true })
      // Reading git data takes a process each: they are sure to meet.
      const answers = await times(12, (i) => ann.get(`/repos/ann/r/commits?per_page=${i + 1}`))
      const counts = statusesOf(answers)
      assert.equal(counts[200]! + counts[403]!, 12)
      assert.ok(counts[403]! >= 1 && counts[200]! >= 4, JSON.stringify(counts))
      assert.equal((await ann.get('/repos/ann/r/commits')).status, 200)
    } finally {
      await server.stop()
    }
  })
})

describe('an answer that flows', () => {
  test('is a request at once until it has gone, or its client has', async (t) => {
    const server = await startServer('sqlite', { environment: { GUILDHALL_LIMIT_FIGURES: 'concurrent=1' } })
    const gone = new AbortController()
    t.after(() => {
      gone.abort()
      return server.stop()
    })
    const ann = await makeUser(server, 'ann')
    await pushNoise(t, server, ann, 16)
    const address = (await ann.get('/repos/ann/r/tarball')).headers.get('location')!
    const headers = { authorization: `Bearer ${ann.token}` }
    const flowing = await fetch(address, { headers, signal: gone.signal })
    assert.equal(flowing.status, 200)
    assert.equal((await ann.get('/user')).status, 403)
    gone.abort()
    let next = await ann.get('/user')
    for (let i = 0; i < 100 && next.status === 403; i++) next = await ann.get('/user')
    assert.equal(next.status, 200)
    // Whenever its client goes, its place is free again.
    for (let i = 0; i < 12; i++) {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      const { pathname, host } = new URL(address)
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${ann.token}\r\n\r\n`)
      await sleep(2 * i)
      socket.destroy()
      await sleep(20)
    }
    for (let i = 0; i < 100 && (await ann.get('/user')).status === 403; i++) await sleep(20)
    const whole = await (await fetch(address, { headers })).arrayBuffer()
    assert.ok(whole.byteLength > 16 * 1024 * 1024)
    assert.equal((await ann.get('/user')).status, 200)
  })
})

describe('an archive', () => {
  test('that is refused by a limit when it is made already is not sent, and git does not go on with it', async (t) => {
    const server = await startServer('sqlite', { environment: { GUILDHALL_LIMIT_FIGURES: 'user=20' } })
    t.after(() => server.stop())
    const ann = await makeUser(server, 'ann')
    await pushNoise(t, server, ann, 4)
    const address = (await ann.get('/repos/ann/r/tarball')).headers.get('location')!
    const left = Number((await ann.get('/meta')).headers.get('x-ratelimit-remaining'))
    await times(left - 1, () => ann.get('/meta'))
    // A condition: whether it costs anything is known when it is answered. So all of them come in, and one is left.
    const headers = { authorization: `Bearer ${ann.token}`, 'if-none-match': '"other"' }
    const answers = await times(5, async () => {
      const answer = await fetch(address, { headers })
      return { status: answer.status, size: (await answer.arrayBuffer()).byteLength }
    })
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403, 403, 403])
    for (const { status, size } of answers) assert.ok(status === 200 ? size > 4 * 1024 * 1024 : size < 1024)
    await demandNoArchiving()
  })
})

/** Exactly as many pass as there are, each told another remainder; the rest is told that none is left. */
function checkCount(answers: readonly RestAnswer[], userId: number): void {
  assert.deepEqual(statusesOf(answers), { 200: 700, 403: 300 })
  const remainders = answers.filter(({ status }) => status === 200).map((answer) => rateOf(answer).remaining)
  assert.deepEqual(
    remainders.sort((a, b) => a - b),
    Array.from({ length: 700 }, (_, i) => i),
  )
  const refused = answers.filter(({ status }) => status === 403)
  assert.ok(refused.every((answer) => rateOf(answer).remaining === 0))
  assert.ok(refused[0]!.body.message.startsWith(`API rate limit exceeded for user ID ${userId}.`))
}

// On PostgreSQL, where servers share what they count, two of them do: one alone would show less.
describe('exact counting', () => {
  const environment = { GUILDHALL_LIMIT_FIGURES: 'user=700, points=100000, concurrent=5000' }

  test('of 1,000 requests at once exactly as many pass as there are left', async (t) => {
    const server = await startServer('sqlite', { environment })
    t.after(() => server.stop())
    const ann = await makeUser(server, 'ann')
    checkCount(await times(1_000, () => ann.get('/meta')), 2)
  })

  test('and so it is with two processes on one PostgreSQL', async (t) => {
    const one = await startServer('postgres', { environment })
    t.after(() => one.stop())
    const two = await startServerProcess(one.database, environment)
    t.after(() => two.end())
    const ann = await makeUser(one, 'ann')
    const other = makeRest(two.url, ann.token)
    checkCount(await times(1_000, (i) => (i % 2 ? ann : other).get('/meta')), 2)
  })
})

/** To `ann/r`, which is made for it: what git can't make any smaller. */
async function pushNoise(t: TestContext, { url }: TestServer, ann: RestClient, mebibytes: number): Promise<void> {
  await ann.post('/user/repos', { name: 'r' })
  const work = await makeWorkingFolder()
  t.after(work.drop)
  await work.must('config', 'core.compression', '0')
  await writeFile(join(work.path, 'noise'), randomBytes(mebibytes * 1024 * 1024))
  await work.must('add', '.')
  await work.must('commit', '--quiet', '-m', 'one')
  await work.must('push', '--quiet', remoteUrl(url, 'ann/r', 'ann', ann.token), 'main')
}

/** No git that packs an archive is left, of those that this process has started; where the system tells. */
async function demandNoArchiving(): Promise<void> {
  const isArchiving = async (pid: string) => {
    const [stat, command] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
    )
    return stat!.includes(`) S ${process.pid} `) && command!.includes('\0archive\0')
  }
  const list = async () => {
    const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
    const found = await Promise.all(pids.map((pid) => isArchiving(pid).catch(() => false)))
    return pids.filter((_, i) => found[i])
  }
  for (let i = 0; i < 50 && (await list()).length > 0; i++) await sleep(50)
  assert.deepEqual(await list(), [])
}
