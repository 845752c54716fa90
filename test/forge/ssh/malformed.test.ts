/** A server that is sent malformed packets goes on: it answers who comes next, keeps nothing open, and takes none of it for a bug of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeLogLines } from '../../support/log-lines.ts'
import { until } from '../../support/until.ts'
import { shootAtSsh } from './packet-fuzzer.ts'
import { outcomeOf, readOver, startSshServer } from './ssh-server.ts'

const shots = 150
const atOnce = 6

test('malformed packets, at every step of a connection, end that connection at most', async () => {
  const seed = Date.now() % 2 ** 31
  const lines = makeLogLines('info')
  const hosted = await startSshServer('sqlite', { log: lines.log })
  try {
    await hosted.start('tool')
    const key = await hosted.keyOf(hosted.ann)
    const witness = await hosted.connect(key)
    for (let index = 0; index < shots; index += atOnce) {
      const target = { port: hosted.port, key: key.privateKey }
      await Promise.all(Array.from({ length: atOnce }, (_, i) => shootAtSsh(seed, index + i, target)))
      await hosted.server.services.credentialLockout.lift('ssh:127.0.0.1')
    }
    assert.equal(outcomeOf(await readOver(witness, 'ann/tool')), 'open', `seed ${seed}`)
    const next = await hosted.connect(key)
    assert.equal(outcomeOf(await readOver(next, 'ann/tool')), 'open', `seed ${seed}`)
    for (const connection of [witness, next]) connection.end()
    await until(async () => {
      const text = await (await fetch(`${hosted.server.url}/metrics`)).text()
      return /^guildhall_ssh_connections 0$/m.test(text)
    }, 200)
    assert.deepEqual(
      lines.lines.filter(({ level }) => level === 'error' || level >= 50),
      [],
      `seed ${seed}`,
    )
  } finally {
    await hosted.stop()
  }
})
