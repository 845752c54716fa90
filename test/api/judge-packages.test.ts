/** Packages while the disk takes nothing: refused in words, and as ever once it does. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { judgePackages } from '../../src/api/judge-packages/judge-packages.ts'
import { makeByteBudget } from '../../src/http/byte-budget.ts'
import { silentLog } from '../support/engines.ts'
import { startServer } from '../support/server.ts'

test('a disk that is full keeps no turn, and leaves no connection half read', async (t) => {
  const { services, stop } = await startServer('sqlite')
  t.after(stop)
  const account = await services.accounts.findByName('admin')
  const budget = makeByteBudget({ inAll: 1e9, perCaller: 1e9 })
  let isFull = true
  const server = Fastify()
  await server.register(judgePackages, {
    judge: services.judge,
    identify: async () => ({ account, credential: { kind: 'session' }, address: '127.0.0.1' }) as never,
    log: silentLog,
    budgets: { memory: budget, files: budget },
    openFile: async () => {
      if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      return services.temporaryFiles.open()
    },
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/-/judge/problems`
  const send = () => fetch(url, { method: 'POST', body: new Uint8Array(400_000) })
  for (let time = 0; time < 5; time++) {
    const refused = await send()
    assert.deepEqual([refused.status, refused.headers.get('connection')], [503, 'close'])
    assert.match(((await refused.json()) as { message: string }).message, /disk/)
  }
  isFull = false
  const { status } = await send()
  assert.equal(status, 422, 'it is looked into again')
  assert.equal(budget.held, 0)
})
