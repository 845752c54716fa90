/** Merges, comments and pushes under kills: a server is killed in the midst of them, started again, and what came of them is looked at. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/lib/clock.ts'
import { type Engine, makeMigratedDatabase, type TestDatabase } from '../../support/engines.ts'
import { runGit } from '../../support/git.ts'
import { type Program, startProgram } from '../../support/program.ts'
import { makeRest, type RestClient } from '../../support/rest.ts'
import { admin, startServer } from '../../support/server.ts'

const environmentOf = ({ folder, url }: TestDatabase) => ({
  GUILDHALL_DATA: folder,
  ...(url && { DATABASE_URL: url }),
  GUILDHALL_ADMIN_PASSWORD: admin.password,
  GUILDHALL_ADMIN_TOKEN: admin.token,
  GUILDHALL_LIMITS: 'off',
  GUILDHALL_LOG: 'silent',
})

const place = `/repos/${admin.name}/merged`
/** Of comments and of pushes: all are on one page then. */
const mostPerRound = (rounds: number): number => Math.max(1, Math.min(10, Math.floor(100 / rounds)))
const methods = ['merge', 'squash', 'rebase'] as const

async function openPulls(root: RestClient, count: number): Promise<number[]> {
  await root.post('/user/repos', { name: 'merged', auto_init: true })
  const { body: main } = await root.get(`${place}/git/ref/heads/main`)
  const numbers: number[] = []
  for (let i = 0; i < count; i++) {
    const branch = `topic-${i}`
    await root.post(`${place}/git/refs`, { ref: `refs/heads/${branch}`, sha: main.object.sha })
    await root.put(`${place}/contents/${branch}`, { message: branch, content: 'YQ==', branch })
    const { body, status } = await root.post(`${place}/pulls`, { title: branch, head: branch, base: 'main' })
    assert.equal(status, 201, JSON.stringify(body))
    numbers.push(body.number)
  }
  return numbers
}

/** Answers what happened, in words. */
export async function killMerges(
  engine: Engine,
  rounds: number,
  afterwards: (drop: () => Promise<unknown>) => void,
): Promise<string> {
  const database = await makeMigratedDatabase(engine)
  const closers: (() => unknown)[] = [database.drop]
  afterwards(async () => {
    for (const close of closers.reverse()) await close()
  })
  const start = async (): Promise<Program> => {
    const program = await startProgram(environmentOf(database))
    closers.push(() => program.end('SIGKILL'))
    return program
  }
  const answered = new Map<number, string>()
  const said = new Set<string>()
  const written = new Set<string>()
  let numbers: number[] = []
  for (let round = 0; round < rounds; round++) {
    const server = await start()
    const root = makeRest(server.url, admin.token)
    if (round === 0) {
      numbers = await openPulls(root, rounds * 4)
      const { body } = await root.get(`${place}/git/ref/heads/main`)
      await root.post(`${place}/git/refs`, { ref: 'refs/heads/side', sha: body.object.sha })
    }
    const before = answered.size
    let isOver = false
    const working = Promise.all(
      [0, 1].map(async (worker) => {
        for (const number of numbers.filter((each) => each % 2 === worker && !answered.has(each))) {
          for (let tries = 0; tries < 20 && !isOver; tries++) {
            const merge_method = methods[number % methods.length]
            const answer = await root.put(`${place}/pulls/${number}/merge`, { merge_method }).catch(() => undefined)
            if (!answer) return
            if (answer.status === 200) answered.set(number, answer.body.sha)
            if (answer.status === 200 || answer.body.message === 'Pull Request is not mergeable') break
          }
        }
      }),
    ).finally(() => {
      isOver = true
    })
    /** Until the server is gone, and no longer than there is something to merge. */
    const repeat = async (act: (name: string) => Promise<{ status: number }>, done: Set<string>) => {
      for (let i = 0; i < mostPerRound(rounds) && !isOver; i++) {
        const answer = await act(`${round}-${i}`).catch(() => undefined)
        if (!answer) return
        if (answer.status === 201) done.add(`${round}-${i}`)
      }
    }
    const talking = repeat((body) => root.post(`${place}/issues/${numbers[0]}/comments`, { body }), said)
    const pushing = repeat(
      (name) => root.put(`${place}/contents/${name}`, { message: name, content: 'YQ==', branch: 'side' }),
      written,
    )
    while (!isOver && answered.size === before) await sleep(10)
    await sleep(Math.random() * 500)
    await server.end('SIGKILL')
    await Promise.all([working, talking, pushing])
  }
  assert.ok(answered.size >= rounds)

  const clock = { now: () => systemClock.now() + 5 * 60_000 }
  const server = await startServer(engine, { clock, database, environment: { GUILDHALL_LIMITS: 'off' } })
  closers.push(() => server.stop())
  const root = makeRest(server.url, admin.token)
  const { body: repository } = await root.get(place)
  const folder = server.services.forge.git.folderOf({ id: repository.id })
  const git = (...words: string[]) => runGit(folder, ['--git-dir', '.', ...words])
  const checked = await git('fsck', '--full', '--strict')
  assert.equal(checked.code, 0, checked.output)
  const { body: comments } = await root.get(`${place}/issues/${numbers[0]}/comments?per_page=100`)
  const bodies: string[] = comments.map(({ body }: { body: string }) => body)
  assert.deepEqual(
    [...said].filter((body) => !bodies.includes(body)),
    [],
  )
  assert.equal(new Set(bodies).size, bodies.length)
  assert.equal((await root.get(`${place}/issues/${numbers[0]}`)).body.comments, bodies.length)
  for (const name of written) assert.equal((await git('cat-file', '-e', `refs/heads/side:${name}`)).code, 0, name)
  for (const number of numbers) {
    const { body: pull } = await root.get(`${place}/pulls/${number}`)
    const { body: events } = await root.get(`${place}/issues/${number}/events`)
    const told = events.map(({ event, commit_id }: { event: string; commit_id: string }) => [event, commit_id])
    if (answered.has(number)) assert.equal(pull.merge_commit_sha, answered.get(number))
    const sha = pull.merge_commit_sha
    const expected = pull.merged ? ['merged', 'closed'].map((event) => [event, sha]) : []
    assert.deepEqual(told, expected, `${number}`)
    assert.equal(pull.state, pull.merged ? 'closed' : 'open')
    // Its file is on main exactly if it is merged.
    const { code } = await git('cat-file', '-e', `refs/heads/main:${pull.head.ref}`)
    assert.equal(code === 0, pull.merged, `${number}`)
    if (pull.merged) assert.equal((await git('merge-base', '--is-ancestor', sha, 'refs/heads/main')).code, 0)
  }
  for (const number of answered.keys()) assert.equal((await root.get(`${place}/pulls/${number}/merge`)).status, 204)
  // What nothing came of is forgotten with its push, ten minutes later; what came to pass is not on its way any more.
  const left = server.services.store.db
    .selectFrom('pull_merge')
    .innerJoin('push', 'push.id', 'pull_merge.push_id')
    .selectAll('pull_merge')
    .where('push.state', '=', 'received')
  assert.deepEqual(await left.execute(), [])
  return `${rounds} kills: ${answered.size} merges, ${said.size} comments and ${written.size} pushes were answered`
}
