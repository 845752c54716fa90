/** Shots at git's own protocol: what a client says first, what it asks for, and pushes that are not what git sends. */
import { gzipSync } from 'node:zlib'
import { flushPacket, writePacket } from '../../src/forge/git/serve/pkt-line.ts'
import { bearer, drawCredential } from './credentials.ts'
import type { Random } from './random.ts'
import { drawHeaders, type RequestParts } from './shot.ts'
import { drawOddWord } from './values.ts'
import { adminToken, type World } from './world.ts'

const zero = '0'.repeat(40)

export function drawGit(random: Random, world: World): RequestParts {
  const owner = random.isChance(0.9) ? 'ann' : drawOddWord(random)
  const name = random.isChance(0.9) ? random.pick(['open.git', 'open', 'spare.git', 'hidden.git']) : drawOddWord(random)
  const service = random.pick(['git-upload-pack', 'git-receive-pack'])
  const credentials = random.isChance(0.5)
    ? bearer(adminToken)
    : drawCredential(random, world.credentials, ['ann', 'basic'])
  const headers = [...credentials, ...drawHeaders(random)]
  if (random.isChance(0.3)) {
    const query = random.isChance(0.7) ? `?service=${service}` : `?service=${drawOddWord(random)}&service=x`
    return { method: 'GET', path: `/${owner}/${name}/info/refs${query}`, headers }
  }
  const body = service === 'git-upload-pack' ? drawWants(random, world) : drawPush(random, world)
  const isPacked = random.isChance(0.2)
  const packed = isPacked && body ? random.pick([gzipSync(body), body, gzipSync(body).subarray(0, 15)]) : body
  return {
    method: random.isChance(0.97) ? 'POST' : random.pick(['GET', 'PUT', 'HEAD']),
    // To the spare repository alone: what is read stays as it is.
    path: `/${owner}/${service === 'git-receive-pack' && name.startsWith('open') ? 'spare.git' : name}/${service}`,
    headers: [...headers, ...(isPacked ? ([['Content-Encoding', 'gzip']] as const) : [])],
    body: packed,
    isChunked: random.isChance(0.3),
  }
}

function drawWants(random: Random, { shas }: World): Buffer | undefined {
  return random.pick<() => Buffer | undefined>([
    () => undefined,
    () => flushPacket,
    () => Buffer.concat([writePacket(`want ${shas.commit} side-band-64k\n`), flushPacket, writePacket('done\n')]),
    () => Buffer.concat([writePacket(`want ${zero}\n`), flushPacket, writePacket('done\n')]),
    () => Buffer.concat([writePacket(`want ${shas.commit}\n`), writePacket('filter tree:0\n'), flushPacket]),
    () => Buffer.concat([writePacket('command=ls-refs\n'), Buffer.from('0001'), writePacket('peel\n'), flushPacket]),
    () =>
      Buffer.concat([writePacket('command=fetch\n'), Buffer.from('0001'), writePacket(`want ${zero}\n`), flushPacket]),
    () => Buffer.from('ffff'),
    () => Buffer.from('0003'),
    () => random.bytes(random.below(200)),
  ])()
}

function drawPush(random: Random, { shas }: World): Buffer | undefined {
  const ref = random.pick([
    'refs/heads/new',
    'refs/heads/main',
    'refs/pull/1/head',
    'HEAD',
    'refs/heads/..',
    `refs/heads/\xff`,
  ])
  const capabilities = random.pick(['\0report-status', '\0report-status side-band-64k', '', '\0 atomic push-options'])
  const line = (before: string, after: string) =>
    writePacket(Buffer.from(`${before} ${after} ${ref}${capabilities}`, 'latin1'))
  return random.pick<() => Buffer | undefined>([
    () => undefined,
    () => flushPacket,
    () => Buffer.concat([line(zero, shas.commit), flushPacket]),
    () => Buffer.concat([line(shas.commit, zero), flushPacket]),
    () => Buffer.concat([line(zero, 'f'.repeat(40)), flushPacket, Buffer.from('PACK\0\0\0\x02\0\0\0\x01')]),
    () => Buffer.concat([line(zero, zero), flushPacket]),
    () => Buffer.concat([line(zero, shas.commit), flushPacket, random.bytes(100)]),
    () => Buffer.concat([line(zero, shas.commit), line(zero, shas.commit), flushPacket, Buffer.from('PACK')]),
    () => line(zero, shas.commit),
    () => Buffer.from('zzzz'),
    () => random.bytes(random.below(200)),
  ])()
}
