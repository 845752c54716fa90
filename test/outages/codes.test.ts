/** Errors of the machine, of the network and of the databases are told apart from bugs. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Failure } from '../../src/lib/failure.ts'
import { explainOutage, findSystemCode } from '../../src/lib/outages/outage.ts'
import { asAdmin } from '../support/rest.ts'
import { startServer } from '../support/server.ts'

/** Of these a client of the data sets is told by name. */
const cases: Record<string, readonly string[]> = {
  'disk-full': ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO'],
  'database-full': ['53100', '58030'],
  'database-read-only': ['25006'],
  contended: ['55P03'],
  exhausted: ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', '53200', '53000'],
  'database-away': [
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
    ...['08006', '53300', '57P01', '57P02', '57P03', '57P05', '57014', '25P03', '3D000', '28P01'],
  ],
}

test('the codes are in the documents of the data sets, whose errors have them as types', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/datasets.md'), 'utf8')
  for (const code of [...Object.keys(cases), 'disk-failed']) assert.ok(page.includes(`\`${code}\``), code)
})

const codeOf = (error: unknown) => {
  const told = explainOutage(error)
  return told instanceof Failure ? [told.kind, told.code] : 'a bug'
}

for (const [code, given] of Object.entries(cases)) {
  test(`${code} is what ${given.join(', ')} come to`, () => {
    for (const one of given) {
      assert.deepEqual(codeOf(Object.assign(new Error('said'), { code: one })), ['unavailable', code], one)
    }
  })
}

test('what the clients of the databases say without a code, also while a server stops', () => {
  const said = ['Query read timeout', 'Connection terminated unexpectedly', 'Cannot use a pool after calling end on it']
  for (const message of said) assert.deepEqual(codeOf(new Error(message)), ['unavailable', 'database-away'], message)
  assert.deepEqual(codeOf(Object.assign(new Error('x'), { errcode: 13 | (3 << 8) })), ['unavailable', 'disk-full'])
})

test('a table that a standby does not have', () => {
  const message = 'cannot access temporary or unlogged relations during recovery'
  const given = Object.assign(new Error(message), { code: '0A000' })
  assert.deepEqual(codeOf(given), ['unavailable', 'database-read-only'])
})

test('bugs stay bugs: a wrong query, a broken constraint, a caller who broke off', () => {
  for (const code of ['42601', '0A000', '23505', '23503', '22P02', 'ERR_ASSERTION', 'ENOENT', '']) {
    assert.equal(codeOf(Object.assign(new Error('said'), { code })), 'a bug', code)
  }
  assert.equal(codeOf(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })), 'a bug')
  assert.equal(findSystemCode('fatal: write error: Out of diskspace'), 'ENOSPC')
  assert.equal(findSystemCode('fatal: not a git repository'), undefined)
})

test('a disk that is full while git makes a repository is told as such', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-full-git-'))
  const server = await startServer('sqlite')
  const { PATH } = process.env
  try {
    // What git says and how it ends when the disk takes no more.
    await writeFile(
      join(folder, 'git'),
      '#!/bin/sh\necho "error: could not write config file config: No space left on device" >&2\nexit 128\n',
    )
    await chmod(join(folder, 'git'), 0o755)
    process.env.PATH = `${folder}:${PATH}`
    const { status, body } = await asAdmin(server).post('/user/repos', { name: 'full', auto_init: true })
    assert.deepEqual([status, body.status], [503, '503'])
    assert.match(body.message, /disk is full/)
  } finally {
    process.env.PATH = PATH
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
