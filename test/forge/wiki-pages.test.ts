/** Pages of a wiki over REST: found by their names, rendered, with their history, and only for those who may read. */
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import { makeRest, makeUser, type RestClient } from '../support/rest.ts'
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
})
