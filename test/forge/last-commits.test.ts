/** Which commit changed each entry of a folder last, and which one each line of a file is from. */
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { WorkingFolder } from '../support/git.ts'
import { makeRest } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { commit, type GitServer, startGitServer } from './git-server.ts'

describe('last commits', () => {
  let { ann, bob, server, start, stop } = {} as GitServer
  let folder: WorkingFolder
  before(async () => {
    ;({ ann, bob, server, start, stop } = await startGitServer())
    folder = await start('told')
    const write = async (path: string, text: string, message: string) => {
      await mkdir(join(folder.path, path, '..'), { recursive: true })
      await writeFile(join(folder.path, path), text)
      await folder.must('add', '--all')
      await commit(folder, message)
    }
    await write('d/e/deep.txt', 'one\ntwo\nthree\n', 'Deep')
    await write('d/ünï\nline.txt', 'x\n', 'Odd name')
    await write('d/e/deep.txt', 'one\nTWO\nthree\n', 'Deep again')
    await folder.must('checkout', '--quiet', '-b', 'side')
    await write('side.txt', 's\n', 'Side')
    await folder.must('checkout', '--quiet', 'main')
    await write('main.txt', 'm\n', 'Main')
    await folder.must('merge', '--quiet', '--no-ff', '-m', 'Merge', 'side')
    await folder.must('push', '--quiet', 'origin', 'main')
  })
  after(() => stop())

  const list = async (path: string) => {
    const { status, body } = await ann.get(`/repos/ann/told/last-commits${path}`)
    assert.equal(status, 200)
    return body.map((entry: Json) => [entry.path, entry.commit?.commit.message])
  }

  test('each entry of a folder comes with the newest commit that changed it, in the folder’s order', async () => {
    const root = Object.fromEntries(await list(''))
    assert.deepEqual([root.d, root['side.txt'], root['main.txt']], ['Deep again', 'Side', 'Main'])
    assert.deepEqual(await list('/d'), [
      ['d/e', 'Deep again'],
      ['d/ünï\nline.txt', 'Odd name'],
    ])
    assert.deepEqual(await list('/d/e?ref=main'), [['d/e/deep.txt', 'Deep again']])
  })

  test('a large folder is read a page at a time, each entry with its commit', async () => {
    const many = join(folder.path, 'many')
    await mkdir(many)
    const names = Array.from({ length: 2_100 }, (_, i) => `f${String(i).padStart(4, '0')}`)
    for (const name of names) await writeFile(join(many, name), name)
    await folder.must('add', '--all')
    await commit(folder, 'Many')
    await writeFile(join(many, 'f2050'), 'changed')
    await folder.must('commit', '--quiet', '--all', '-m', 'One of many')
    await folder.must('push', '--quiet', 'origin', 'main')
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`/many?page=${page}`)))
    assert.deepEqual(
      pages.map((page) => page.length),
      [1_000, 1_000, 100, 0],
    )
    const expected = names.map((name) => [`many/${name}`, name === 'f2050' ? 'One of many' : 'Many'])
    assert.deepEqual(pages.flat(), expected)
    const { headers } = await ann.get('/repos/ann/told/last-commits/many?per_page=10')
    assert.match(headers.get('link') ?? '', /per_page=10&page=210>; rel="last"/)
  })

  test('a file, nothing, and an unknown ref are not found', async () => {
    for (const path of ['/main.txt', '/none', '/d/none', '?ref=none'])
      assert.equal((await ann.get(`/repos/ann/told/last-commits${path}`)).status, 404, path)
  })

  const blameOf = (expression: string) =>
    `{ repository(owner: "ann", name: "told") { ref(qualifiedName: "refs/heads/main") { target { ... on Commit { ${expression} } } } } }`

  test('lines are told with their commits, by a branch and by a commit', async () => {
    const ranges = 'blame(path: "d/e/deep.txt") { ranges { startingLine endingLine age commit { message } } }'
    const { body } = await ann.post('/graphql', { query: blameOf(ranges) })
    const told = (blame: Json) =>
      blame.ranges.map((range: Json) => [range.startingLine, range.endingLine, range.commit.message])
    const expected = [
      [1, 1, 'Deep'],
      [2, 2, 'Deep again'],
      [3, 3, 'Deep'],
    ]
    assert.deepEqual(told(body.data.repository.ref.target.blame), expected)
    const { body: head } = await ann.get('/repos/ann/told/commits/main')
    const query = `query ($id: ID!) { node(id: $id) { ... on Commit { oid ${ranges} } } }`
    const { body: byId } = await ann.post('/graphql', { query, variables: { id: head.node_id } })
    assert.equal(byId.data.node.oid, head.sha)
    assert.deepEqual(told(byId.data.node.blame), expected)
  })

  test('a folder and nothing have no lines, and a private repository none for strangers', async () => {
    for (const path of ['d', 'none']) {
      const { body } = await ann.post('/graphql', { query: blameOf(`blame(path: "${path}") { ranges { age } }`) })
      assert.equal(body.errors[0].type, 'NOT_FOUND', path)
    }
    const { body: head } = await ann.get('/repos/ann/told/commits/main')
    await ann.patch('/repos/ann/told', { private: true })

    const query = `{ node(id: "${head.node_id}") { id } }`
    assert.equal((await bob.post('/graphql', { query })).body.errors[0].type, 'NOT_FOUND')
    assert.equal((await makeRest(server.url).get('/repos/ann/told/last-commits')).status, 404)
    await ann.patch('/repos/ann/told', { private: false })
  })
})
