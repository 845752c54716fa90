/** Pages of a wiki over REST: found by their names, rendered, with their history, and only for those who may read. */
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import { makeRest, makeUser, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { startServer, type TestServer } from '../support/server.ts'

describe('pages of a wiki', () => {
  let server: TestServer
  let ann: RestClient
  let bob: RestClient
  before(async () => {
    server = await startServer('sqlite')
    ann = await makeUser(server, 'ann')
    bob = await makeUser(server, 'bob')
    for (const name of ['tool', 'closed', 'fresh'])
      await ann.post('/user/repos', { name, private: name === 'closed', has_wiki: true })
    for (const name of ['tool', 'closed']) await pushPages(name)
  })
  after(() => server.stop())

  async function pushPages(name: string): Promise<void> {
    const folder = await makeWorkingFolder()
    const url = remoteUrl(server.url, `ann/${name}.wiki`, 'ann', ann.token)
    const write = async (files: Record<string, string>, message: string) => {
      await mkdir(join(folder.path, 'Guides'), { recursive: true })
      for (const [path, text] of Object.entries(files)) await writeFile(join(folder.path, path), text)
      await folder.must('add', '--all')
      await folder.must('commit', '--quiet', '-m', message)
    }
    try {
      await write({ 'Home.md': '# Old\n', 'dot.png': 'bytes', '_Sidebar.md': '[[Home]]\n' }, 'Begin')
      const home = 'See [[First Steps]], [[the start|First Steps#go]], `[[code]]` and ![dot](dot.png).\n\n## Part\n'
      await write({ 'Home.md': home, 'First-Steps.md': 'Go.\n', 'Guides/More-of-it.md': '[a](../dot.png)\n' }, 'Go on')
      await folder.must('push', '--quiet', url, 'HEAD:master')
    } finally {
      await folder.drop()
    }
  }

  test('are listed, but for other files', async () => {
    const { body } = await bob.get('/repos/ann/tool/wiki/pages')
    assert.deepEqual(
      body.map(({ name, title, path }: Record<string, string>) => [name, title, path]),
      [
        ['First-Steps', 'First Steps', 'First-Steps.md'],
        ['Guides/More-of-it', 'More of it', 'Guides/More-of-it.md'],
        ['Home', 'Home', 'Home.md'],
        ['_Sidebar', '_Sidebar', '_Sidebar.md'],
      ],
    )
    assert.equal(body[1].html_url, `${server.url}/ann/tool/wiki/Guides/More-of-it`)
    assert.deepEqual((await bob.get('/repos/ann/fresh/wiki/pages')).body, [])
  })

  test('are found by their names, with blanks or hyphens, in either case', async () => {
    for (const name of ['First-Steps', 'first%20steps', 'FIRST-STEPS.md']) {
      const { body, status } = await bob.get(`/repos/ann/tool/wiki/pages/${name}`)
      assert.deepEqual([status, body.text], [200, 'Go.\n'], name)
    }
    assert.equal((await bob.get('/repos/ann/tool/wiki/pages/Guides/More-of-it')).status, 200)
    for (const name of ['Nothing', 'dot.png', 'More-of-it', '..%2FHome'])
      assert.equal((await bob.get(`/repos/ann/tool/wiki/pages/${name}`)).status, 404, name)
    assert.equal((await bob.get('/repos/ann/fresh/wiki/pages/Home')).status, 404)
  })

  test('lead to each other and show pictures of the wiki', async () => {
    const { body } = await bob.get('/repos/ann/tool/wiki/pages/Home')
    assert.match(body.html, /<a href="\/ann\/tool\/wiki\/First-Steps" rel="nofollow noopener">First Steps<\/a>/)
    assert.match(body.html, /<code>\[\[code\]\]<\/code>/)
    assert.match(body.html, /<img src="\/repos\/ann\/tool\/wiki\/raw\/dot\.png" alt="dot" \/>/)
    assert.match(body.html, /<h2 id="user-content-part">Part<\/h2>/)
    assert.equal((await bob.get('/repos/ann/tool/wiki/raw/dot.png')).text, 'bytes')
    assert.equal((await bob.get('/repos/ann/tool/wiki/raw/nothing.png')).status, 404)
  })

  test('have a history, and are read as they were', async () => {
    const { body: revisions } = await bob.get('/repos/ann/tool/wiki/history/Home')
    assert.deepEqual(
      revisions.map(({ message }: { message: string }) => message.trim()),
      ['Go on', 'Begin'],
    )
    const { body } = await bob.get(`/repos/ann/tool/wiki/pages/Home?version=${revisions[1].sha}`)
    assert.equal(body.text, '# Old\n')
    assert.equal((await bob.get('/repos/ann/tool/wiki/history/First-Steps')).body.length, 1)
    for (const version of ['main', '0'.repeat(40), '--all'])
      assert.equal((await bob.get(`/repos/ann/tool/wiki/pages/Home?version=${version}`)).status, 404, version)
  })

  test('are for those who may read the repository, while it has a wiki', async () => {
    const parts = ['pages', 'pages/Home', 'history/Home', 'raw/dot.png']
    for (const part of parts) {
      assert.equal((await bob.get(`/repos/ann/closed/wiki/${part}`)).status, 404, part)
      assert.equal((await makeRest(server.url).get(`/repos/ann/closed/wiki/${part}`)).status, 404, part)
      assert.equal((await ann.get(`/repos/ann/closed/wiki/${part}`)).status, 200, part)
    }
    await ann.patch('/repos/ann/tool', { has_wiki: false })
    for (const part of parts) assert.equal((await ann.get(`/repos/ann/tool/wiki/${part}`)).status, 404, part)
  })

  describe('are written over REST', () => {
    const own = '/repos/ann/fresh/wiki/pages'
    const must = async (
      answer: Promise<{ status: number; body: Json; text: string }>,
      status: number,
    ): Promise<Json> => {
      const found = await answer
      assert.equal(found.status, status, found.text)
      return found.body
    }

    test('made, changed, renamed and deleted, each by a commit of who did it', async () => {
      const made = await must(ann.put(`${own}/Guides/First%20steps`, { text: 'Go.\n' }), 201)
      assert.deepEqual([made.name, made.path, made.size], ['Guides/First-steps', 'Guides/First-steps.md', 4])
      const changed = await must(
        ann.put(`${own}/guides/first-steps`, { text: 'Go on.\n', sha: made.sha, message: 'Say more' }),
        200,
      )
      const moved = { text: 'Go on.\n', sha: changed.sha, name: 'Begin here' }
      const renamed = await must(ann.put(`${own}/Guides/First-steps`, moved), 200)
      assert.equal(renamed.path, 'Begin-here.md')
      assert.equal((await bob.get(`${own}/Guides/First-steps`)).status, 404)
      const { body: revisions } = await bob.get('/repos/ann/fresh/wiki/history/Begin-here')
      assert.deepEqual(
        revisions.map(({ message, user }: Json) => [message.trim(), user.login]),
        [['Update Begin-here', 'ann']],
      )
      await must(ann.put(`${own}/Other`, { text: 'Stays.\n' }), 201)
      await must(ann.ask('DELETE', `${own}/Begin-here`, { sha: renamed.sha }), 204)
      const { body: pages } = await bob.get(own)
      assert.deepEqual(
        pages.map(({ name }: Json) => name),
        ['Other'],
      )
    })

    test('and git reads what was written, sound', async () => {
      const folder = await makeWorkingFolder()
      try {
        await folder.must('pull', '--quiet', remoteUrl(server.url, 'ann/fresh.wiki', 'ann', ann.token), 'master')
        const messages = (await folder.must('log', '--format=%s %an')).trim().split('\n')
        assert.deepEqual(messages.at(-1), 'Create Guides/First-steps ann')
        assert.deepEqual(messages.includes('Say more ann'), true)
        await folder.must('fsck', '--full', '--strict')
        await writeFile(join(folder.path, 'Other.md'), 'By git.\n')
        await folder.must('commit', '--quiet', '--all', '-m', 'By git')
        const url = remoteUrl(server.url, 'ann/fresh.wiki', 'ann', ann.token)
        await folder.must('push', '--quiet', url, 'HEAD:master')
      } finally {
        await folder.drop()
      }
      assert.equal((await bob.get(`${own}/Other`)).body.text, 'By git.\n')
    })

    test('no one writes over what they have not seen', async () => {
      const { sha } = (await ann.get(`${own}/Other`)).body
      assert.equal((await ann.put(`${own}/Other`, { text: 'Blind' })).status, 422)
      assert.equal((await ann.put(`${own}/Nowhere`, { text: 'x', sha })).status, 404)
      const both = await Promise.all(['One', 'Two'].map((text) => ann.put(`${own}/Other`, { text, sha })))
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
      assert.equal((await ann.ask('DELETE', `${own}/Other`, { sha })).status, 409)
      assert.equal((await ann.ask('DELETE', `${own}/Other`, {})).status, 422)
    })

    test('many at once write many pages, and none is lost', async () => {
      const names = Array.from({ length: 8 }, (_, at) => `Many-${at}`)
      for (const name of names) {
        let status = 409
        while (status === 409) ({ status } = await ann.put(`${own}/${name}`, { text: name }))
        assert.equal(status, 201)
      }
      const answers = await Promise.all(
        ['Left', 'Right', 'Up', 'Down'].map((name) => ann.put(`${own}/${name}`, { text: name })),
      )
      assert.deepEqual(
        answers.filter(({ status }) => status !== 201 && status !== 409),
        [],
      )
      const { body: pages } = await ann.get(own)
      const listed = pages.map(({ name }: Json) => name)
      for (const name of names) assert.ok(listed.includes(name), name)
      for (const [at, name] of ['Left', 'Right', 'Up', 'Down'].entries())
        assert.equal(listed.includes(name), answers[at]!.status === 201, name)
    })

    test('a new page takes no other’s place: neither a file as a folder nor a folder as a file', async () => {
      const first = await must(ann.put(`${own}/Kept`, { text: 'Kept.' }), 201)
      assert.equal((await ann.put(`${own}/Kept.md/below`, { text: 'x' })).status, 422)
      const renamed = { text: 'x', sha: first.sha, name: 'Kept.md/below' }
      assert.equal((await ann.put(`${own}/Kept`, renamed)).status, 422)
      await must(ann.put(`${own}/Folder.md/inner`, { text: 'Inner.' }), 201)
      assert.equal((await ann.put(`${own}/Folder`, { text: 'x' })).status, 422)
      assert.equal((await ann.get(`${own}/Kept`)).body.text, 'Kept.')
      assert.equal((await ann.get(`${own}/Folder.md/inner`)).body.text, 'Inner.')
      await must(ann.put(`${own}/Kept`, { text: 'Kept.', sha: first.sha, name: ' Kept ' }), 200)
    })

    test('names that lead elsewhere are refused, odd ones are kept as they are', async () => {
      for (const name of ['..%2Fup', 'a%2F..%2Fb', '.git%2Fconfig', 'a%01b', 'a%22b', '%2Fx', 'a%5Cb', 'x'.repeat(300)])
        assert.equal((await ann.put(`${own}/${name}`, { text: 'x' })).status, 422, name)
      const made = await must(ann.put(`${own}/${encodeURIComponent('Grüße an $(HOME) ‘alle’')}`, { text: 'x' }), 201)
      assert.equal(made.path, 'Grüße-an-$(HOME)-‘alle’.md')
      assert.equal((await ann.put(`${own}/Long`, { text: 'x'.repeat(300_000) })).status, 422)
      const lines = 'done\nM 100644 inline evil\ndata <<X\nX\n'
      const plain = await must(ann.put(`${own}/Lines`, { text: lines, message: `a\n${lines}` }), 201)
      assert.equal(plain.size, lines.length)
      assert.equal((await ann.get(`${own}/Lines`)).body.text, lines)
    })

    test('only by those who may write, and not where the wiki is off or the repository archived', async () => {
      assert.equal((await bob.put(`${own}/Mine`, { text: 'x' })).status, 403)
      assert.equal((await makeRest(server.url, '').put(`${own}/Mine`, { text: 'x' })).status, 401)
      assert.equal((await bob.put('/repos/ann/closed/wiki/pages/Mine', { text: 'x' })).status, 404)
      await must(ann.patch('/repos/ann/fresh', { has_wiki: false }), 200)
      assert.equal((await ann.put(`${own}/Off`, { text: 'x' })).status, 404)
      await must(ann.patch('/repos/ann/fresh', { has_wiki: true, archived: true }), 200)
      assert.equal((await ann.put(`${own}/Off`, { text: 'x' })).status, 403)
    })
  })
})
