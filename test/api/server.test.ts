/** The server under every interface: addresses no route expects, and connections that fall silent. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readJson } from '../support/rpc.ts'
import { startServer, type TestServer } from '../support/server.ts'

describe('the server', () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
  })
  after(() => server.stop())

  test('finds nothing at an address too long for any route, in the words of the wire that owns it', async () => {
    const long = 'a'.repeat(14_000)
    const forge = await fetch(`${server.url}/users/${long}`)
    assert.deepEqual([forge.status, (await readJson(forge)).message], [404, 'Not Found'])
    const datasets = await fetch(`${server.url}/v2/datasets/${long}`)
    assert.deepEqual([datasets.status, typeof (await readJson(datasets)).error.type], [404, 'string'])
  })

  test('shows a browser a page whose links all lead somewhere', async () => {
    const page = await fetch(`${server.url}/`, { headers: { accept: 'text/html' } })
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    const links = [...(await page.text()).matchAll(/href="([^"]+)"/g)].map(([, link]) => link)
    assert.ok(links.length > 0)
    for (const link of links) assert.equal((await fetch(`${server.url}${link}`)).status, 200, link)
  })

  test('believes the proxy before it, and not what a client told that proxy', async () => {
    const proxied = await startServer('sqlite', { environment: { GUILDHALL_TRUST_PROXY: 'on' } })
    try {
      const askFrom = async (addresses: string) => {
        const { headers } = await fetch(`${proxied.url}/meta`, { headers: { 'x-forwarded-for': addresses } })
        return headers.get('x-ratelimit-used')
      }
      const used = [await askFrom('1.1.1.1, 9.9.9.9'), await askFrom('2.2.2.2, 9.9.9.9'), await askFrom('9.9.9.9')]
      assert.deepEqual([...used, await askFrom('8.8.8.8')], ['1', '2', '3', '1'])
    } finally {
      await proxied.stop()
    }
  })

  test('lets a client go that falls silent in the middle of its body', () => {
    assert.ok(server.http.timeout > 0 && server.http.headersTimeout > 0)
  })
})
