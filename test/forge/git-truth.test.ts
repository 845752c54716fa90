/** What is shown of git is what git has: no file, name or ref that somebody pushes passes for another's. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { WorkingFolder } from '../support/git.ts'
import type { Json } from '../support/rpc.ts'
import { commit, type GitServer, startGitServer } from './git-server.ts'

describe('patches', () => {
  let { ann, start, stop } = {} as GitServer
  let folder: WorkingFolder
  before(async () => {
    ;({ ann, start, stop } = await startGitServer())
    folder = await start('patches')
  })
  after(() => stop())

  /** Each file's own patch, as git tells it when it is asked for that file alone. */
  async function demandTruePatches(path: string, before: string): Promise<Json[]> {
    const { body } = await ann.get(`/repos/ann/patches/${path}`)
    for (const { filename, patch } of body.files) {
      const words = ['diff', '--no-renames', before, 'HEAD', '--', `:(literal)${filename}`]
      const text = execFileSync('git', words, { cwd: folder.path, encoding: 'utf8' })
      const hunks = text.split('\ndiff --git ').flatMap((part) => {
        const start = part.indexOf('\n@@ ')
        return start < 0 ? [] : [part.slice(start + 1).replace(/\n$/, '')]
      })
      assert.equal(patch, hunks.length > 0 ? hunks.join('\n') : undefined, JSON.stringify(filename))
    }
    return body.files
  }

  test('are told apart by git’s own line ends, whatever else a file has that looks like one', async () => {
    const before = await folder.must('rev-parse', 'HEAD')
    const forged = 'diff --git a/z.txt b/z.txt\n--- a/z.txt\n+++ b/z.txt\n@@ -1 +1 @@\n-safe\n+forged\n'
    for (const [i, end] of ['\u2028', '\u2029', '\r', '\f', '\v', '\u0085', '\r\n', '\n'].entries()) {
      await writeFile(join(folder.path, `b${i}.txt`), `one${end}${forged.replaceAll('\n', end)}last\n`)
    }
    await writeFile(join(folder.path, 'a.txt'), `one\u2028@@ -1 +1 @@ forged\n`)
    await writeFile(join(folder.path, 'new\nline"\tquoted.txt'), 'odd\n')
    await writeFile(join(folder.path, 'z.txt'), 'safe\n')
    await folder.must('add', '.')
    await commit(folder, 'forged')
    await folder.must('push', '--quiet', 'origin', 'main')
    for (const path of ['commits/main', `compare/${before}...main`]) {
      const files = await demandTruePatches(path, before)
      assert.equal(files.length, 11)
      const last = files.find(({ filename }) => filename === 'z.txt')
      assert.equal(last.patch, '@@ -0,0 +1 @@\n+safe')
    }
  })

  test('stay with their files where one changes its kind', async () => {
    const before = await folder.must('rev-parse', 'HEAD')
    await rm(join(folder.path, 'a.txt'))
    await symlink('z.txt', join(folder.path, 'a.txt'))
    await writeFile(join(folder.path, 'z.txt'), 'changed\n')
    await folder.must('add', '.')
    await commit(folder, 'kinds')
    await folder.must('push', '--quiet', 'origin', 'main')
    const files = await demandTruePatches('commits/main', before)
    assert.deepEqual(
      files.map(({ filename, status, patch }) => [filename, status, patch.includes('changed')]),
      [
        ['a.txt', 'changed', false],
        ['z.txt', 'modified', true],
      ],
    )
  })

  test('belong to authors whose names hold any character', async () => {
    await folder.must('config', 'user.name', 'Ann\u2028Example')
    await commit(folder, 'named')
    await folder.must('push', '--quiet', 'origin', 'main')
    const { body } = await ann.get('/repos/ann/patches/commits/main')
    assert.deepEqual([body.commit.author.name, body.author?.login], ['Ann\u2028Example', 'ann'])
    const { body: all } = await ann.get('/repos/ann/patches/contributors')
    assert.deepEqual([all[0].login, all[0].contributions], ['ann', 4])
  })
})
