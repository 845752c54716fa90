/** What is barely HTTP: no Host, absolute addresses, chunks that are none, lengths that lie, requests that smuggle another. */
import type { Random } from './random.ts'
import { type Shot, writeRequest } from './shot.ts'

type Nonsense = Omit<Shot, 'manner'>

const paths = [
  '/',
  '/user',
  '/repos/ann/open',
  '/v2/datasets',
  '/v2/datasets/ann~small/items?format=rss',
  '/ann/open.git/info/refs',
  '/healthz',
  '/-/docs/forge',
  '/no/such/thing',
]

const wireOf = (path: string, method = 'GET'): Shot['wire'] =>
  method === 'POST' && path === '/'
    ? 'judge'
    : path.startsWith('/v2')
      ? 'datasets'
      : path.includes('.git/')
        ? 'git'
        : 'forge'

export function drawNonsense(random: Random, authorization: string): Nonsense {
  const path = random.pick(paths)
  const line = (text: string, more = '') => Buffer.from(`${text}\r\n${more}\r\n`, 'latin1')
  const common = { wire: wireOf(path), methods: ['GET'], isMalformed: false }
  const malformed = { ...common, isMalformed: true, isUnfinished: true }
  return random.pick<() => Nonsense>([
    () => ({
      ...common,
      about: `HTTP/1.0 without Host ${path}`,
      bytes: writeRequest({
        method: 'GET',
        path,
        version: '1.0',
        host: null,
        headers: [['Authorization', authorization]],
      }),
    }),
    () => ({
      ...common,
      about: `no Host ${path}`,
      isMalformed: true,
      bytes: writeRequest({ method: 'GET', path, host: null }),
    }),
    () => ({
      ...common,
      isMalformed: true,
      about: `odd Host ${path}`,
      bytes: writeRequest({
        method: 'GET',
        path,
        host: random.pick(['', ' ', 'a b', '[', 'x'.repeat(2_000), '\xff', 'a:b:c', 'a/b', '%00']),
        headers: [['Authorization', authorization]],
      }),
    }),
    () => ({
      ...common,
      about: `absolute form ${path}`,
      bytes: writeRequest({
        method: 'GET',
        path: `http://elsewhere.example${path}`,
        headers: [['Authorization', authorization]],
      }),
    }),
    () => ({
      ...malformed,
      about: 'odd target',
      bytes: writeRequest({
        method: 'GET',
        path: random.pick(['*', 'a', '//', '/\xff', 'http://', 'ftp://x/', '/a b', '?x', '#x', 'javascript:x']),
      }),
    }),
    () => ({
      ...malformed,
      about: 'unknown method',
      bytes: writeRequest({ method: random.pick(['BREW', 'get', 'CONNECT', 'PRI', 'QUERY', 'G ET', '']), path }),
    }),
    () => ({
      ...malformed,
      about: 'no HTTP at all',
      bytes: random.pick([
        random.bytes(100),
        Buffer.from('\r\n\r\n'),
        Buffer.from('\x16\x03\x01\x02\x00'),
        Buffer.from('HELO x\r\n'),
        line('GET / HTTP/9.9'),
        line('GET /'),
      ]),
    }),
    () => ({
      ...malformed,
      about: 'odd headers',
      bytes: line(
        `GET ${path} HTTP/1.1`,
        random.pick([
          'Host: a\r\nHost: b\r\n',
          'Host: a\r\n : b\r\n',
          'Host: a\r\nX\r\n',
          'Host: a\r\nX:\0\r\n',
          `Host: a\r\n${'X: y\r\n'.repeat(3_000)}`,
          `Host: a\r\nX: ${'y'.repeat(20_000)}\r\n`,
          'Host: a\r\n folded\r\n',
        ]),
      ),
    }),
    () => ({
      ...malformed,
      methods: ['POST'],
      wire: wireOf(path, 'POST'),
      about: 'odd lengths',
      bytes: line(
        `POST ${path} HTTP/1.1`,
        `Host: a\r\nAuthorization: ${authorization}\r\n${random.pick(['Content-Length: -1\r\n', 'Content-Length: 5\r\nContent-Length: 6\r\n', 'Content-Length: x\r\n', 'Content-Length: 99999999999999999999\r\n', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n', 'Transfer-Encoding: x\r\n', 'Transfer-Encoding: chunked, chunked\r\n', 'Content-Length: 10\r\n', 'Content-Length: 99999999999\r\n'])}`,
      ),
    }),
    () => ({
      ...malformed,
      methods: ['POST'],
      wire: wireOf(path, 'POST'),
      about: 'odd chunks',
      bytes: Buffer.concat([
        line(`POST ${path} HTTP/1.1`, `Host: a\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked\r\n`),
        Buffer.from(
          random.pick([
            'zz\r\n',
            '5\r\nab',
            '-1\r\n',
            'ffffffffffffffffff\r\n',
            '5;x=y\r\nabcde\r\n0\r\nTrailer: x\r\n\r\n',
            '0\r\n',
            '1\nx\n',
            `5;${'x'.repeat(20_000)}\r\nabcde\r\n`,
          ]),
        ),
      ]),
    }),
  ])()
}
