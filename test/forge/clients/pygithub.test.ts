/** PyGithub as Debian has it, unmodified, does a small team's work; its script, beside this file, says what a user relies on. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'

/** The system's own: a Python that was built by hand does not see Debian's packages. */
const python = '/usr/bin/python3'
const isThere = spawnSync(python, ['-c', 'import github']).status === 0

describe('PyGithub', { skip: isThere ? false : 'PyGithub is not installed (apt-get install python3-github)' }, () => {
  let server: TestServer
  let receiver: Receiver
  let ann: RestClient
  let bob: RestClient
  before(async () => {
    receiver = await startReceiver()
    server = await startServer('sqlite', {
      environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8' },
    })
    ann = await makeUser(server, 'ann')
    bob = await makeUser(server, 'bob')
  })
  after(async () => {
    await server?.stop()
    await receiver?.close()
  })

  test('does everything a user relies on', async () => {
    const script = join(import.meta.dirname, 'pygithub.py')
    const env = { ...process.env, ANN: ann.token, BOB: bob.token, PYTHONDONTWRITEBYTECODE: '1' }
    const { stdout, stderr } = await promisify(execFile)(python, [script, server.url, receiver.url], { env }).catch(
      (error) => error as { stdout: string; stderr: string },
    )
    assert.equal(stderr, '')
    assert.deepEqual(stdout.split('\n').filter(Boolean).at(-1), 'migrations')
    const events = receiver.received.map(({ headers }) => headers['x-github-event'])
    assert.ok(events.includes('ping') && events.includes('issues'), `${events}`)
  })
})
