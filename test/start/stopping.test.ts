/** How it ends: on SIGTERM with what it has begun, and by itself when whoever started it is gone. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { awaitAddress, root, startProgram } from '../support/program.ts'

describe('the process', () => {
  let place: string
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-stop-'))
  })
  after(() => rm(place, { recursive: true, force: true }))

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`answers what is in flight when ${signal} comes, then ends with 0, though the client keeps its connection`, async () => {
      const server = await startProgram({ GUILDHALL_DATA: join(place, 'data') })
      const agent = new Agent({ keepAlive: true })
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'get_server_info', params: {} })
      const call = request(server.url, {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
      })
      call.flushHeaders()
      // The server has taken the request up: now it is in flight.
      await once(call, 'continue')
      server.child.kill(signal)
      const refusal = /ECONNREFUSED/
      while (
        await fetch(`${server.url}/healthz`).then(
          () => true,
          (error) => !refusal.test(String(error.cause?.code)),
        )
      );
      call.end(body)
      const [response] = await once(call, 'response')
      assert.equal(response.statusCode, 200)
      assert.ok(JSON.parse(await text(response)).result)
      assert.equal(await server.end(signal), 0)
      agent.destroy()
    })
  }

  const startByScript = () =>
    awaitAddress(
      spawn(process.execPath, [join(root, 'scripts', 'ready.mjs'), 'start', '--', 'src/cli.ts', 'serve'], {
        env: {
          ...process.env,
          GUILDHALL_DATA: join(place, 'scripted'),
          GUILDHALL_PORT: '0',
          GUILDHALL_EXECUTORS: '0',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )

  it('ends with the script that started it, and as it is told', async () => {
    const server = await startByScript()
    assert.equal(await server.end('SIGTERM'), 0)
    await assert.rejects(fetch(`${server.url}/healthz`))
  })

  it('ends by itself when the script that started it is killed', async () => {
    const server = await startByScript()
    const closed = once(server.child, 'close')
    await server.end('SIGKILL')
    // The pipes close when the server, who has them too, is gone.
    await closed
    await assert.rejects(fetch(`${server.url}/healthz`))
    const again = await startByScript()
    assert.equal(await again.end('SIGTERM'), 0)
  })
})
