/** Someone who pushes commit after commit to a branch of their own, and remembers what was answered; and whether all of it is there. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RefChange } from '../../src/forge/git/push/ref-change.ts'
import { makeWorkingFolder, remoteUrl, runGit } from '../support/git.ts'
import { makeRest } from '../support/rest.ts'
import { admin, type TestServer } from '../support/server.ts'
import { bySsh, type KeyPair } from '../support/ssh.ts'

export type Pusher = {
  readonly branch: string
  /** The newest commit whose push was answered, and those that were sent since. */
  readonly answered: string | undefined
  readonly sent: readonly string[]
  /** Until a push is not answered, or `goesOn` says no. */
  work(url: string, goesOn?: () => boolean): Promise<void>
  drop(): Promise<void>
}

export const pusherRepository = `${admin.name}/pushed`

/** Over HTTP, or by a key over SSH. */
async function reach(url: string, key: KeyPair | undefined): Promise<{ remote: string; words: string[] }> {
  if (!key) return { remote: remoteUrl(url, pusherRepository, admin.name, admin.token), words: [] }
  const { body } = await makeRest(url, admin.token).get(`/repos/${pusherRepository}`)
  return { remote: body.ssh_url, words: bySsh(key) }
}

export async function makePusher(branch: string, key?: KeyPair): Promise<Pusher> {
  const folder = await makeWorkingFolder()
  let count = 0
  const pusher = {
    branch,
    answered: undefined as string | undefined,
    sent: [] as string[],
    async work(url: string, goesOn = () => true) {
      const { remote, words } = await reach(url, key)
      while (goesOn()) {
        // What was sent and not answered may be there: the next goes on from it either way.
        await writeFile(join(folder.path, 'file'), `${branch} ${++count}\n`)
        await folder.must('add', '.')
        await folder.must('commit', '--quiet', '-m', `${count}`)
        const sha = await folder.must('rev-parse', 'HEAD')
        pusher.sent.push(sha)
        const { code } = await folder.git(...words, 'push', '--quiet', remote, `HEAD:refs/heads/${branch}`)
        if (code !== 0) return
        pusher.answered = sha
        pusher.sent = []
      }
    },
    drop: folder.drop,
  }
  return pusher
}

/**
 * Git is content with its data, every push that was told of is in its ref, and what is asked of each ref is answered.
 * `isExact`: and there is no commit in any ref that was not told of.
 */
export async function demandAgreement({ url, services }: TestServer, isExact: boolean): Promise<Map<string, string>> {
  const client = makeRest(url, admin.token)
  const { body: shown } = await client.get(`/repos/${pusherRepository}`)
  const folder = services.forge.git.folderOf({ id: shown.id })
  const checked = await runGit(folder, ['--git-dir', '.', 'fsck', '--full', '--strict'])
  assert.equal(checked.code, 0, checked.output)
  const listed = await runGit(folder, ['--git-dir', '.', 'for-each-ref', '--format=%(refname) %(objectname)'])
  const refs = new Map(
    listed.output
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  )

  const { db } = services.store
  const pushes = await db.selectFrom('push').selectAll().where('state', '=', 'received').orderBy('id').execute()
  const told = new Map<string, string>()
  for (const { changes } of pushes) {
    for (const { ref, after } of JSON.parse(changes) as RefChange[]) told.set(ref, after)
  }
  if (isExact) assert.deepEqual([...told].sort(), [...refs].sort())
  for (const [ref, sha] of told) {
    const { code } = await runGit(folder, ['--git-dir', '.', 'merge-base', '--is-ancestor', sha, ref])
    assert.equal(code, 0, `${sha} is not in ${ref}`)
  }
  const newest = Math.max(...pushes.map(({ created_at }) => created_at))
  assert.equal(Date.parse(shown.pushed_at), Math.floor(newest / 1000) * 1000)
  for (const [ref, sha] of refs) {
    const { body } = await client.get(`/repos/${pusherRepository}/git/${ref.replace('refs/', 'ref/')}`)
    assert.equal(body.object.sha, sha)
    assert.equal((await client.get(`/repos/${pusherRepository}/commits/${sha}`)).status, 200)
  }
  return refs
}
