/** The pulls of a commit: wherever in a pull it is, however the pull was merged, and while it is open. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld, type World } from '../world.ts'

describe('pulls of a commit', () => {
  let server: TestServer
  let world: World
  let ann: RestClient
  const path = '/repos/ann/open'
  const must = async (answer: Promise<{ status: number; body: Json; text: string }>): Promise<Json> => {
    const { status, body, text } = await answer
    assert.ok(status < 300, text)
    return body
  }
  const pullsOf = async (sha: string): Promise<number[]> =>
    (await must(ann.get(`${path}/commits/${sha}/pulls`))).map(({ number }: Json) => number)
  const write = async (branch: string, name: string): Promise<string> =>
    (await must(ann.put(`${path}/contents/${name}`, { message: name, content: 'YQ==', branch }))).commit.sha
  async function propose(branch: string): Promise<{ number: number; shas: string[] }> {
    const { object } = await must(ann.get(`${path}/git/ref/heads/main`))
    await must(ann.post(`${path}/git/refs`, { ref: `refs/heads/${branch}`, sha: object.sha }))
    const shas = []
    for (const i of [1, 2, 3]) shas.push(await write(branch, `${branch}-${i}.txt`))
    const { number } = await must(ann.post(`${path}/pulls`, { title: branch, head: branch, base: 'main' }))
    return { number, shas }
  }

  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    world = await makeWorld(server)
    ann = world.ann
  })
  after(() => server.stop())

  test('each commit of an open pull is of that pull, and after the merge of that alone', async () => {
    const merged = await propose('merged')
    for (const sha of merged.shas) assert.deepEqual(await pullsOf(sha), [merged.number])
    await must(ann.put(`${path}/pulls/${merged.number}/merge`))
    const between = await write('main', 'between.txt')
    const later = await propose('later')
    for (const sha of merged.shas) assert.deepEqual(await pullsOf(sha), [merged.number])
    assert.deepEqual(await pullsOf(between), [])
    await must(ann.put(`${path}/pulls/${later.number}/merge`))
    assert.deepEqual(await pullsOf(between), [])
    for (const sha of later.shas) assert.deepEqual(await pullsOf(sha), [later.number])
  })

  test('each commit that a rebase put on the base is of its pull, and the one of a squash', async () => {
    const rebased = await propose('rebased')
    await must(ann.put(`${path}/pulls/${rebased.number}/merge`, { merge_method: 'rebase' }))
    const onMain = (await must(ann.get(`${path}/commits?per_page=3`))).map(({ sha }: Json) => sha)
    const squashed = await propose('squashed')
    await must(ann.put(`${path}/pulls/${squashed.number}/merge`, { merge_method: 'squash' }))
    for (const sha of onMain) assert.deepEqual(await pullsOf(sha), [rebased.number])
    const { sha } = await must(ann.get(`${path}/commits/main`))
    assert.deepEqual(await pullsOf(sha), [squashed.number])
    assert.deepEqual(await pullsOf(squashed.shas[2]!), [squashed.number])
  })

  test('a commit from before every pull, an unknown one, and one without a default branch have none', async () => {
    assert.deepEqual(await pullsOf(world.shas.commit), [])
    assert.deepEqual(await pullsOf('0123456789'.repeat(4)), [])
    await must(ann.post('/user/repos', { name: 'odd', auto_init: true }))
    await must(ann.post('/repos/ann/odd/branches/main/rename', { new_name: 'trunk' }))
    const { sha } = await must(ann.get('/repos/ann/odd/commits/trunk'))
    assert.deepEqual((await must(ann.get(`/repos/ann/odd/commits/${sha}/pulls`))).length, 0)
  })
})
