/** Releases with their files, by Octokit and as bytes. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { oneEngine } from '../../support/engines.ts'
import { makeRest } from '../../support/rest.ts'
import { commit, type GitServer, startGitServer } from '../git-server.ts'

for (const engine of oneEngine)
  describe(`releases on ${engine}`, () => {
    const clock = makeManualClock(Date.now())
    let { server, ann, bob, start, stop } = {} as GitServer
    let octokit: Octokit
    before(async () => {
      const environment = { GUILDHALL_FILE_LIMITS: 'assetMib=2,assetsPerRelease=3' }
      ;({ server, ann, bob, start, stop } = await startGitServer(engine, { clock, environment }))
      octokit = new Octokit({ auth: ann.token, baseUrl: server.url })
    })
    after(() => stop())

    const told = async (kind: string) =>
      (await server.services.store.db.selectFrom('activity').selectAll().where('kind', '=', kind).execute()).length

    test('are made with their tags, drafted, published, changed and deleted by Octokit', async () => {
      const folder = await start('made')
      const place = { owner: 'ann', repo: 'made' }
      const head = await folder.must('rev-parse', 'HEAD')
      const pushes = await told('push')
      const first = await octokit.repos.createRelease({ ...place, tag_name: 'v1', name: 'One', body: 'For @bob' })
      assert.deepEqual([first.status, first.data.draft, first.data.author.login], [201, false, 'ann'])
      assert.equal(await told('push'), pushes + 1, 'the tag is a push')
      assert.equal(await told('release-published'), 1)
      await folder.must('fetch', '--quiet', '--tags', 'origin')
      assert.equal(await folder.must('rev-parse', 'v1'), head)
      const draft = await octokit.repos.createRelease({ ...place, tag_name: 'v2', draft: true })
      assert.deepEqual([draft.data.published_at, draft.data.zipball_url], [null, null])
      assert.equal((await ann.get('/repos/ann/made/git/ref/tags/v2')).status, 404)
      await assert.rejects(octokit.repos.getReleaseByTag({ ...place, tag: 'v2' }), { status: 404 })
      assert.equal((await bob.get(`/repos/ann/made/releases/${draft.data.id}`)).status, 404)
      assert.equal((await bob.get('/repos/ann/made/releases')).body.length, 1)
      assert.equal((await ann.get('/repos/ann/made/releases')).body.length, 2)
      clock.advance(1000)
      const published = await octokit.repos.updateRelease({ ...place, release_id: draft.data.id, draft: false })
      assert.ok(published.data.published_at)
      assert.equal(await told('release-published'), 2)
      assert.equal((await ann.get('/repos/ann/made/git/ref/tags/v2')).status, 200)
      assert.equal((await octokit.repos.getLatestRelease(place)).data.tag_name, 'v2')
      await octokit.repos.createRelease({ ...place, tag_name: 'v3-rc', prerelease: true })
      assert.equal((await octokit.repos.getLatestRelease(place)).data.tag_name, 'v2')
      await octokit.repos.updateRelease({ ...place, release_id: first.data.id, make_latest: 'true' })
      assert.equal((await octokit.repos.getLatestRelease(place)).data.tag_name, 'v1')
      await octokit.repos.deleteRelease({ ...place, release_id: first.data.id })
      assert.equal((await octokit.repos.getLatestRelease(place)).data.tag_name, 'v2')
      assert.equal((await ann.get('/repos/ann/made/git/ref/tags/v1')).status, 200, 'the tag stays')
    })

    test('need a tag that can be one, a target that is there, and the right to write', async () => {
      await start('wrong')
      const post = (body: object, by = ann) => by.post('/repos/ann/wrong/releases', body)
      for (const tag_name of ['-x', 'a b', 'a..b', '1'.repeat(40), 'x.lock', '']) {
        assert.equal((await post({ tag_name })).status, 422, tag_name)
      }
      assert.equal((await post({ tag_name: 'v1', target_commitish: 'none' })).status, 422)
      assert.equal((await post({ tag_name: 'v1' }, bob)).status, 403)
      assert.equal((await post({ tag_name: 'v1' }, makeRest(server.url))).status, 401)
      const answers = await Promise.all([1, 2, 3].map(() => post({ tag_name: 'v1' })))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422])
      assert.equal((await post({ tag_name: 'v1' })).body.errors[0].code, 'already_exists')
    })

    test('have notes made of the commits since the one before', async () => {
      const folder = await start('noted')
      const place = { owner: 'ann', repo: 'noted' }
      await octokit.repos.createRelease({ ...place, tag_name: 'v1' })
      await commit(folder, 'Mend the roof')
      await folder.must('push', '--quiet', 'origin', 'main')
      const { data } = await octokit.repos.generateReleaseNotes({ ...place, tag_name: 'v2' })
      const made = await octokit.repos.createRelease({
        ...place,
        tag_name: 'v2',
        body: 'Thanks',
        generate_release_notes: true,
      })
      assert.equal(made.data.body, `Thanks\n\n${data.body}`)
      assert.match(data.body, /^## What's Changed\n\* Mend the roof \([0-9a-f]{7}\)\n\n.*\/compare\/v1\.\.\.v2$/s)
    })

    test('have files that are sent and fetched as they are, whole and in parts, and counted', async () => {
      await start('files')
      const place = { owner: 'ann', repo: 'files' }
      const { data: release } = await octokit.repos.createRelease({ ...place, tag_name: 'v1/a' })
      const bytes = randomBytes(300_000)
      const { data: asset } = await octokit.request({
        method: 'POST',
        url: release.upload_url,
        name: 'a b.bin',
        label: 'The file',
        data: bytes,
        headers: { 'content-type': 'application/x-thing', 'content-length': bytes.length },
      })
      assert.deepEqual([asset.size, asset.name, asset.content_type], [bytes.length, 'a b.bin', 'application/x-thing'])
      const fetchBytes = async (path: string, headers: Record<string, string> = {}) => {
        const authorization = `Bearer ${ann.token}`
        const response = await fetch(path, { headers: { authorization, ...headers } })
        return { response, body: Buffer.from(await response.arrayBuffer()) }
      }
      const raw = { accept: 'application/octet-stream' }
      const whole = await fetchBytes(asset.url, raw)
      assert.equal(whole.response.status, 200)
      assert.ok(whole.body.equals(bytes))
      assert.match(whole.response.headers.get('content-disposition')!, /^attachment; filename="a b\.bin"/)
      assert.equal(whole.response.headers.get('x-content-type-options'), 'nosniff')
      const part = await fetchBytes(asset.browser_download_url, { range: 'bytes=1000-1999' })
      assert.deepEqual(
        [part.response.status, part.response.headers.get('content-range')],
        [206, `bytes 1000-1999/${bytes.length}`],
      )
      assert.ok(part.body.equals(bytes.subarray(1000, 2000)))
      const end = await fetchBytes(asset.url, { ...raw, range: 'bytes=-10' })
      assert.ok(end.body.equals(bytes.subarray(-10)))
      assert.equal((await fetchBytes(asset.url, { ...raw, range: 'bytes=400000-' })).response.status, 416)
      const unchanged = await fetchBytes(asset.url, { ...raw, 'if-none-match': whole.response.headers.get('etag')! })
      assert.equal(unchanged.response.status, 304)
      await fetchBytes(asset.browser_download_url)
      const again = await octokit.repos.getReleaseAsset({ ...place, asset_id: asset.id })
      assert.equal(again.data.download_count, 2)
      const renamed = await octokit.repos.updateReleaseAsset({
        ...place,
        asset_id: asset.id,
        name: 'c.bin',
        label: 'C',
      })
      assert.deepEqual([renamed.data.name, renamed.data.label], ['c.bin', 'C'])
      assert.equal((await octokit.repos.getRelease({ ...place, release_id: release.id })).data.assets.length, 1)
    })

    test('have files of a size, a number and names of their own', async () => {
      await start('bounded')
      const { body: release } = await ann.post('/repos/ann/bounded/releases', { tag_name: 'v1' })
      const send = (name: string, body = 'x', by = ann) =>
        by.ask('POST', `/repos/ann/bounded/releases/${release.id}/assets${name}`, body)
      assert.equal((await send('')).status, 422)
      assert.equal((await send('?name=a', 'x'.repeat(2 * 1024 * 1024 + 1))).status, 413)
      assert.equal((await send('?name=a', 'x', bob)).status, 403)
      assert.equal((await send('?name=a')).status, 201)
      assert.equal((await send('?name=a')).body.errors[0].code, 'already_exists')
      assert.equal((await send('?name=../../etc/passwd')).body.name, 'etc.passwd')
      assert.equal((await send('?name=%22%0d%0aSet-Cookie:x')).body.name, 'Set-Cookie.x')
      assert.equal((await send('?name=many')).status, 422)
    })

    test('leave no bytes behind once nothing names them, and keep those that something does', async () => {
      await start('gone')
      const { store, forge, settings } = server.services
      const text = `${engine} ${randomBytes(20).toString('hex')}`
      const make = async (tag: string) => {
        const { body: release } = await ann.post('/repos/ann/gone/releases', { tag_name: tag })
        const { body } = await ann.ask('POST', `/repos/ann/gone/releases/${release.id}/assets?name=a`, text)
        return { id: body.id, hash: body.digest.slice(7) }
      }
      const [one, two] = [await make('v1'), await make('v2')]
      const path = join(settings.dataFolder, 'blobs', one.hash.slice(0, 2), one.hash)
      const isThere = () =>
        stat(path).then(
          () => true,
          () => false,
        )
      assert.equal(one.hash, two.hash)
      await ann.delete(`/repos/ann/gone/releases/assets/${one.id}`)
      await forge.files.clean()
      assert.equal(await isThere(), true, 'another one names it')
      await ann.delete('/repos/ann/gone')
      await forge.files.clean()
      assert.equal(await isThere(), false)
      assert.deepEqual(await store.db.selectFrom('blob_deletion').selectAll().where('deleted_at', '=', 0).execute(), [])
      // One that was sent and came to nothing goes at once.
      await start('left')
      await ann.ask('POST', '/repos/ann/left/releases/999999/assets?name=a', text)
      assert.equal(await isThere(), false)
    })
  })
