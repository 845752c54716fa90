/** Where hooks may call: the internet, and nothing of the network that the server stands in. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { describe, test } from 'node:test'
import {
  DestinationRefused,
  isPublicAddress,
  makeDestinations,
  makeNetworks,
} from '../../../src/forge/outbound/destination.ts'
import { makeResolve } from '../../../src/forge/outbound/name-resolution.ts'
import { sendMessage } from '../../../src/forge/webhooks/sending/request.ts'
import { until } from '../../support/until.ts'

const inside = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.168.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
]
const outside = ['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '2606:4700::1111']

describe('addresses that hooks may call', () => {
  for (const address of inside)
    test(`${address} is not one of the internet`, () => {
      assert.notEqual(isIP(address), 0)
      assert.equal(isPublicAddress(address), false)
    })
  for (const address of outside)
    test(`${address} is one`, () => {
      assert.equal(isPublicAddress(address), true)
    })

  test('other spellings of an address, other protocols, ports and names in the address are refused by their form', () => {
    const { demandFine } = makeDestinations({ allowed: makeNetworks([]), resolve: async () => [], ownHost: undefined })
    const wrong = [
      'http://2130706433/',
      'http://0x7f.1/',
      'http://017700000001/',
      'http://127.1/',
      'http://[::ffff:7f00:1]/',
      'http://[::ffff:169.254.169.254]/latest/meta-data',
      'http://[64:ff9b::a9fe:a9fe]/',
      'http://０.０.０.０/',
      'http://8.8.8.8:22/',
      'http://8.8.8.8:25/',
      'ftp://8.8.8.8/',
      'file:///etc/passwd',
      'gopher://8.8.8.8/',
      'https://user:password@8.8.8.8/',
    ]
    for (const url of wrong) assert.throws(() => demandFine(new URL(url)), DestinationRefused, url)
    for (const url of ['https://8.8.8.8/', 'http://example.org:8080/a?b=c', 'https://[2606:4700::1111]:8443/'])
      demandFine(new URL(url))
  })

  test('networks that the settings name are taken, one and not its neighbour, and nonsense is refused', () => {
    const { demandFine } = makeDestinations({
      allowed: makeNetworks(['10.1.0.0/16', 'fd00:1::/32', '192.168.1.7']),
      resolve: async () => [],
      ownHost: undefined,
    })
    for (const host of ['10.1.255.1', '[fd00:1::5]', '192.168.1.7']) demandFine(new URL(`http://${host}/`))
    for (const host of ['10.2.0.1', '[fd00:2::5]', '192.168.1.8', '127.0.0.1'])
      assert.throws(() => demandFine(new URL(`http://${host}/`)), DestinationRefused, host)
    for (const network of ['10.0.0.0/33', 'example.org', '10.0.0', '::1/129', '10.0.0.0/x'])
      assert.throws(() => makeNetworks([network]), network)
  })
})

describe('a name of a receiver', () => {
  test('whose name server never answers holds none of the threads that files are read by, and is given up', async () => {
    const silent = createSocket('udp4')
    const asked = new Set<string>()
    silent.on('message', (message) => void asked.add(message.toString('latin1')))
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve))
    const resolve = makeResolve({ servers: [`127.0.0.1:${silent.address().port}`] })
    let ended = 0
    const asking = Array.from({ length: 12 }, (_, i) =>
      assert.rejects(resolve(`slow-${i}.example`)).finally(() => void ended++),
    )
    await until(() => asked.size >= 12)
    await readFile(import.meta.filename)
    await resolve('localhost')
    assert.equal(ended, 0)
    await Promise.all(asking)
    silent.close()
  })

  test('is looked up by the system where it is the operator’s own: short, or in the hosts file', async () => {
    const [found] = await makeResolve({ servers: ['192.0.2.1'] })('localhost')
    assert.ok(found && ['127.0.0.1', '::1'].includes(found.address))
  })
})

/** A byte now and then, without an end. */
function drip(response: ServerResponse): void {
  response.writeHead(200)
  const timer = setInterval(() => response.write('x'), 10)
  response.on('close', () => clearInterval(timer))
}

describe('a request to a receiver', () => {
  const bounds = { answerMs: 300, answerBytes: 1024 }
  const message = { contentType: 'json', secret: null, isInsecure: false, payload: '{}', headers: {} } as const
  const neverStops = new AbortController().signal

  test('goes to the address that was judged, and to none that its name has the second time', async () => {
    let asked = 0
    let reached = 0
    const server = createServer((_request, response) => {
      reached++
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    // A name that is of the internet for whoever asks first, and this machine for whoever asks again.
    const resolve = async () => [{ address: asked++ === 0 ? '192.0.2.1' : '127.0.0.1', family: 4 }]
    const destinations = makeDestinations({ allowed: makeNetworks(['192.0.2.0/24']), resolve, ownHost: undefined })
    const url = `http://rebinding.example:${port}/`
    const first = await sendMessage({ ...message, url }, destinations, bounds, neverStops)
    assert.equal(first.statusCode, 0)
    assert.notEqual(first.status, 'destination not allowed')
    const second = await sendMessage({ ...message, url }, destinations, bounds, neverStops)
    assert.deepEqual([second.status, second.mayPass], ['destination not allowed', false])
    assert.deepEqual([asked, reached], [2, 0])
    server.close()
  })

  test('is refused where only one of the addresses of a name is inside, and where the name is the server’s own', async () => {
    const resolve = async (host: string) =>
      host === 'mixed.example'
        ? [
            { address: '8.8.8.8', family: 4 },
            { address: '::1', family: 6 },
          ]
        : [{ address: '9.9.9.9', family: 4 }]
    const destinations = makeDestinations({
      allowed: makeNetworks([]),
      resolve,
      ownHost: 'guild.example',
      ownAddresses: () => ['8.8.4.4'],
    })
    for (const url of ['http://mixed.example/', 'http://Guild.Example/', 'http://guild.example./', 'http://8.8.4.4/']) {
      const { status } = await sendMessage({ ...message, url }, destinations, bounds, neverStops)
      assert.equal(status, 'destination not allowed', url)
    }
  })

  test('is refused in the same words whether its name is inside or nobody’s', async () => {
    const resolve = async (host: string) => {
      if (host === 'vm') return [{ address: '10.0.0.7', family: 4 }]
      if (host === 'empty.example') return []
      const code = host === 'away' ? 'EAI_AGAIN' : 'ENOTFOUND'
      throw Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code })
    }
    const destinations = makeDestinations({ allowed: makeNetworks([]), resolve, ownHost: 'own' })
    const ask = (host: string) => sendMessage({ ...message, url: `http://${host}/` }, destinations, bounds, neverStops)
    const inside = await ask('vm')
    assert.equal(inside.status, 'destination not allowed')
    for (const host of ['nobody', 'away', 'empty.example', 'own']) assert.deepEqual(await ask(host), inside, host)
  })

  test('follows no redirect, reads no more of an answer than is kept, and waits no longer than it may', async () => {
    const paths: string[] = []
    const server = createServer((request, response) => {
      paths.push(request.url ?? '')
      if (request.url === '/redirect') response.writeHead(302, { location: '/secret' }).end()
      else if (request.url === '/long') response.end('x'.repeat(1024 * 1024))
      else if (request.url === '/drops') drip(response)
      else if (request.url === '/nul') response.writeHead(500).end('a\0b')
      // Otherwise it never answers.
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const allowed = makeNetworks(['127.0.0.1'])
    const destinations = makeDestinations({ allowed, resolve: async () => [], ownHost: undefined })
    const send = (path: string, answerMs = 60_000) =>
      sendMessage(
        { ...message, url: `http://127.0.0.1:${port}${path}` },
        destinations,
        { ...bounds, answerMs },
        neverStops,
      )
    const redirect = await send('/redirect')
    assert.deepEqual(
      [redirect.statusCode, redirect.status, redirect.mayPass],
      [302, 'Invalid HTTP Response: 302', false],
    )
    assert.deepEqual(paths, ['/redirect'])
    assert.equal((await send('/long')).responseBody?.length, 1024)
    const nul = await send('/nul')
    assert.deepEqual([nul.responseBody, nul.mayPass], ['ab', true])
    const slow = await send('/drops', 200)
    assert.deepEqual([slow.status, slow.statusCode, slow.mayPass], ['timed out', 0, true])
    const silent = await send('/silent', 50)
    assert.deepEqual([silent.status, silent.statusCode, silent.mayPass], ['timed out', 0, true])
    server.closeAllConnections()
    server.close()
  })
})
