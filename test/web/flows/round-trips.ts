/** How many answers a page waits for, one after the other: every request is held until nothing else is under way, then all go on at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import type { Json } from '../../support/rpc.ts'
import type { CodeWorld } from '../code-pages.test.ts'

declare const window: Json

const most = 4

/** In the page: everything that is to be drawn is drawn, and effects that follow have run. */
const settle = (): Promise<void> =>
  new Promise((resolve) => {
    const { requestIdleCallback, requestAnimationFrame, setTimeout } = window
    const wait = (times: number): void => {
      if (times === 0) resolve()
      else requestIdleCallback(() => requestAnimationFrame(() => setTimeout(() => wait(times - 1), 0)))
    }
    wait(3)
  })

/** The requests of each round trip, by their addresses. */
async function countTrips(page: Page, path: string): Promise<string[][]> {
  const held: Route[] = []
  const loading = new Set<unknown>()
  const isData = (type: string) => type === 'fetch' || type === 'xhr'
  await page.route('**/*', (route) => {
    const request = route.request()
    if (isData(request.resourceType())) held.push(route)
    else {
      if (['script', 'document', 'stylesheet'].includes(request.resourceType())) loading.add(request)
      return route.continue()
    }
  })
  const ended = (request: unknown) => loading.delete(request)
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  const trips: string[][] = []
  await page.goto(path)
  for (;;) {
    let before: number
    do {
      before = held.length
      await page.evaluate(settle)
    } while (loading.size > 0 || held.length > before)
    const wave = held.splice(0)
    if (wave.length === 0) break
    const trip = wave.map((route) => `${route.request().method()} ${new URL(route.request().url()).pathname}`)
    // Nothing on the page waits for the stream; on a busy machine it is opened in a wave of its own.
    if (trip.some((each) => each !== 'GET /notifications/stream')) trips.push(trip)
    await Promise.all(
      wave.map(async (route) => {
        const done = route.request().response()
        await route.continue()
        await (await done)?.finished()
      }),
    )
  }
  page.off('requestfinished', ended)
  page.off('requestfailed', ended)
  await page.unroute('**/*')
  return trips
}

export function testRoundTrips(world: CodeWorld): void {
  test('no page waits for more than four answers one after the other', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'trips', has_wiki: true })
    await stage.push('ann', 'trips', [
      { message: 'One', files: { 'README.md': '# Trips\n', 'src/a.js': 'let a = 1\n' } },
      { message: 'Two', files: { 'src/a.js': 'let a = 2\n' }, branch: 'side' },
    ])
    await ann.patch('/repos/ann/trips', { default_branch: 'main' })
    const { body: pull } = await ann.post('/repos/ann/trips/pulls', { title: 'Two', head: 'side', base: 'main' })
    const { body: issue } = await ann.post('/repos/ann/trips/issues', { title: 'One', body: 'See #1' })
    await ann.post('/repos/ann/trips/milestones', { title: 'First' })
    await ann.post('/repos/ann/trips/releases', { tag_name: 'v1', target_commitish: 'main' })
    await stage.root.post('/admin/organizations', { login: 'trippers', admin: 'ann' })
    await ann.post('/orgs/trippers/teams', { name: 'crew', privacy: 'closed' })
    const { body: head } = await ann.get('/repos/ann/trips/commits/side')
    const own = '/ann/trips'
    const paths = [
      ...['/-/', '/-/inbox', '/-/inbox/watching', '/-/repositories', '/-/repositories/new', '/ann', '/trippers'],
      ...['/-/account', '/-/account/tokens', '/-/account/keys', '/-/account/apps', '/-/account/apps/new'],
      ...['/-/account/migrations', '/-/account/sessions', '/orgs/trippers', '/orgs/trippers/teams/crew'],
      ...['teams', 'hooks', 'apps', 'audit', 'settings'].map((tab) => `/orgs/trippers?tab=${tab}`),
      ...[
        own,
        `${own}/tree/main/src`,
        `${own}/blob/main/src/a.js`,
        `${own}/blame/main/src/a.js`,
        `${own}/commits/main`,
      ],
      ...[
        `${own}/commits/main?view=graph`,
        `${own}/commit/${head.sha}`,
        `${own}/compare/main...side`,
        `${own}/branches`,
      ],
      ...[
        `${own}/tags`,
        `${own}/releases`,
        `${own}/releases/tag/v1`,
        `${own}/releases/new`,
        `${own}/edit/main/src/a.js`,
      ],
      ...[
        `${own}/new/main`,
        `${own}/upload/main`,
        `${own}/forks`,
        `${own}/stargazers`,
        `${own}/wiki`,
        `${own}/graphs/contributors`,
      ],
      ...['', '/access', '/branches', '/hooks', '/problems'].map((part) => `${own}/settings${part}`),
      ...[`${own}/issues`, `${own}/issues/new`, `${own}/issues/${issue.number}`, `${own}/labels`, `${own}/milestones`],
      ...[`${own}/milestone/1`, `${own}/pulls`, `${own}/pulls/new?head=side`],
      ...['', '/commits', '/checks', '/files'].map((part) => `${own}/pull/${pull.number}${part}`),
    ]
    const { page } = await stage.openAs('ann')
    const slow: Record<string, string[][]> = {}
    for (const path of paths) {
      const trips = await countTrips(page, path)
      assert.ok(trips.length > 0, path)
      if (trips.length > most) slow[path] = trips
    }
    assert.deepEqual(slow, {})
  })
}
