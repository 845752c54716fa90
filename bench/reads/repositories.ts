/** Repositories and who has to do with them, and the history of one. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from './client.ts'
import { counted, forEach, many, repeat } from './many.ts'
import type { People } from './people.ts'

const run = promisify(execFile)

export type Shas = Readonly<Record<'commit' | 'tree' | 'blob' | 'tag' | 'spread', string>>

/** repo-1 has the history and invitations; repo-2 is watched and talked of, repo-3 has collaborators, repo-4 forks. */
export async function makeRepositories({ ann, bob, members }: People): Promise<void> {
  await forEach(counted('repo'), (name) => ann.rest('POST', '/user/repos', { name }))
  // On no first page: neither by name nor by number, and found by none of the searches.
  await ann.rest('POST', '/user/repos', { name: 'written' })
  await forEach(counted('tool'), async (name) => {
    await ann.rest('POST', '/orgs/org-1/repos', { name, private: true })
    await ann.rest('PUT', `/orgs/org-1/teams/crew/repos/org-1/${name}`, { permission: 'push' })
  })
  await forEach(counted('team'), (name) =>
    ann.rest('PUT', `/orgs/org-1/teams/${name}/repos/org-1/tool-1`, { permission: 'push' }),
  )
  await forEach(counted('shared'), async (name) => {
    await bob.rest('POST', '/user/repos', { name })
    await bob.rest('PUT', `/repos/bob/${name}/collaborators/ann`, {})
  })
  await repeat((i) =>
    ann.rest('PUT', `/repos/ann/repo-${i}/topics`, {
      names: Array.from({ length: i === 1 ? 20 : 1 }, (_, j) => `topic-${i + j}`),
    }),
  )
  await repeat((i) => ann.rest('PUT', `/user/starred/ann/repo-${i}`))
  await ann.rest('PUT', '/repos/ann/repo-4/contents/README.md', { message: 'Begin', content: 'QQ==' })
  await forEach([...members], async ([login, member]) => {
    await ann.rest('PUT', `/repos/ann/repo-1/collaborators/${login}`, {})
    const { id } = await ann.rest('PUT', `/repos/ann/repo-3/collaborators/${login}`, {})
    await member.rest('PATCH', `/user/repository_invitations/${id}`)
    await member.rest('PUT', '/user/starred/ann/repo-1')
    await member.rest('PUT', '/repos/ann/repo-2/subscription', { subscribed: true })
    await member.rest('POST', '/repos/ann/repo-4/forks', {})
  })
}

/**
 * Forty commits, each with a branch and a tag, in one folder; `long` is forty more, `spread` one more, and `ahead` one that is
 * to be merged into `behind`.
 */
export async function pushHistory({ url, token }: Client): Promise<Shas> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-reads-'))
  const git = async (...words: string[]) => (await run('git', ['-C', folder, ...words])).stdout.trim()
  const commit = async (name: string, author = 'ann') => {
    await writeFile(join(folder, `${name}.ts`), `export const name = '${name}'\n`)
    await git('add', '.')
    await git('commit', '--quiet', `--message=Add ${name}`, `--author=${author} <${author}@example.org>`)
  }
  try {
    await git('init', '--quiet', '--initial-branch=main', '.')
    await git('config', 'user.email', 'ann@example.org')
    await git('config', 'user.name', 'Ann')
    await writeFile(join(folder, 'README.md'), '# A repository to read\n')
    for (let i = 1; i <= many; i++) {
      await commit(`file-${i}`, `user-${i}`)
      await git('tag', '--annotate', `v-file-${i}`, '--message=A tag')
      await git('branch', `of-file-${i}`)
    }
    await git('branch', 'behind')
    await git('checkout', '--quiet', '-b', 'ahead')
    await commit('ahead')
    await git('checkout', '--quiet', '-b', 'spread', 'main')
    await commit('spread')
    await git('checkout', '--quiet', '-b', 'long', 'main')
    for (const name of counted('long')) await commit(name)
    await git('push', '--quiet', '--all', `${url.replace('://', `://ann:${token}@`)}/ann/repo-1.git`)
    await git('push', '--quiet', '--tags', `${url.replace('://', `://ann:${token}@`)}/ann/repo-1.git`)
    return {
      commit: await git('rev-parse', 'main'),
      tree: await git('rev-parse', 'main^{tree}'),
      blob: await git('rev-parse', 'main:README.md'),
      tag: await git('rev-parse', 'v-file-1'),
      spread: await git('rev-parse', 'spread'),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
