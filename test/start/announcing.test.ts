/** What a start says beyond where it is. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runProgram, startProgram } from '../support/program.ts'

describe('a start', () => {
  let place: string
  const at = (name: string) => join(place, name)
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-said-'))
  })
  after(() => rm(place, { recursive: true, force: true }))

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
