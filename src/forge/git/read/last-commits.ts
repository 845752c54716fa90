/** Finds, for each entry of a folder, the newest commit that changed it. */
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { Repository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import type { Commit } from './commit.ts'
import type { Contents, FolderEntry } from './contents.ts'
import { type GitReading, maxTreeEntries } from './git-reading.ts'
import { readPaths } from './path-text.ts'

/**
 * A folder's history is walked from the newest commit, in longer and longer steps: most entries are found in the first.
 * Entries that have not changed for longer are returned without a commit: git would have to walk all of a long history.
 */
const steps = [200, 2_000, 8_000]
const maxStepBytes = 8 * 1024 * 1024

export type LastCommit = { readonly path: string; readonly commit: Commit | undefined }

export type LastCommits = ReturnType<typeof makeLastCommits>

export function makeLastCommits({ reading, contents }: { reading: GitReading; contents: Contents }) {
  async function findShas(
    repository: Repository,
    sha: string,
    folder: string,
    entries: readonly FolderEntry[],
  ): Promise<Map<string, string>> {
    const wanted = new Set(entries.map(({ path }) => path))
    const found = new Map<string, string>()
    let skipped = 0
    for (const count of steps) {
      if (wanted.size === 0) break
      const { changes, commits } = await readStep(repository, sha, folder, skipped, count)
      for (const { path, sha: by } of changes) if (wanted.delete(path)) found.set(path, by)
      if (commits < count) break
      skipped += count
    }
    return found
  }

  async function readStep(repository: Repository, sha: string, folder: string, skip: number, count: number) {
    const words = ['log', '-z', '--no-renames', '--name-only', '--format=%x01%H']
    const range = [`--max-count=${count}`, `--skip=${skip}`]
    const place = folder === '' ? [] : [`:(literal)${folder}`]
    const options = { maxBytes: maxStepBytes, cutsOff: true }
    const { output } = await reading.rememberPart(repository, [...words, ...range, sha, '--', ...place], options)
    return parseLog(output, folder)
  }

  return {
    /** Lists them in the folder's own order. */
    async list(repository: Repository, sha: string, path: string, page: PageRequest): Promise<Page<LastCommit>> {
      const folder = await contents.find(repository, sha, path, maxTreeEntries)
      if (folder.kind !== 'folder') throw notFound()
      const entries = folder.entries.slice(page.offset, page.offset + page.limit)
      const shas = await findShas(repository, sha, folder.path, entries)
      const commits = await reading.commits(repository, [...new Set(shas.values())])
      const known = new Map(commits.map((commit) => [commit.sha, commit]))
      const items = entries.map(({ path: at }) => ({ path: at, commit: known.get(shas.get(at) ?? '') }))
      return { total: folder.entries.length, items }
    },
  }
}

/** A 0x01 and a commit's id, then the paths it changed, each word ended by a NUL. */
function parseLog(output: Buffer, folder: string) {
  const { text, spell } = readPaths(output)
  const prefix = folder === '' ? '' : `${folder}/`
  const changes: { path: string; sha: string }[] = []
  let sha = ''
  let commits = 0
  const seen = new Set<string>()
  for (const word of text.split('\0')) {
    const head = /^\n?\x01([0-9a-f]{40})$/.exec(word)
    if (head) {
      sha = head[1]!
      commits++
      continue
    }
    const path = spell(word.replace(/^\n/, ''))
    if (!path.startsWith(prefix)) continue
    const entry = prefix + path.slice(prefix.length).split('/', 1)[0]
    if (seen.has(entry)) continue
    seen.add(entry)
    changes.push({ path: entry, sha })
  }
  return { changes, commits }
}
