/** Lists of an archive that are longer than any export writes: each is refused, and none is ever parsed where requests are served. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { asAdmin, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld } from '../world.ts'
import { download, exportAll } from './exports.ts'
import { type ForgedArchive, takeApart } from './forged-archives.ts'
import { importAll } from './imports.ts'

const million = 1_000_000
const mib = 1024 * 1024

type Case = readonly [what: string, change: (archive: ForgedArchive) => void, reason: RegExp, keepsList?: 'keeps-list']

const empty = (count: number) => '{},'.repeat(count - 1).concat('{}')

/** Users like the first, so that there are so many. */
function addUsers(records: Record<string, unknown>[], count: number): void {
  const [first] = records as [Record<string, string>]
  while (records.length < count) {
    const login = `more-${records.length}`
    records.push({ ...first, login, url: first.url!.replace(/[^/]+$/, login) })
  }
}

/** Teams like the first, each under the one before. */
function addTeams(records: Record<string, unknown>[], count: number): void {
  const [first] = records as [Record<string, string>]
  let parent = first
  for (let at = 1; at < count; at++) {
    const slug = `deep-${at}`
    const url = first.url!.replace(/[^/]+$/, slug)
    const team = { ...first, url, name: slug, slug, parent_team: parent.url! }
    records.push(team)
    parent = team
  }
}

const cases: readonly Case[] = [
  ['a million of nothing', (a) => a.put('users_000002.json', `[${empty(million)}]`), /record 1 is no user/],
  [
    'a hundred and one',
    (a) => a.edit('users', (records) => addUsers(records, 101)),
    /users_000001\.json holds more than 100 records/,
  ],
  [
    'a record that never ends',
    (a) => a.edit('users', (records) => Object.assign(records[0], { more: 'x'.repeat(9 * mib) })),
    /longer than any of its records may be/,
  ],
  [
    'a record of a million parts',
    (a) => a.edit('users', (records) => Object.assign(records[0], { more: Array(million).fill(0), login: '..' })),
    /login must be/,
  ],
  [
    'a list of files of a million that are none',
    (a) => a.put('manifest.json', `{"version":"1.0.0","files":[${empty(million)}]}`),
    /lists "undefined", which is not in the archive/,
    'keeps-list',
  ],
  [
    'two lists of files',
    (a) => a.put('manifest.json', '{"version":"1.0.0","files":[],"more":[]}'),
    /manifest\.json is not JSON/,
    'keeps-list',
  ],
  ['an object for a list', (a) => a.put('issues_000001.json', '{"a":[]}'), /is not a list of records/],
  ['a comma too many', (a) => a.put('issues_000001.json', '[,]'), /is not JSON/],
  ['a list after the list', (a) => a.put('issues_000001.json', '[][]'), /is not JSON/],
  [
    'a line of more teams than may be nested',
    (a) => a.edit('teams', (records) => addTeams(records, 17)),
    /is nested deeper than 16 levels/,
  ],
  ['a text without end', (a) => a.put('issues_000001.json', '["'), /is not JSON/],
]

describe('forged lists', () => {
  let server: TestServer
  let root: RestClient
  let sound: Buffer
  const { parse } = JSON
  let longest = 0
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    const { ann } = await makeWorld(server)
    root = asAdmin(server)
    sound = await download(ann, (await exportAll(ann, { repositories: ['ann/open', 'acme/tool'] })).id)
    JSON.parse = (text, reviver) => {
      longest = Math.max(longest, String(text).length)
      return parse(text, reviver)
    }
  })
  after(async () => {
    JSON.parse = parse
    await server.stop()
  })

  for (const [what, change, reason, keepsList] of cases) {
    test(`${what} is refused, and not parsed on the thread that serves requests`, async () => {
      const archive = await takeApart(sound)
      change(archive)
      if (!keepsList) archive.listAgain()
      const bytes = await archive.toBytes()
      longest = 0
      const { state, failure_reason } = await importAll(root, bytes)
      assert.deepEqual([state, reason.test(failure_reason)], ['failed', true], failure_reason)
      assert.ok(await isLetGo(bytes), 'nobody will ask for the archive again')
      assert.ok(longest < 16 * 1024, `a text of ${longest} characters was parsed`)
    })
  }

  test('a hundred records a file, of any length that a text may have, are taken', async () => {
    const archive = await takeApart(sound)
    archive.edit('users', (records) => addUsers(records, 100))
    archive.edit('repositories', (records) => Object.assign(records[0], { unknown: 'ü'.repeat(3 * mib) }))
    archive.listAgain()
    const bytes = await archive.toBytes()
    longest = 0
    await root.post('/admin/users', { login: 'zed', email: 'zed@example.org' })
    const { state, failure_reason } = await importAll(root, bytes, '?owner=zed')
    assert.equal(state, 'imported', failure_reason)
    assert.ok(longest < 16 * 1024, `a text of ${longest} characters was parsed`)
    assert.equal((await root.get('/users/more-99')).status, 200)
    assert.ok(await isLetGo(bytes), 'the archive has done its service')
  })

  /** Whether what was handed in is to be deleted. */
  async function isLetGo(archive: Buffer): Promise<boolean> {
    const hash = createHash('sha256').update(archive).digest('hex')
    const noted = server.services.store.db.selectFrom('blob_deletion').select('blob_hash').where('blob_hash', '=', hash)
    return (await noted.executeTakeFirst()) !== undefined || !(await server.services.forge.files.has(hash))
  }

  test('refs of pulls come along where their pulls do, and others are not in the way of pulls to come', async () => {
    const archive = await takeApart(sound)
    const refs = archive.entries.filter(({ header }) => /open\.git\/(?:refs\/heads\/.|packed-refs$)/.test(header.name))
    const [sha] = /[0-9a-f]{40}/.exec(refs.map(({ bytes }) => bytes.toString('latin1')).join())!
    for (let number = 1; number <= 9; number++)
      archive.put(`repositories/ann/open.git/refs/pull/${number}${number === 1 ? '' : '/head'}`, `${sha}\n`)
    archive.listAgain()
    await root.post('/admin/users', { login: 'yan', email: 'yan@example.org' })
    const { state, failure_reason } = await importAll(root, await archive.toBytes(), '?owner=yan')
    assert.equal(state, 'imported', failure_reason)
    const at = '/repos/yan/open'
    assert.deepEqual((await root.get(`${at}/git/matching-refs/pull`)).body, [])
    const { body: repository } = await root.get(at)
    const { body: base } = await root.get(`${at}/git/ref/heads/${repository.default_branch}`)
    await root.post(`${at}/git/refs`, { ref: 'refs/heads/topic', sha: base.object.sha })
    const file = { message: 'Add a file', content: Buffer.from('new\n').toString('base64'), branch: 'topic' }
    const { body: written } = await root.put(`${at}/contents/new.txt`, file)
    const pull = await root.post(`${at}/pulls`, { title: 'New', head: 'topic', base: repository.default_branch })
    assert.equal(pull.status, 201, pull.text)
    const ref = await root.get(`${at}/git/ref/pull/${pull.body.number}/head`)
    assert.equal(ref.body.object?.sha, written.commit.sha, ref.text)
  })
})
