/** Merges, squashes and rebases without files on disk come to what git itself makes of them with files. */
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { theServer } from '../../src/accounts/actor.ts'
import type { Merged } from '../../src/forge/git/write/merging.ts'
import type { WorkingFolder } from '../support/git.ts'
import { type GitServer, startGitServer } from './git-server.ts'

const signature = 'Mel <mel@example.org> 1760000000 +0000'

const lines = (count: number, change: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, i) => change[i] ?? `line ${i}`).join('\n')

const write = async (folder: WorkingFolder, files: Record<string, string | null>, message: string) => {
  for (const [path, text] of Object.entries(files)) {
    const place = join(folder.path, path)
    await (text === null ? rm(place) : writeFile(place, text))
  }
  await folder.must('add', '--all')
  await folder.must('commit', '--quiet', '--allow-empty', '-m', message)
}

type Step = readonly [files: Record<string, string | null>, message: string]
type Case = { readonly main: readonly Step[]; readonly topic: readonly Step[] }

const cases: Record<string, Case> = {
  'changes of other files': { main: [[{ 'b.txt': 'b' }, 'main']], topic: [[{ 'c.txt': 'c' }, 'topic']] },
  'changes of other lines of one file': {
    main: [[{ 'a.txt': lines(20, { 1: 'main' }) }, 'main']],
    topic: [
      [{ 'a.txt': lines(20, { 15: 'topic' }) }, 'topic'],
      [{ 'a.txt': lines(20, { 15: 'topic', 18: 'again' }) }, 'again\n\nWith a body.'],
    ],
  },
  'a file that one renames and the other changes': {
    main: [[{ 'a.txt': lines(20, { 3: 'main' }) }, 'main']],
    topic: [[{ 'a.txt': null, 'renamed.txt': lines(20) }, 'rename']],
  },
  'one change that both have made': {
    main: [[{ 'same.txt': 'same' }, 'on main']],
    topic: [
      [{ 'same.txt': 'same' }, 'on topic'],
      [{ 'more.txt': 'more' }, 'more'],
    ],
  },
  'a commit that changes nothing': {
    main: [[{ 'b.txt': 'b' }, 'main']],
    topic: [
      [{}, 'nothing'],
      [{ 'c.txt': 'c' }, 'c'],
    ],
  },
  'nothing on main since': { main: [], topic: [[{ 'c.txt': 'c' }, 'c']] },
  'the same line': {
    main: [[{ 'a.txt': lines(20, { 5: 'main' }) }, 'main']],
    topic: [[{ 'a.txt': lines(20, { 5: 'topic' }) }, 'topic']],
  },
  'a file that one deletes and the other changes': {
    main: [[{ 'a.txt': null }, 'delete']],
    topic: [[{ 'a.txt': lines(20, { 5: 'topic' }) }, 'topic']],
  },
  'a conflict that a later commit takes back': {
    main: [[{ 'a.txt': lines(20, { 5: 'main' }) }, 'main']],
    topic: [
      [{ 'a.txt': lines(20, { 5: 'topic' }) }, 'there'],
      [{ 'a.txt': lines(20), 'c.txt': 'c' }, 'and back'],
    ],
  },
}

describe('merging in a bare repository', () => {
  let hosted: GitServer
  before(async () => {
    hosted = await startGitServer()
  })
  after(() => hosted.stop())

  for (const [i, [name, { main, topic }]] of Object.entries(cases).entries()) {
    test(`of ${name} is what git makes of it`, async () => {
      const { ann, work, url, server, fsck } = hosted
      const { body } = await ann.post('/user/repos', { name: `merged-${i}` })
      const folder = await work()
      await write(folder, { 'a.txt': lines(20) }, 'first')
      await folder.must('checkout', '--quiet', '-b', 'topic')
      for (const step of topic) await write(folder, ...step)
      await folder.must('checkout', '--quiet', 'main')
      for (const step of main) await write(folder, ...step)
      await folder.must('push', '--quiet', url(`ann/merged-${i}`), 'main', 'topic')
      const [base, head] = [await folder.must('rev-parse', 'main'), await folder.must('rev-parse', 'topic')]
      const { merging, opening, git } = server.services.forge
      const repository = (await opening.find(theServer, { id: body.id }))!
      const draft = { base, head, author: signature, committer: signature, message: 'Merged' }
      const read = async (sha: string, format: string) =>
        (await git.read(repository, ['log', '-1', `--format=${format}`, sha])).toString().trim()

      await folder.must('checkout', '--quiet', '-b', 'merged', 'main')
      const isClean = (await folder.git('merge', '--no-ff', '-m', 'Merged', 'topic')).code === 0
      const tree = isClean ? await folder.must('rev-parse', 'HEAD^{tree}') : undefined
      if (!isClean) await folder.must('merge', '--abort')
      assert.equal(await merging.isMergeable(repository, { base, head }), isClean)
      for (const [act, parents] of [
        [merging.merge, `${base} ${head}`],
        [merging.squash, base],
      ] as const) {
        const made = await act(repository, draft)
        assert.equal(made.kind, isClean ? 'merged' : 'conflict')
        if (made.kind !== 'merged') continue
        assert.equal(await read(made.sha, '%T'), tree)
        assert.equal(await read(made.sha, '%P'), parents)
        assert.equal(await read(made.sha, '%an %ae %cn %B'), 'Mel mel@example.org Mel Merged')
      }

      await folder.must('checkout', '--quiet', '-b', 'rebased', 'topic')
      const rebases = (await folder.git('rebase', '--force-rebase', 'main')).code === 0
      const rebased: Merged = await merging.rebase(repository, { base, head, committer: signature })
      assert.equal(rebased.kind, rebases ? 'merged' : 'conflict')
      if (rebased.kind === 'merged') {
        const format = '--format=%T %an <%ae> %at %B'
        const ours = await git.read(repository, ['log', format, `${base}..${rebased.sha}`])
        assert.equal(ours.toString().trim(), await folder.must('log', format, 'main..rebased'))
        assert.equal(await read(rebased.sha, '%cn'), 'Mel')
      }
      assert.equal((await fsck(`ann/merged-${i}`)).code, 0)
    })
  }

  test('refuses what has no history in common, and more commits than it takes', async () => {
    const { ann, work, url, server } = hosted
    const { body } = await ann.post('/user/repos', { name: 'apart' })
    const folder = await work()
    await write(folder, { 'a.txt': 'a' }, 'first')
    await folder.must('checkout', '--quiet', '--orphan', 'other')
    for (let i = 0; i < 4; i++) await write(folder, { 'b.txt': `${i}` }, `${i}`)
    await folder.must('push', '--quiet', url('ann/apart'), 'main', 'other')
    const { merging, opening } = server.services.forge
    const repository = (await opening.find(theServer, { id: body.id }))!
    const [base, head] = [await folder.must('rev-parse', 'main'), await folder.must('rev-parse', 'other')]
    assert.equal(await merging.isMergeable(repository, { base, head }), false)
    assert.equal(await merging.findFork(repository, { base, head }), undefined)
    const draft = { base, head, committer: signature }
    assert.deepEqual(await merging.rebase(repository, draft, 3), { kind: 'too-many' })
  })
})
