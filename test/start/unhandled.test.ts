/** What nobody handles is a bug: it is logged with its request's id and counted, and the server goes on. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

describe('an error that nobody handles', () => {
  let database: TestDatabase
  let server: ServerProcess
  before(async () => {
    database = await makeMigratedDatabase('sqlite')
    const planted = join(import.meta.dirname, 'planted-errors.ts')
    server = await startServerProcess(database, { GUILDHALL_LOG: 'error', NODE_OPTIONS: `--import=${planted}` })
  })
  after(async () => {
    await server.end()
    await database.drop()
  })

  const readCount = async (name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await fetch(`${server.url}/metrics`)).text())?.[1])

  for (const [kind, metric] of [
    ['rejection', 'guildhall_unhandled_rejections_total'],
    ['exception', 'guildhall_uncaught_exceptions_total'],
  ] as const) {
    test(`one from a ${kind === 'rejection' ? 'promise' : 'callback'} is logged with its request's id and counted, and the server goes on`, async () => {
      assert.equal(await readCount(metric), 0)
      for (const path of ['/user', '/v2/datasets']) {
        const answer = await fetch(`${server.url}${path}?plant=${kind}`)
        const id = answer.headers.get('x-request-id') ?? answer.headers.get('x-github-request-id')
        assert.ok(id, `${path} has no request id`)
        await answer.text().catch(() => undefined)
        await until(() => server.output().includes(`"requestId":"${id}"`))
        const line = server
          .output()
          .split('\n')
          .findLast((each) => each.includes(id))!
        const { level, err } = JSON.parse(line)
        assert.deepEqual([level, err.message], [50, 'planted'])
      }
      // A rendering is shared for up to a second.
      await until(async () => (await readCount(metric)) === 2)
      assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
    })
  }
  test('one from the writing of an answer is logged with its request, whose client does not wait, and the others have theirs', async () => {
    const said = server.output().length
    const others = Array.from({ length: 5 }, () => fetch(`${server.url}/versions`))
    await assert.rejects(fetch(`${server.url}/versions?plant=answer`))
    for (const answer of await Promise.all(others)) assert.equal(answer.status, 200)
    await until(() => server.output().indexOf('\n', said) > 0)
    const { level, err, requestId } = JSON.parse(server.output().slice(said))
    assert.deepEqual([level, err.message], [50, 'planted'])
    assert.ok(requestId)
  })
})
