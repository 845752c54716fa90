/** A push, or a fetch, whose end is held back: what counts is what its sender may when all of it is there. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { writePacket } from '../../src/forge/git/serve/pkt-line.ts'
import { oneEngine } from '../support/engines.ts'
import type { WorkingFolder } from '../support/git.ts'
import { asAdmin, type RestClient } from '../support/rest.ts'
import { until } from '../support/until.ts'
import { commit, type GitServer, startGitServer } from './git-server.ts'
import { sendHalf } from './half-sent.ts'

const zeroId = '0'.repeat(40)
const flush = Buffer.from('0000')

/** What git would send for it. */
function writePush(folder: WorkingFolder, ref: string, before: string, after: string): Buffer {
  const command = writePacket(`${before} ${after} ${ref}\0 report-status side-band-64k`)
  const revs = before === zeroId ? after : `${after}\n^${before}`
  const words = ['pack-objects', '--stdout', '--revs', '--quiet']
  const pack = after === zeroId ? Buffer.alloc(0) : execFileSync('git', words, { cwd: folder.path, input: `${revs}\n` })
  return Buffer.concat([command, flush, pack])
}

for (const engine of oneEngine) {
  describe(`a request to git on ${engine} that is half sent`, () => {
    let { server, ann, bob, start, folderOf, stop } = {} as GitServer
    let root: RestClient
    before(async () => {
      ;({ server, ann, bob, start, folderOf, stop } = await startGitServer(engine))
      root = asAdmin(server)
    })
    after(() => stop())

    /** A repository of ann's to which bob may write, and his next commit, which is not there yet. */
    async function share(name: string, bytes = 10) {
      const folder = await start(name, true)
      const old = await folder.must('rev-parse', 'HEAD')
      await writeFile(join(folder.path, 'b'), randomBytes(bytes))
      await folder.must('add', '.')
      await commit(folder, 'two')
      const { body } = await ann.put(`/repos/ann/${name}/collaborators/bob`, { permission: 'push' })
      assert.equal((await bob.patch(`/user/repository_invitations/${body.id}`)).status, 204)
      return { folder, old, next: await folder.must('rev-parse', 'HEAD') }
    }

    const listRefs = async (name: string) => {
      const words = ['--git-dir', await folderOf(`ann/${name}`), 'for-each-ref', '--format=%(refname) %(objectname)']
      return execFileSync('git', words, { encoding: 'utf8' }).trim()
    }
    const listOpen = () =>
      server.services.store.db.selectFrom('push').selectAll().where('state', '=', 'receiving').execute()

    const half = (name: string, service: string, body: Buffer, kept: number, more = 0, token = bob.token) =>
      sendHalf({
        url: server.url,
        path: `/ann/${name}.git/git-${service}`,
        token,
        start: body.subarray(0, body.length - kept),
        length: body.length + more,
      })

    const takenAway: [string, number, (name: string, tokenId: number) => Promise<{ status: number }>][] = [
      ['removed', 404, (name) => ann.delete(`/repos/ann/${name}/collaborators/bob`)],
      ['archived', 403, (name) => ann.patch(`/repos/ann/${name}`, { archived: true })],
      ['revoked', 401, (_name, tokenId) => root.delete(`/admin/tokens/${tokenId}`)],
      ['suspended', 403, () => root.put('/users/bob/suspended')],
    ]
    for (const [what, status, takeAway] of takenAway) {
      test(`moves nothing where its sender, token or repository was ${what} meanwhile`, async () => {
        const { folder, old, next } = await share(what)
        const { id, token } = (await root.post('/admin/users/bob/authorizations', { scopes: ['repo'] })).body
        const body = writePush(folder, 'refs/heads/main', old, next)
        const pushing = await half(what, 'receive-pack', body, 10, 0, token)
        const gone = await takeAway(what, id)
        assert.ok([200, 204].includes(gone.status), String(gone.status))
        assert.equal((await pushing.finish(body.subarray(-10))).status, status)
        if (what === 'suspended') await root.delete('/users/bob/suspended')
        assert.equal(await listRefs(what), `refs/heads/main ${old}`)
        assert.deepEqual(await listOpen(), [])
      })
    }

    test('moves nothing by what is sent after its pack, nor by deleting, nor where it is long', async () => {
      const { folder, old, next } = await share('longer', 400_000)
      await folder.must('push', '--quiet', 'origin', `${old}:refs/heads/side`)
      const long = writePush(folder, 'refs/heads/main', old, next)
      const small = writePush(folder, 'refs/heads/new', zeroId, old)
      const removal = writePush(folder, 'refs/heads/side', old, zeroId)
      const pushes = [
        await half('longer', 'receive-pack', long, 10),
        await half('longer', 'receive-pack', small, 10, 50_000),
        await half('longer', 'receive-pack', removal, 2),
      ]
      const objects = join(await folderOf('ann/longer'), 'objects')
      await until(async () => (await readdir(objects)).some((name) => name.startsWith('tmp_objdir')))
      await ann.delete('/repos/ann/longer/collaborators/bob')
      const rests = [
        long.subarray(-10),
        Buffer.concat([small.subarray(-10), randomBytes(50_000)]),
        removal.subarray(-2),
      ]
      const answers = await Promise.all(pushes.map((push, i) => push.finish(rests[i]!)))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [404, 404, 404],
      )
      assert.equal(await listRefs('longer'), `refs/heads/main ${old}\nrefs/heads/side ${old}`)
      await until(async () => (await listOpen()).length === 0)
    })

    test('forces nothing that was forbidden meanwhile, however long it is', async () => {
      const { folder, old, next } = await share('forced', 400_000)
      await folder.must('push', '--quiet', 'origin', `${next}:refs/heads/main`)
      const other = await folder.must('commit-tree', `${old}^{tree}`, '-m', 'other')
      await writeFile(join(folder.path, 'c'), randomBytes(400_000))
      await folder.must('add', '.')
      const tree = await folder.must('write-tree')
      const long = await folder.must('commit-tree', tree, '-p', old, '-m', 'long')
      const bodies = [other, long].map((sha) => writePush(folder, 'refs/heads/main', next, sha))
      const pushes = await Promise.all(bodies.map((body) => half('forced', 'receive-pack', body, 10)))
      const objects = join(await folderOf('ann/forced'), 'objects')
      await until(async () => (await readdir(objects)).some((name) => name.startsWith('tmp_objdir')))
      await ann.patch('/repos/ann/forced', { allow_force_pushes: false })
      const answers = await Promise.all(pushes.map((push, i) => push.finish(bodies[i]!.subarray(-10))))
      assert.match(answers[0]!.text, /forbids force-pushes/)
      assert.match(answers[1]!.text, /were changed while the push came/)
      assert.equal(await listRefs('forced'), `refs/heads/main ${next}`)
    })

    test('fetches nothing where its sender was removed meanwhile', async () => {
      const { old } = await share('read')
      const body = Buffer.concat([writePacket(`want ${old} no-progress\n`), flush, writePacket('done\n')])
      const fetching = await half('read', 'upload-pack', body, 5)
      await ann.delete('/repos/ann/read/collaborators/bob')
      const { status, text } = await fetching.finish(body.subarray(-5))
      assert.deepEqual([status, text.includes('PACK')], [404, false])
    })

    test('is taken where nothing was taken away', async () => {
      const { folder, old, next } = await share('kept', 400_000)
      const body = writePush(folder, 'refs/heads/main', old, next)
      const { status, text } = await (await half('kept', 'receive-pack', body, 10)).finish(body.subarray(-10))
      assert.equal(status, 200)
      assert.match(text, /ok refs\/heads\/main/)
      assert.equal(await listRefs('kept'), `refs/heads/main ${next}`)
    })
  })
}
