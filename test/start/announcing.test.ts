/** What a start says beyond where it is. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { makeDatabase } from '../support/engines.ts'
import { runProgram, startProgram } from '../support/program.ts'

/** It may be taken again by another before it is used, but hardly ever is. */
async function findFreePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return String(port)
}

describe('a start', () => {
  let place: string
  const at = (name: string) => join(place, name)
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-said-'))
  })
  after(() => rm(place, { recursive: true, force: true }))

  it('answers nobody before the first admin is there', async () => {
    const [port, token] = [await findFreePort(), 'of-the-first-start-0123456789']
    const database = await makeDatabase('postgres')
    const starting = startProgram({
      GUILDHALL_DATA: database.folder,
      DATABASE_URL: database.url,
      GUILDHALL_PORT: port,
      GUILDHALL_ADMIN_TOKEN: token,
    })
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } })
    try {
      while (!(await ask('/readyz').catch(() => undefined)));
      assert.equal((await ask('/user')).status, 200)
    } finally {
      assert.equal(await (await starting).end('SIGTERM'), 0)
      await database.drop()
    }
  })

  it('names what looks like a setting and is none, and starts', async () => {
    const names = { GUILDHALL_PROT: '9', GUILDHALL_TOKEN: 'for the command line' }
    const server = await startProgram({ GUILDHALL_DATA: at('misspelled'), ...names })
    assert.match(server.output(), /^guildhall: GUILDHALL_PROT is not a setting[^\n]+\n/)
    assert.doesNotMatch(server.output(), /GUILDHALL_TOKEN/)
    assert.equal(await server.end('SIGTERM'), 0)
  })

  it('says that a token of a later start is nobody’s, and how to get one', async () => {
    const environment = { GUILDHALL_DATA: at('token'), GUILDHALL_ADMIN_TOKEN: 'of-the-first-start-0123456789' }
    const hint =
      /counts at the first start alone[^\n]+\n +npm run guildhall -- token add admin --kind classic --scopes all\n/
    for (const token of ['of-the-first-start-0123456789', 'of-another-day-0123456789']) {
      const server = await startProgram({ ...environment, GUILDHALL_ADMIN_TOKEN: token })
      const isKnown = token === environment.GUILDHALL_ADMIN_TOKEN
      assert.equal(hint.test(server.output()), !isKnown, server.output())
      assert.ok(!server.output().includes(token))
      assert.equal(await server.end('SIGTERM'), 0)
    }
    const { out } = await runProgram(['token', 'add', 'admin', '--kind', 'classic', '--scopes', 'all'], environment)
    const server = await startProgram(environment)
    const user = await fetch(`${server.url}/user`, { headers: { authorization: `Bearer ${out.trim()}` } })
    assert.match(user.headers.get('x-oauth-scopes') ?? '', /repo.*judge/)
    assert.equal(await server.end('SIGTERM'), 0)
  })
})
