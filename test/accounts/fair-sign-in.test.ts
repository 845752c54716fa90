/** Signing in while others try passwords without end: networks take turns, and so do the names within one. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

describe('signing in while many passwords are tried', () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_TRUST_PROXY: 'on' }, hashesInEarnest: true })
  })
  after(() => server.stop())

  const signIn = async (address: string, AccountName: string, Password: string): Promise<number> => {
    const response = await fetch(`${server.url}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: randomUUID(),
        method: 'create_session',
        params: { AccountName, Password },
      }),
    })
    return ((await response.json()) as { error?: { code: number } }).error?.code ?? 0
  }

  /** How many of a flood were answered when a right sign-in was, which came after all of them. */
  async function countBefore(flood: (i: number) => [address: string, name: string], address: string) {
    const size = 25
    let answered = 0
    const tries = Array.from({ length: size }, async (_, i) => {
      const code = await signIn(...flood(i), 'a wrong password')
      answered++
      return code
    })
    await until(() => answered >= 5)
    assert.equal(await signIn(address, admin.name, admin.password), 0)
    const before = answered
    assert.deepEqual(new Set(await Promise.all(tries)), new Set([17]))
    return { before, size }
  }

  for (const [title, flood, address] of [
    ['from another address', (i: number) => ['192.0.2.1', `nobody${i}`], '198.51.100.7'],
    [
      'from another network than their thousands of addresses',
      (i: number) => [`2001:db8::${i}`, `no${i}`],
      '2001:db8:1::1',
    ],
    ['from the same address, by another name than theirs', (i: number) => ['192.0.2.2', `one${i % 7}`], '192.0.2.2'],
  ] as [string, (i: number) => [string, string], string][]) {
    test(`is served in its turn ${title}`, async () => {
      const { before, size } = await countBefore(flood, address)
      assert.ok(before < size - 10, `after ${before} of ${size}`)
    })
  }

  test('is served in its turn from the same address, however many names are made up there, by who has signed in there before', async () => {
    const address = '192.0.2.3'
    assert.equal(await signIn(address, admin.name, admin.password), 0)
    const { before, size } = await countBefore((i) => [address, `made-up-${i}`], address)
    assert.ok(before < size - 10, `after ${before} of ${size}`)
  })
})
