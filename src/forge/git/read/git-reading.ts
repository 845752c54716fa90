/** Reads git data: refs, commits, trees and files. Names are checked before git sees them. */
import { isUtf8 } from 'node:buffer'
import { LRUCache } from 'lru-cache'
import { demand } from '../../../lib/failure.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import { mapInSlices } from '../../../lib/scheduling/slices.ts'
import { identityOf, type Repository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import type { Ask, Git, Options } from '../process/git.ts'
import type { GitResult } from '../process/process.ts'
import { isObjectId, isRefPart } from '../ref-name.ts'
import { type AnnotatedTag, type Commit, parseCommit, parseTag } from './commit.ts'
import { makeCommitCutter } from './object-cutting.ts'
import {
  type GitObject,
  lacksObject,
  type ObjectHead,
  parseBatch,
  parseCommits,
  parseEntry,
  parseHeads,
  parseRef,
  parseSubmodules,
  type Ref,
  type TreeEntry,
} from './object-output.ts'
import { pathBytes, readPaths, spellPath } from './path-text.ts'

export type Tree = {
  readonly entries: readonly TreeEntry[]
  /** More entries exist than are returned. */
  readonly isCut: boolean
}

export type LogFilter = {
  readonly path?: string | undefined
  /** Commits by any of these mail addresses. */
  readonly author?: readonly string[] | undefined
  readonly committer?: readonly string[] | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

/** The most entries read from a tree with everything below it. */
export const maxTreeEntries = 100_000
/** The most tags of tags that are resolved one by one because no other ref resolves them. */
const maxPeeled = 100

const batchWords = ['cat-file', '--batch']

const memoBytes = 64 * 1024 * 1024

export type GitReading = ReturnType<typeof makeGitReading>

type Known = { readonly value: unknown; readonly bytes: number }

export function makeGitReading({ git }: { git: Git }) {
  const memo = new LRUCache<string, Known, () => Promise<Known>>({
    maxSize: memoBytes,
    // A larger entry would evict too many others.
    maxEntrySize: memoBytes / 8,
    sizeCalculation: ({ bytes }, key) => bytes + key.length,
    fetchMethod: (_key, _stale, { context: make }) => make(),
    // Answer even if the entry was evicted meanwhile.
    ignoreFetchAbort: true,
  })

  /** The newest push identifies the state of the data: an answer read after it holds until the next push. */
  const keyOf = (repository: Repository, question: unknown) => {
    const { lastPushId, pushedAt, defaultBranch } = repository
    return JSON.stringify([identityOf(repository), lastPushId, pushedAt.getTime(), defaultBranch, question])
  }

  /**
   * A cached answer takes no turn. Callers who have a turn and want the same answer share one run of git; the others
   * wait in their own queue, not in that of the first caller.
   */
  async function recall<T>(
    repository: Repository,
    question: unknown,
    make: (ask: Ask) => Promise<T>,
    sizeOf: (value: T) => number,
  ): Promise<T> {
    const key = keyOf(repository, question)
    const known = memo.get(key)
    if (known) return known.value as T
    return git.inTurn(repository, async (ask) => {
      const load = async () => {
        const value = await make(ask)
        return { value, bytes: sizeOf(value) }
      }
      return (await memo.forceFetch(key, { context: load })).value as T
    })
  }

  /** For reads of refs, which move before their push is settled: while a push is under way, nothing is cached. */
  async function recallRefs<T>(...asked: Parameters<typeof recall<T>>): Promise<T> {
    const [repository, , make] = asked
    if (!repository.isReceiving) return recall(...asked)
    return git.inTurn(repository, make)
  }

  /** `isCut`: there was more output than was read. */
  const rememberPart = (repository: Repository, words: readonly string[], options: Options = {}): Promise<GitResult> =>
    recall(
      repository,
      [words, spellInput(options.input), options.maxEntries ?? 0, options.maxBytes ?? 0],
      (ask) => ask(words, options),
      ({ output }) => output.length,
    )

  const remember = async (repository: Repository, words: readonly string[], input?: string | Buffer): Promise<Buffer> =>
    (await rememberPart(repository, words, { input })).output

  /** Missing objects are not cached: an object may be written without a push. */
  const rememberFound = (
    repository: Repository,
    words: readonly string[],
    names: readonly string[],
    makeFilter?: Options['makeFilter'],
  ): Promise<Buffer> => {
    const input = `${names.join('\n')}\n`
    const look = names.every(isOfObject) ? recall<Buffer> : recallRefs<Buffer>
    return look(
      repository,
      [words, input, makeFilter?.name ?? ''],
      async (ask) => (await ask(words, { input, makeFilter })).output,
      (output) => (lacksObject(output) ? memoBytes : output.length),
    )
  }

  async function readObjects(repository: Repository, names: readonly string[]): Promise<(GitObject | undefined)[]> {
    if (names.length === 0) return []
    return parseBatch(await rememberFound(repository, batchWords, names), names.length)
  }

  async function check(repository: Repository, names: readonly string[]): Promise<(ObjectHead | undefined)[]> {
    return parseHeads(await rememberFound(repository, ['cat-file', '--batch-check'], names), names.length)
  }

  /**
   * Resolves a branch, a tag, `heads/…`, `tags/…` or the start of an object's id, in this order; undefined if it is
   * none of them. A whole object id means only that object: a branch of the same name must not be shown instead.
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

  /** The first 32 KiB of each commit, which is what lists show. */
  async function commits(repository: Repository, shas: readonly string[]): Promise<Commit[]> {
    if (shas.length === 0) return []
    return parseCommits(await rememberFound(repository, batchWords, shas, makeCommitCutter), shas.length)
  }

  /** Cached as parsed: a repository may have a hundred thousand refs, and every page of a list starts from all. */
  const refs = (repository: Repository, prefix: string): Promise<readonly Ref[]> =>
    recallRefs(
      repository,
      ['refs', prefix],
      async (ask) => {
        const format = '--format=%(objectname) %(objecttype) %(*objectname) %(*objecttype) %(refname)'
        const { output } = await ask(['for-each-ref', format, ...(prefix ? [prefix] : [])])
        return peel(await mapInSlices(output.toString('utf8').split('\n').filter(Boolean), parseRef), ask)
      },
      (found) => found.length * 400,
    )

  /** By the refs' full names: the time, in seconds, of the commit that each names, or of a tag of anything else. */
  const refTimes = (repository: Repository, prefix: string): Promise<ReadonlyMap<string, number>> =>
    recallRefs(
      repository,
      ['ref times', prefix],
      async (ask) => {
        const format = '--format=%(creatordate:unix) %(*committerdate:unix) %(refname)'
        const { output } = await ask(['for-each-ref', format, prefix])
        const lines = output.toString('utf8').split('\n').filter(Boolean)
        return new Map(await mapInSlices(lines, parseRefTime))
      },
      (found) => found.size * 150,
    )

  /** Resolves tags of tags; git itself resolves one step. Most steps are known from other refs; git is asked a few. */
  async function peel(found: readonly Ref[], ask: Ask): Promise<Ref[]> {
    const steps = new Map(found.filter(({ type }) => type === 'tag').map(({ sha, target }) => [sha, target]))
    const ends = new Map<string, Ref['target']>()
    const follow = (first: Ref['target']): Ref['target'] => {
      const passed: string[] = []
      let target = first
      while (target.type === 'tag' && !ends.has(target.sha) && steps.has(target.sha)) {
        passed.push(target.sha)
        target = steps.get(target.sha)!
      }
      const end = ends.get(target.sha) ?? target
      for (const sha of passed) ends.set(sha, end)
      return end
    }
    const reached = await mapInSlices(found, ({ target }) => follow(target))
    const far = new Set(reached.flatMap(({ sha, type }) => (type === 'tag' ? [sha] : [])))
    const asked = [...far].slice(0, maxPeeled)
    if (asked.length > 0) {
      const { output } = await ask(['cat-file', '--batch-check'], { input: asked.map((sha) => `${sha}^{}\n`).join('') })
      const heads = parseHeads(output, asked.length)
      for (const [i, sha] of asked.entries()) if (heads[i]) ends.set(sha, heads[i])
    }
    return mapInSlices(found, (ref) => {
      const end = follow(ref.target)
      return { ...ref, target: ends.get(end.sha) ?? end }
    })
  }

  /** Reads a folder, or everything below it, up to `maxEntries`. */
  async function readTree(
    repository: Repository,
    treeish: string,
    isRecursive: boolean,
    maxEntries = maxTreeEntries,
  ): Promise<Tree> {
    const words = ['ls-tree', '-z', '-l', ...(isRecursive ? ['-r', '-t'] : []), treeish]
    const { output, isCut } = await rememberPart(repository, words, { maxEntries, cutsOff: true })
    const { text, spell } = readPaths(output)
    const lines = text.split('\0')
    // After the last NUL there is nothing, or an entry that was cut off.
    const whole = lines.slice(0, Math.min(lines.length - 1, maxEntries))
    return { entries: await mapInSlices(whole, (line) => parseEntry(line, spell)), isCut }
  }

  const tree = async (repository: Repository, treeish: string, isRecursive: boolean): Promise<readonly TreeEntry[]> =>
    (await readTree(repository, treeish, isRecursive)).entries

  return {
    recall,
    remember,
    rememberPart,
    resolve,
    demandCommit,
    commits,
    refs,
    refTimes,
    tree,
    readTree,

    async commit(repository: Repository, sha: string): Promise<Commit> {
      const [found] = await readObjects(repository, [sha])
      if (found?.type !== 'commit') throw notFound()
      return parseCommit(found.sha, found.bytes)
    },

    /** The object with this id, or at this path of a commit. */
    async head(repository: Repository, name: string): Promise<ObjectHead | undefined> {
      return (await check(repository, [name]))[0]
    },

    /** The object at a path of a commit or a tree. The path must not contain a line end. */
    async headAt(repository: Repository, sha: string, path: string): Promise<ObjectHead | undefined> {
      const input = Buffer.concat([Buffer.from(`${sha}:`), pathBytes(path), Buffer.from('\n')])
      return parseHeads(await remember(repository, ['cat-file', '--batch-check'], input), 1)[0]
    },

    /** Reads one entry of a folder, however many others it has. */
    async entry(repository: Repository, treeSha: string, name: string): Promise<TreeEntry | undefined> {
      const bytes = pathBytes(name)
      // A process argument must be text, so any other name is looked for among all entries.
      if (!isUtf8(bytes)) return (await tree(repository, treeSha, false)).find(({ path }) => path === name)
      const words = ['ls-tree', '-z', '-l', treeSha, '--', `:(literal)${bytes.toString()}`]
      const { text, spell } = readPaths(await remember(repository, words))
      const found = text.split('\0').filter(Boolean)
      return found.map((line) => parseEntry(line, spell)).find(({ path }) => path === spellPath(bytes))
    },

    /** The entries at those of the paths that exist in the commit, in tree order. */
    async entriesAt(repository: Repository, sha: string, paths: readonly string[]): Promise<TreeEntry[]> {
      const words = ['ls-tree', '-z', '-l', '--full-tree', sha, '--', ...paths.map((path) => `:(literal)${path}`)]
      const { text, spell } = readPaths(await remember(repository, words))
      return text
        .split('\0')
        .filter(Boolean)
        .map((line) => parseEntry(line, spell))
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
      const { words, input } = filterWords(from, filter)
      const total = Number((await remember(repository, ['rev-list', '--count', ...words], input)).toString())
      // Git's `--skip` starts again from the first commit beyond a limit.
      if (page.offset >= total) return { total, items: [] }
      const range = [`--max-count=${page.limit}`, `--skip=${page.offset}`]
      const listed = await remember(repository, ['rev-list', ...range, ...words], input)
      const shas = listed.toString().split('\n').filter(Boolean)
      return { total, items: await commits(repository, shas) }
    },

    /** The URL of each submodule of a commit, by its path. */
    async submodules(repository: Repository, sha: string): Promise<Map<string, string>> {
      const name = `${sha}:.gitmodules`
      const [found] = await check(repository, [name])
      if (found?.type !== 'blob') return new Map()
      const { output } = await git.run(repository, ['config', '--blob', name, '--null', '--list'])
      return parseSubmodules(output)
    },
  }
}

/** Whether the name is a whole object id, or a path below one: no push changes what that names. */
const isOfObject = (name: string): boolean => /^[0-9a-f]{40}(?![0-9a-z])/.test(name)

function parseRefTime(line: string): [name: string, time: number] {
  const [, own, target, name] = /^(\d*) (\d*) (.*)$/.exec(line)!
  return [name!, Number(target || own)]
}

/** Refuses a repository that nothing was ever pushed to. */
export function demandHistory({ lastPushId }: Repository): void {
  demand(lastPushId > 0, 'conflict', 'empty-repository', 'Git Repository is empty.')
}

/** The arguments and the input for a log: a path that is not text cannot be an argument. */
function filterWords(
  from: string,
  { path, author, committer, since, until }: LogFilter,
): { words: string[]; input: Buffer | undefined } {
  const words = [
    ...(author || committer ? ['--fixed-strings', '--regexp-ignore-case'] : []),
    ...(author ?? []).map((address) => `--author=<${address}>`),
    ...(committer ?? []).map((address) => `--committer=<${address}>`),
    ...(since ? [`--since=${spellTime(since)}`] : []),
    ...(until ? [`--until=${spellTime(until)}`] : []),
  ]
  if (!path) return { words: [...words, from, '--'], input: undefined }
  const bytes = pathBytes(path)
  if (isUtf8(bytes)) return { words: [...words, from, '--', `:(literal)${bytes.toString()}`], input: undefined }
  const input = Buffer.concat([Buffer.from(`${from}\n--\n:(literal)`), bytes, Buffer.from('\n')])
  return { words: [...words, '--stdin'], input }
}

/** In seconds: git takes a date of the future for something else. */
const spellTime = (time: Date): string => `@${Math.floor(time.getTime() / 1000)} +0000`

const spellInput = (input: string | Buffer | undefined): string =>
  Buffer.isBuffer(input) ? input.toString('latin1') : (input ?? '')
