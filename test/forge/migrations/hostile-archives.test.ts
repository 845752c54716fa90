/** Archives that harm, or that are not what they say: each is refused with a reason, and nothing of it is kept. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { asAdmin, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld } from '../world.ts'
import { download, exportAll } from './exports.ts'
import { type ForgedArchive, takeApart } from './forged-archives.ts'
import { importAll } from './imports.ts'

const repository = 'repositories/ann/open.git'
const mib = 1024 * 1024

/** What is done to the archive, and what is said of it; its list of files is made anew, unless it is what is wrong. */
type Case = readonly [what: string, change: (archive: ForgedArchive) => void, reason: RegExp, keepsList?: 'keeps-list']

const cases: readonly Case[] = [
  ['a path that leads out', (a) => a.add({ name: '../evil.json' }, '[]'), /not a name that an archive has/],
  [
    'a path that leads out below',
    (a) => a.add({ name: 'attachments/../../evil' }, 'x'),
    /not a name that an archive has/,
  ],
  ['an absolute path', (a) => a.add({ name: '/tmp/evil' }, 'x'), /not a name that an archive has/],
  ['a file of no known name', (a) => a.put('evil.sh', 'x'), /not a name that an archive has/],
  [
    'a link',
    (a) => a.add({ name: 'issues_000009.json', type: 'symlink', linkname: '/etc/passwd' }),
    /neither a file nor a folder/,
  ],
  ['a hard link', (a) => a.add({ name: 'x', type: 'link', linkname: 'schema.json' }), /neither a file nor a folder/],
  [
    'a device',
    (a) => a.add({ name: 'x', type: 'character-device', devmajor: 1, devminor: 3 }),
    /neither a file nor a folder/,
  ],
  ['a pipe', (a) => a.add({ name: 'x', type: 'fifo' }), /neither a file nor a folder/],
  ['a name twice', (a) => a.add({ name: 'schema.json' }, '{"version":"1.0.0"}'), /"schema\.json" twice/],
  ['a file where a folder is', (a) => a.add({ name: `${repository}/refs/heads` }, 'x'), /twice|not a name/],
  [
    'a file that was changed',
    (a) => a.put('users_000001.json', '[]'),
    /"users_000001\.json" is not as manifest/,
    'keeps-list',
  ],
  ['a file that is missing', (a) => a.remove('users_000001.json'), /which is not in the archive/, 'keeps-list'],
  [
    'a file that is not listed',
    (a) => a.put('issues_000001.json', '[]'),
    /which manifest\.json does not list/,
    'keeps-list',
  ],
  ['a list that is missing', (a) => a.remove('manifest.json'), /no manifest\.json/, 'keeps-list'],
  [
    'another form',
    (a) => a.put('schema.json', '{"version":"9.0.0"}'),
    /the form "9\.0\.0", which this server does not know/,
  ],
  ['records without end', (a) => a.put('issues_000001.json', '['.repeat(100_000)), /nested too deep/],
  ['records that are no JSON', (a) => a.put('issues_000001.json', '[{'), /is not JSON/],
  ['a gap in the files of a type', (a) => a.put('users_000003.json', '[]'), /users_000002\.json is missing/],
  ['a record of another type', (a) => a.edit('users', (r) => (r[0].type = 'issue')), /is no user/],
  ['a login that none can have', (a) => a.edit('users', (r) => (r[0].login = '../x')), /login must be/],
  ['a name that no repository has', (a) => a.edit('repositories', (r) => (r[0].name = '..')), /name must be/],
  ['a text that no database takes', (a) => a.edit('users', (r) => (r[0].bio = 'a\0b')), /bio must be text/],
  [
    'a time that is none',
    (a) => a.edit('users', (r) => (r[0].created_at = '2026-02-30T00:00:00Z')),
    /created_at must be a time/,
  ],
  [
    'an owner who is not in it',
    (a) =>
      a.edit('repositories', (r) =>
        Object.assign(r[0], { owner: 'http://x/eve', url: 'http://x/eve/open', labels: [] }),
      ),
    /names http:\/\/x\/eve, which is not in the archive/,
  ],
  [
    'an organisation that is a member of a team',
    (a) => a.edit('teams', (r) => r[0].members.push({ user: r[0].organization, role: 'member' })),
    /names .*\/acme, which is not in the archive, or is something else/,
  ],
  [
    'a team of a person',
    (a) => a.edit('teams', (r) => (r[0].organization = r[0].organization.replace(/acme$/, 'ann'))),
    /names .*\/ann, which is not in the archive, or is something else/,
  ],
  [
    'an organisation that is a collaborator',
    (a) =>
      a.edit('repositories', (r) =>
        r[0].collaborators.push({ ...r[0].collaborators[0], permission: 'admin', user: r[1].owner }),
      ),
    /names .*\/acme, which is not in the archive, or is something else/,
  ],
  ['the same person twice', (a) => a.edit('users', (r) => r.push(r[0])), /is there twice/],
  ['a team under itself', (a) => a.edit('teams', (r) => (r[0].parent_team = r[1].url)), /is a team under itself/],
  [
    'git data that no record names',
    (a) => a.put('repositories/ann/more.git/HEAD', 'ref: refs/heads/main\n'),
    /which no record names/,
  ],
  [
    'a repository without git data',
    (a) => a.edit('repositories', (r) => (r[0].git_url = null)),
    /made without git data/,
  ],
  ['a hook', (a) => a.put(`${repository}/hooks/post-receive`, '#!/bin/sh\n'), /not a name that an archive has/],
  ['objects elsewhere', (a) => a.put(`${repository}/objects/info/alternates`, '/\n'), /not a name that an archive has/],
  [
    'a ref that leads nowhere',
    (a) => a.put(`${repository}/refs/heads/x`, `${'1'.repeat(40)}\n`),
    /git data of .*\/ann\/open is damaged/,
  ],
  [
    'a ref that stands for another',
    (a) => a.put(`${repository}/refs/heads/x`, 'ref: refs/heads/main\n'),
    /is not a ref/,
  ],
  ['an object that is none', breakObjects, /git data of .*\/ann\/open (?:is damaged|can’t be taken)/],
]

function breakObjects({ entries }: ForgedArchive): void {
  const objects = entries.filter(
    ({ header, bytes }) => bytes.length > 0 && header.name.startsWith(`${repository}/objects/`),
  )
  for (const { bytes } of objects) bytes.fill(0x41, Math.min(20, bytes.length - 1))
}

describe('hostile archives', () => {
  let server: TestServer
  let root: RestClient
  let sound: Buffer
  before(async () => {
    const environment = { GUILDHALL_LIMITS: 'off', GUILDHALL_FILE_LIMITS: 'importUnpackedMib=4' }
    const source = await startServer('sqlite', { environment })
    const { ann } = await makeWorld(source)
    sound = await download(ann, (await exportAll(ann, { repositories: ['ann/open', 'acme/tool'] })).id)
    await source.stop()
    server = await startServer('sqlite', { environment })
    root = asAdmin(server)
  })
  after(() => server.stop())

  /** All that an import could leave behind. */
  async function lookAround(): Promise<unknown> {
    const { db } = server.services.store
    const rows = async (table: 'account' | 'repository' | 'team' | 'release_asset') =>
      (await db.selectFrom(table).select('id').execute()).length
    const { folder } = server.database
    const shards = (await readdir(join(folder, 'repositories'))).filter((name) => /^[0-9a-f]{2}$/.test(name))
    return {
      rows: [await rows('account'), await rows('repository'), await rows('team'), await rows('release_asset')],
      drafts: await readdir(join(folder, 'repositories', 'coming')),
      stages: await readdir(join(folder, 'temporary')),
      shards,
    }
  }
  const nothing = { rows: [1, 0, 0, 0], drafts: [], stages: [], shards: [] }

  test('are refused by what they hold, and leave nothing behind', async () => {
    for (const [what, change, reason, keepsList] of cases) {
      const archive = await takeApart(sound)
      change(archive)
      if (!keepsList) archive.listAgain()
      const { state, failure_reason } = await importAll(root, await archive.toBytes())
      assert.equal(state, 'failed', what)
      assert.match(failure_reason, reason, what)
      assert.deepEqual(await lookAround(), nothing, what)
    }
  })

  test('that are no archive, break off, or unpack to very much are refused', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * mib))
    const files = await takeApart(sound)
    files.put('attachments/00000000-0000-4000-8000-000000000000/a.txt', Buffer.alloc(5 * mib))
    files.listAgain()
    for (const [bytes, reason] of [
      [Buffer.from('hello'), /not whole gzip/],
      [gzipSync('hello'), /its end is missing/],
      [sound.subarray(0, sound.length - 200), /not whole gzip|its end is missing/],
      [bomb, /unpacks to more than 4 MiB|end is missing|no schema/],
      [await files.toBytes(), /unpacks to more than 4 MiB/],
    ] as const) {
      const { state, failure_reason } = await importAll(root, bytes)
      assert.equal(state, 'failed')
      assert.match(failure_reason, reason)
    }
    assert.deepEqual(await lookAround(), nothing)
  })

  test('never run what their repositories bring along', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'guildhall-hostile-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const mark = join(folder, 'ran')
    const words = `sh -c 'touch ${mark}'`
    const config = ['core.fsmonitor', 'core.alternateRefsCommand', 'core.sshCommand', 'uploadpack.packObjectsHook']
    const path = join(folder, 'config')
    for (const name of config) execFileSync('git', ['config', '--file', path, name, words])
    const archive = await takeApart(sound)
    archive.put(`${repository}/config`, execFileSync('cat', [path]))
    archive.listAgain()
    const { state, failure_reason } = await importAll(root, await archive.toBytes())
    assert.equal(state, 'imported', failure_reason)
    assert.equal(existsSync(mark), false)
    const { body } = await root.get('/repos/ann/open')
    const place = server.services.forge.git.folderOf(body)
    const { readFile } = await import('node:fs/promises')
    assert.doesNotMatch(await readFile(join(place, 'config'), 'utf8'), /fsmonitor|sshCommand/)
  })

  test('are refused where a name is taken, and imported under another owner where one is named', async () => {
    const taken = await importAll(root, sound)
    assert.equal(taken.state, 'failed')
    assert.match(taken.failure_reason, /There is a repository ann\/open already/)
    for (const [query, reason] of [
      ['?owner=nobody', /no account nobody/],
      ['?users=eve:admin', /has no account eve/],
      ['?users=ann:nobody', /no account nobody here/],
      ['?users=acme:admin', /admin is a user here, and an organisation in the archive/],
      ['?users=ann:cid', /Two accounts of the archive would become cid/],
    ] as const) {
      const { state, failure_reason } = await importAll(root, sound, query)
      assert.equal(state, 'failed')
      assert.match(failure_reason, reason)
    }
    const moved = await importAll(root, sound, '?owner=admin&users=ann:admin')
    assert.equal(moved.state, 'imported', moved.failure_reason)
    assert.deepEqual(
      moved.repositories.map((one: { full_name: string }) => one.full_name),
      ['admin/open', 'admin/tool'],
    )
    const wrong = await root.post('/admin/imports?users=ann', {})
    assert.equal(wrong.status, 422)
  })

  test('put nobody below a team that was here', async () => {
    const teams = (await root.get('/orgs/acme/teams')).body as { slug: string; parent: { slug: string } | null }[]
    const child = teams.find(({ parent }) => parent)!
    assert.ok(child, 'the archive brought a team with a parent')
    assert.equal((await root.delete(`/orgs/acme/teams/${child.slug}`)).status, 204)
    await root.post('/admin/users', { login: 'zed', email: 'zed@example.org' })
    const again = await importAll(root, sound, '?owner=zed')
    assert.equal(again.state, 'imported', again.failure_reason)
    const { body } = await root.get(`/orgs/acme/teams/${child.slug}`)
    assert.equal(body.parent, null, 'whoever is in it would have what the team above has')
  })
})
