/** How often a read waits for PostgreSQL: three times for an object, four times for a page, with rights and rates. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { currentRequest } from '../../src/lib/request-context.ts'
import { asAdmin, makeUser, type RestClient } from '../support/rest.ts'
import { startServer } from '../support/server.ts'

type Query = { readonly text: string; readonly isNamed: boolean; readonly startedAt: number; endedAt: number }

const object = 3
const page = 4

/** What clients poll, and what they open. */
const routes: readonly (readonly [path: string, most: number])[] = [
  ['/user', object],
  ['/users/bob', object],
  ['/orgs/crew', object],
  ['/repos/ann/tool', object],
  ['/repos/ann/tool/issues/1', object],
  ['/repos/ann/tool/issues/comments/COMMENT', object],
  ['/repos/ann/tool/labels/bug', object],
  ['/repos/ann/tool/milestones/1', object],
  ['/repos/ann/tool/releases/RELEASE', object],
  ['/repos/ann/tool/releases/latest', object],
  ['/repos/ann/tool/releases/tags/v1', object],
  ['/repos/ann/tool/contents/README.md', object],
  ['/repos/ann/tool/git/ref/heads/main', object],
  ['/repos/ann/tool/comments/ON_COMMIT', object],
  ['/users', page],
  ['/user/repos', page],
  ['/user/orgs', page],
  ['/user/starred', page],
  ['/user/subscriptions', page],
  ['/user/followers', page],
  ['/users/ann/orgs', page],
  ['/users/ann/repos', page],
  ['/users/ann/followers', page],
  ['/users/ann/starred', page],
  ['/orgs/crew/repos', page],
  ['/repositories', page],
  ['/repos/ann/tool/issues', page],
  ['/repos/ann/tool/issues?state=all&labels=bug&sort=updated', page],
  ['/repos/ann/tool/issues/1/comments', page],
  ['/repos/ann/tool/issues/comments', page],
  ['/repos/ann/tool/issues/1/labels', page],
  ['/repos/ann/tool/labels', page],
  ['/repos/ann/tool/milestones', page],
  ['/repos/ann/tool/commits/SHA/statuses', page],
  ['/repos/ann/tool/commits/SHA/comments', page],
  ['/repos/ann/tool/comments', page],
  ['/repos/ann/tool/releases', page],
  ['/repos/ann/tool/stargazers', page],
  ['/repos/ann/tool/subscribers', page],
  ['/repos/ann/tool/forks', page],
  ['/repos/ann/tool/branches', page],
  ['/repos/ann/tool/commits', page],
  ['/issues?filter=all', page],
]

test('a read waits for PostgreSQL three times for an object and four times for a page', async (t) => {
  const queries = watchQueries(t)
  const server = await startServer('postgres')
  t.after(() => server.stop())
  const finishedAt = new Map<string, number>()
  server.http.prependListener('request', (_request, response) => {
    // Before Node's own listener, which tells of the end in the same moment and so starts what is counted after it.
    response.prependOnceListener('finish', () =>
      finishedAt.set(String(response.getHeader('x-platform-request-id')), performance.now()),
    )
  })
  const ann = await makeUser(server, 'ann')
  const names = await makeWorld(ann, await makeUser(server, 'bob'), asAdmin(server))
  for (const [path, most] of routes)
    await t.test(path, async () => {
      const address = path.replace(/[A-Z_]{3,}$|[A-Z_]{3,}(?=\/)/, (name) => names[name] ?? name)
      // Its statements have names from the third time on.
      for (let i = 0; i < 2; i++) await ann.get(address)
      const { status, headers, text } = await ann.get(address)
      assert.equal(status, 200, text)
      const id = headers.get('x-platform-request-id')!
      // What it took of the processor is counted once it is answered.
      const isBefore = ({ startedAt }: Query) => startedAt < (finishedAt.get(id) ?? Number.POSITIVE_INFINITY)
      // A request is admitted once: a second time is the bill of the one before, which had to wait.
      const isBill = ({ text }: Query, at: number, all: readonly Query[]) =>
        text.includes('admit_rate') && all.findIndex((one) => one.text === text) !== at
      const asked = (queries.get(id) ?? []).filter(isBefore).filter((...words) => !isBill(...words))
      const told = asked.map((query) => query.text.slice(0, 200)).join('\n')
      assert.ok(asked.length > 0, 'no query was seen')
      assert.ok(countRoundTrips(asked) <= most, `${countRoundTrips(asked)} round trips:\n${told}`)
      const unnamed = asked.filter(({ isNamed }) => !isNamed).map((query) => query.text)
      assert.deepEqual(unnamed, [], 'each is prepared')
    })
})

/** All that requests ask of PostgreSQL, by the request's id. */
function watchQueries(t: { after(act: () => void): void }): ReadonlyMap<string, readonly Query[]> {
  const seen = new Map<string, Query[]>()
  const client = pg.Client.prototype as unknown as { query: (...words: unknown[]) => unknown }
  const { query } = client
  client.query = function (this: unknown, ...words: unknown[]) {
    const answer = query.apply(this, words)
    const id = currentRequest()?.id
    if (id === undefined || !(answer instanceof Promise)) return answer
    const [config] = words as [{ text: string; name?: string }]
    const asked: Query = {
      text: config.text,
      isNamed: config.name !== undefined,
      startedAt: performance.now(),
      endedAt: Number.POSITIVE_INFINITY,
    }
    seen.set(id, [...(seen.get(id) ?? []), asked])
    const end = () => {
      asked.endedAt = performance.now()
    }
    answer.then(end, end)
    return answer
  }
  t.after(() => {
    client.query = query
  })
  return seen
}

/** The longest chain of queries of which each began after the one before had ended: those that overlap are one round trip. */
function countRoundTrips(asked: readonly Query[]): number {
  const depths: number[] = []
  for (const { startedAt } of asked) {
    const before = depths.filter((_, i) => asked[i]!.endedAt <= startedAt)
    depths.push(1 + Math.max(0, ...before))
  }
  return Math.max(0, ...depths)
}

async function makeWorld(ann: RestClient, bob: RestClient, root: RestClient): Promise<Record<string, string>> {
  await root.post('/admin/organizations', { login: 'crew', admin: 'ann' })
  await ann.post('/orgs/crew/repos', { name: 'shared' })
  await ann.post('/user/repos', { name: 'tool' })
  const file = { message: 'Begin', content: Buffer.from('# A tool').toString('base64') }
  const { body: written } = await ann.put('/repos/ann/tool/contents/README.md', file)
  const { sha } = written.commit
  await ann.post('/repos/ann/tool/milestones', { title: 'One' })
  for (const title of ['First', 'Second', 'Third'])
    await ann.post('/repos/ann/tool/issues', { title, labels: ['bug'], assignees: ['ann'], milestone: 1 })
  const comment = await bob.post('/repos/ann/tool/issues/1/comments', { body: 'Yes.' })
  await bob.post('/repos/ann/tool/issues/1/reactions', { content: '+1' })
  await ann.post(`/repos/ann/tool/statuses/${sha}`, { state: 'success', context: 'test' })
  const onCommit = await ann.post(`/repos/ann/tool/commits/${sha}/comments`, { body: 'Good.' })
  const release = await ann.post('/repos/ann/tool/releases', { tag_name: 'v1' })
  await bob.put('/user/starred/ann/tool')
  await ann.put('/user/starred/ann/tool')
  await bob.put('/user/following/ann')
  await bob.post('/repos/ann/tool/forks', {})
  for (const { status } of [comment, onCommit, release]) assert.equal(status, 201)
  return {
    SHA: sha,
    COMMENT: String(comment.body.id),
    ON_COMMIT: String(onCommit.body.id),
    RELEASE: String(release.body.id),
  }
}
