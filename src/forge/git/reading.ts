/** Reading git data: refs, commits, trees and files, by names that were judged before git sees them. */
import { demand } from '../../base/failure.ts'
import { makeLruCache } from '../../base/lru-cache.ts'
import type { Page, PageRequest } from '../../base/page.ts'
import type { Repository } from '../access/repository.ts'
import { notFound } from '../faults.ts'
import { type AnnotatedTag, type Commit, parseCommit, parseTag } from './commit.ts'
import type { Git } from './git.ts'
import { isObjectId, isRefPart } from './ref-name.ts'

export type Ref = {
  readonly name: string
  readonly sha: string
  readonly type: string
  /** What an annotated tag is of. */
  readonly target: { readonly sha: string; readonly type: string }
}

export type TreeEntry = {
  readonly path: string
  readonly mode: string
  readonly type: 'blob' | 'tree' | 'commit'
  readonly sha: string
  readonly size: number | undefined
}

export type LogFilter = {
  readonly path?: string | undefined
  /** Any of these mail addresses. */
  readonly author?: readonly string[] | undefined
  readonly committer?: readonly string[] | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

const memoBytes = 64 * 1024 * 1024
const readLimitMs = 60_000

export type Reading = ReturnType<typeof makeReading>

export function makeReading({ git }: { git: Git }) {
  const memo = makeLruCache(memoBytes)

  /** The newest push stands for the state of the data: what was read after it is good until the next. */
  const remember = (repository: Repository, words: readonly string[], input?: string): Promise<Buffer> =>
    memo.get(
      JSON.stringify([repository.id, repository.lastPushId, repository.defaultBranch, words, input]),
      () => git.read(repository, words, { input, limitMs: readLimitMs }),
      (bytes) => bytes.length,
    )

  async function readObjects(repository: Repository, names: readonly string[]): Promise<(GitObject | undefined)[]> {
    if (names.length === 0) return []
    const output = await remember(repository, ['cat-file', '--batch'], `${names.join('\n')}\n`)
    return parseBatch(output, names.length)
  }

  async function check(repository: Repository, names: readonly string[]): Promise<(ObjectHead | undefined)[]> {
    const output = await remember(repository, ['cat-file', '--batch-check'], `${names.join('\n')}\n`)
    return output
      .toString('utf8')
      .split('\n')
      .slice(0, names.length)
      .map((line) => {
        const [sha = '', type = '', size = ''] = line.split(' ')
        return isObjectId(sha) && size !== '' ? { sha, type, size: Number(size) } : undefined
      })
  }

  /**
   * A branch, a tag, `heads/…`, `tags/…` or the start of an object's name, in this order; undefined for none of them. A
   * whole object's name means that object and nothing else: who names a commit must not be shown another one, because a
   * branch has its name.
   */
  async function resolve(repository: Repository, name: string): Promise<string | undefined> {
    if (name === 'HEAD') return (await check(repository, ['HEAD^{commit}']))[0]?.sha
    if (!isRefPart(name)) return undefined
    const whole = name.toLowerCase()
    if (isObjectId(whole)) return (await check(repository, [`${whole}^{commit}`]))[0]?.sha
    const plain = name.replace(/^refs\//, '')
    const names = [
      `refs/heads/${name}^{commit}`,
      `refs/tags/${name}^{commit}`,
      ...(/^(?:heads|tags|pull)\//.test(plain) ? [`refs/${plain}^{commit}`] : []),
      ...(/^[0-9a-f]{4,39}$/i.test(name) ? [`${name.toLowerCase()}^{commit}`] : []),
    ]
    return (await check(repository, names)).find((found) => found?.type === 'commit')?.sha
  }

  async function demandCommit(repository: Repository, name: string | undefined): Promise<string> {
    const sha = await resolve(repository, name ?? repository.defaultBranch)
    if (sha) return sha
    demandHistory(repository)
    throw notFound()
  }

  async function commits(repository: Repository, shas: readonly string[]): Promise<Commit[]> {
    const objects = await readObjects(repository, shas)
    return objects.flatMap((object) => (object?.type === 'commit' ? [parseCommit(object.sha, object.bytes)] : []))
  }

  async function refs(repository: Repository, prefix: string): Promise<Ref[]> {
    const format = '--format=%(objectname) %(objecttype) %(*objectname) %(*objecttype) %(refname)'
    const output = await remember(repository, ['for-each-ref', format, ...(prefix ? [prefix] : [])])
    const lines = output.toString('utf8').split('\n').filter(Boolean)
    return Promise.all(
      lines.map(async (line) => {
        const [sha = '', type = '', targetSha = '', targetType = '', ...name] = line.split(' ')
        // A tag may be of a tag: git looks one step far.
        const [last] = targetType === 'tag' ? await check(repository, [`${sha}^{}`]) : []
        const target = last ?? (targetSha ? { sha: targetSha, type: targetType } : { sha, type })
        return { name: name.join(' '), sha, type, target }
      }),
    )
  }

  async function tree(repository: Repository, treeish: string, isRecursive: boolean): Promise<TreeEntry[]> {
    const words = ['ls-tree', '-z', '-l', ...(isRecursive ? ['-r', '-t'] : []), treeish]
    const output = await remember(repository, words)
    return output.toString('utf8').split('\0').filter(Boolean).map(parseEntry)
  }

  return {
    remember,
    resolve,
    demandCommit,
    commits,
    refs,
    tree,

    async commit(repository: Repository, sha: string): Promise<Commit> {
      const [found] = await commits(repository, [sha])
      if (!found) throw notFound()
      return found
    },

    /** What is there under an object's name or an exact path of a commit. */
    async head(repository: Repository, name: string): Promise<ObjectHead | undefined> {
      return (await check(repository, [name]))[0]
    },

    async tag(repository: Repository, sha: string): Promise<AnnotatedTag> {
      const [object] = isObjectId(sha) ? await readObjects(repository, [sha]) : []
      if (object?.type !== 'tag') throw notFound()
      return parseTag(object.sha, object.bytes)
    },

    async blob(repository: Repository, sha: string): Promise<Buffer> {
      const [object] = isObjectId(sha) ? await readObjects(repository, [sha]) : []
      if (object?.type !== 'blob') throw notFound()
      return object.bytes
    },

    async log(repository: Repository, from: string, filter: LogFilter, page: PageRequest): Promise<Page<Commit>> {
      if (filter.author?.length === 0 || filter.committer?.length === 0) return { total: 0, items: [] }
      const words = filterWords(from, filter)
      const total = Number((await remember(repository, ['rev-list', '--count', ...words])).toString())
      // git counts only so far, and starts anew beyond it.
      if (page.offset >= total) return { total, items: [] }
      const range = [`--max-count=${page.limit}`, `--skip=${page.offset}`]
      const listed = await remember(repository, ['rev-list', ...range, ...words])
      const shas = listed.toString().split('\n').filter(Boolean)
      return { total, items: await commits(repository, shas) }
    },

    /** Where each submodule of a commit comes from, by its path. */
    async submodules(repository: Repository, sha: string): Promise<Map<string, string>> {
      const name = `${sha}:.gitmodules`
      const [found] = await check(repository, [name])
      if (found?.type !== 'blob') return new Map()
      const { output } = await git.run(repository, ['config', '--blob', name, '--null', '--list'])
      return parseSubmodules(output.toString('utf8'))
    },
  }
}

export type ObjectHead = { readonly sha: string; readonly type: string; readonly size: number }
type GitObject = { readonly sha: string; readonly type: string; readonly bytes: Buffer }

/** `<sha> <type> <size>`, a line end, the bytes, a line end; or `<name> missing`. */
function parseBatch(output: Buffer, count: number): (GitObject | undefined)[] {
  const objects: (GitObject | undefined)[] = []
  for (let at = 0; objects.length < count && at < output.length; ) {
    const end = output.indexOf(10, at)
    const [sha = '', type = '', size] = output.toString('utf8', at, end).split(' ')
    at = end + 1
    if (!isObjectId(sha) || size === undefined) objects.push(undefined)
    else {
      objects.push({ sha, type, bytes: output.subarray(at, at + Number(size)) })
      at += Number(size) + 1
    }
  }
  return objects
}

function parseEntry(line: string): TreeEntry {
  const tab = line.indexOf('\t')
  const [mode = '', type = '', sha = '', size = '-'] = line.slice(0, tab).split(/ +/)
  return {
    path: line.slice(tab + 1),
    mode,
    type: type as TreeEntry['type'],
    sha,
    size: size === '-' ? undefined : Number(size),
  }
}

/** `submodule.NAME.path` and `.url`, each a line end before its value and a NUL after it. */
function parseSubmodules(listed: string): Map<string, string> {
  const settings = new Map(
    listed.split('\0').map((entry) => {
      const end = entry.indexOf('\n')
      return [entry.slice(0, Math.max(0, end)), entry.slice(end + 1)]
    }),
  )
  const paths = [...settings].filter(([name]) => /^submodule\..*\.path$/s.test(name))
  return new Map(paths.map(([name, path]) => [path, settings.get(name.replace(/path$/, 'url')) ?? '']))
}

/** Of one that nothing was ever pushed to there is nothing to tell. */
export function demandHistory({ lastPushId }: Repository): void {
  demand(lastPushId > 0, 'conflict', 'empty-repository', 'Git Repository is empty.')
}

function filterWords(from: string, { path, author, committer, since, until }: LogFilter): string[] {
  return [
    ...(author || committer ? ['--fixed-strings', '--regexp-ignore-case'] : []),
    ...(author ?? []).map((address) => `--author=<${address}>`),
    ...(committer ?? []).map((address) => `--committer=<${address}>`),
    ...(since ? [`--since=${since.toISOString()}`] : []),
    ...(until ? [`--until=${until.toISOString()}`] : []),
    from,
    '--',
    ...(path ? [`:(literal)${path}`] : []),
  ]
}
