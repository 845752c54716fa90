/** A rolling upgrade: servers of the version before the newest migration and of this one, on one PostgreSQL and one folder, while clients work. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { migrations } from '../../src/store/migrations/migrations.ts'
import { auditAnswers } from '../chaos/audit.ts'
import { type Findings, makeClient } from '../chaos/client.ts'
import { keepItems, makeRemembered, pushCommits, type Remembered, setProblems, signUp } from '../chaos/work.ts'
import { makeRandom } from '../fuzz/random.ts'
import { makeDatabase, type TestDatabase } from '../support/engines.ts'
import { root } from '../support/program.ts'
import { makeRest } from '../support/rest.ts'
import { admin } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

const git = (...words: string[]) =>
  execFileSync('git', ['-C', root, ...words], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 256 * 1024 * 1024 })

/** The commit before the one that brought the newest migration to the main line; undefined where its history is not here. */
function findOlder(): string | undefined {
  const newest = migrations.at(-1)!
  const file = `src/store/migrations/${String(newest.number).padStart(4, '0')}-${newest.name}.ts`
  try {
    const added = git('log', '--first-parent', '-m', '--diff-filter=A', '--format=%H', '-1', '--', file)
      .toString()
      .trim()
    return git('rev-parse', '--verify', '--quiet', `${added}^{commit}^`).toString().trim() || undefined
  } catch {
    return undefined
  }
}

async function checkOut(t: TestContext, commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-older-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit, 'src', 'package.json') })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

const environment = {
  GUILDHALL_LIMITS: 'off',
  GUILDHALL_LOG: 'warn',
  GUILDHALL_ADMIN_PASSWORD: admin.password,
  GUILDHALL_ADMIN_TOKEN: admin.token,
}

const older = findOlder()

test(
  'old and new servers work side by side while one after the other is replaced, and all that was answered is there',
  older ? {} : { skip: 'the history of this repository is not here' },
  async (t) => {
    const database = await makeDatabase('postgres')
    t.after(() => database.drop())
    const checkout = await checkOut(t, older!)
    const start = async (version?: string) => {
      const server = await startServerProcess(database, environment, version)
      t.after(() => server.end())
      return server
    }
    const first = await start(checkout)
    const second = await start(checkout)
    await allowDataSets(database)

    const urls = [first.url, second.url]
    const known = makeRemembered()
    const findings: Findings = []
    const stop = new AbortController()
    let isOver = false
    const working = Promise.all(
      [signUp, setProblems, keepItems, pushCommits].map((work, i) => {
        const client = makeClient({ urls, random: makeRandom(i), findings, signal: stop.signal })
        return work(client, known, () => !isOver && !stop.signal.aborted)
      }),
    )
    t.after(() => stop.abort())
    const workOn = async () => {
      const before = countAnswers(known)
      await Promise.race([working, until(() => countAnswers(known).every((count, i) => count > before[i]! + 1), 50)])
    }

    await workOn()
    const replace = async (server: ServerProcess, at: number) => {
      // The new one first: there is always one to answer.
      const next = await start()
      urls[at] = next.url
      await workOn()
      await demandSameView(first.url, next.url)
      await server.end('SIGTERM')
      return next
    }
    const third = await replace(second, 1)
    await workOn()
    await assert.rejects(start(checkout), /ended with 1/, 'an old one does not start on a newer schema')
    const fourth = await replace(first, 0)
    isOver = true
    await working
    const servers = [third, fourth]
    await auditAnswers({
      cluster: { servers, databaseUrl: database.url!, dataFolder: database.folder },
      known,
      findings,
    })
    assert.deepEqual(findings, [])
  },
)

const countAnswers = ({ accounts, problems, pushes, items }: Remembered): number[] => {
  const total = (lists: Iterable<readonly unknown[]>) => [...lists].reduce((sum, list) => sum + list.length, 0)
  return [
    accounts.length,
    problems.length,
    total(pushes.values()),
    total([...items.values()].map((one) => one.answered)),
  ]
}

/** What is changed at one of two servers shows at the other, whichever is older. */
async function demandSameView(oneUrl: string, otherUrl: string): Promise<void> {
  const [one, other] = [makeRest(oneUrl, admin.token), makeRest(otherUrl, admin.token)]
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    const company = `Company ${Math.random()}`
    assert.equal((await to.get('/user')).status, 200)
    assert.equal((await from.patch('/user', { company })).status, 200)
    await until(async () => (await to.get('/user')).body.company === company)
  }
}

/** The first version to ask tokens for a right to data sets came later than some that this test starts with. */
async function allowDataSets({ url }: TestDatabase): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(
    `update token set scopes = (scopes::jsonb || '["dataset"]')::text where not scopes::jsonb ? 'dataset'`,
  )
  await client.end()
}
