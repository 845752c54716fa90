/** Imports over TLS: a source whose certificate does not hold is asked nothing, and so never told credentials. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import tls from 'node:tls'
import { startTwoServers, type TwoServers, whenFetched } from './two-servers.ts'

/** Made by openssl for this test and a hundred years: an authority that nobody trusts, and what it vouches for. */
const read = (name: string) => readFileSync(`test/forge/sources/certificates/${name}`, 'utf8')

describe('a source over TLS', () => {
  const trusted = tls.getCACertificates('default')
  const closing: https.Server[] = []
  let two: TwoServers
  before(async () => {
    two = await startTwoServers('sqlite')
    await two.source.start('tool', true)
  })
  after(async () => {
    tls.setDefaultCACertificates(trusted)
    for (const server of closing) {
      server.close()
      server.closeAllConnections()
    }
    await two.stop()
  })

  /** Passes on to the source what it is asked, with the certificate of that name. */
  async function startSecure(name: string) {
    const origin = new URL(two.source.server.url)
    const asked: string[] = []
    const server = https.createServer({ key: read(`${name}.key`), cert: read(`${name}.pem`) }, (incoming, answer) => {
      const { url, method, headers } = incoming
      asked.push(`${method} ${headers.authorization?.split(' ')[0]}`)
      const passed = http.request(new URL(url!, origin), { method, headers: { ...headers, host: origin.host } })
      passed.on('response', (response) => {
        answer.writeHead(response.statusCode!, response.headers)
        response.pipe(answer)
      })
      incoming.pipe(passed)
    })
    closing.push(server)
    server.listen(0, '127.0.0.1').unref()
    await once(server, 'listening')
    return { asked, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/ann/tool.git` }
  }

  async function importFrom(url: string, name: string) {
    await two.ann.post('/user/repos', { name })
    const { status } = await two.ann.post(`/repos/ann/${name}/import`, {
      ...{ url, username: 'ann', token: two.source.ann.token },
    })
    assert.equal(status, 201)
    return whenFetched(two.ann, `ann/${name}`)
  }

  test('whose certificate no authority vouches for is asked nothing', async () => {
    const { url, asked } = await startSecure('localhost')
    const { status, failure } = await importFrom(url, 'unknown')
    assert.equal(status, 'failed')
    assert.match(failure, /certificate can’t be verified \(\w+\)/)
    assert.deepEqual(asked, [])
  })

  test('whose certificate is another’s is asked nothing, and one that holds is imported', async () => {
    tls.setDefaultCACertificates([...trusted, read('authority.pem')])
    const other = await startSecure('elsewhere')
    const refused = await importFrom(other.url, 'other')
    assert.equal(refused.status, 'failed')
    assert.match(refused.failure, /certificate can’t be verified \(ERR_TLS_CERT_ALTNAME_INVALID\)/)
    assert.deepEqual(other.asked, [])
    const own = await startSecure('localhost')
    const done = await importFrom(own.url, 'tool')
    assert.deepEqual([done.status, done.failure, done.branches], ['complete', null, 1])
    assert.equal(own.asked[0], 'GET Basic')
    assert.equal((await two.ann.get('/repos/ann/tool/commits')).body.length, 1)
  })
})
