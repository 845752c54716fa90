/** Code search: searches default branches with git, by words in files and by paths, in a few repositories at a time. */
import type { Actor } from '../../accounts/actor.ts'
import { Failure } from '../../lib/failure.ts'
import type { PageRequest } from '../../lib/page.ts'
import type { Store } from '../../store/store.ts'
import type { OpenRepository } from '../access/repository.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import { languageOf } from '../git/read/languages.ts'
import type { TreeEntry } from '../git/read/object-output.ts'
import { parseNumbers, type QualifierOf, type QueryOf, takeApart } from '../issues/search/search-query.ts'
import { demandShown, maxResults, refuse, type SearchResult } from './search-result.ts'
import { findSearchedRepositories } from './searched-repositories.ts'

const names = [
  ...(['repo', 'user', 'org', 'is', 'fork', 'in'] as const),
  ...(['path', 'filename', 'extension', 'language', 'size'] as const),
] as const
type Name = (typeof names)[number]
type Query = QueryOf<Name>
const unserved: ReadonlySet<string> = new Set(['symbol', 'content', 'license', 'enterprise'])

/** Time limits for a whole search and for one git command; the rest is reported as incomplete. */
const searchMs = 10_000
const questionMs = 5_000
/** Larger files are not searched, as on the public platform. */
const maxFileBytes = 384 * 1024
/** Paths per repository that are filtered: files that contain the words, or all paths if there are no words. */
const maxPaths = { content: 5_000, path: 50_000 }
/** Results per repository. */
const maxPerRepository = 300
/** Characters around the first matching word. */
const excerpt = { before: 60, after: 1_000 }

export type FoundFile = {
  readonly repository: OpenRepository
  /** The commit that has the file. */
  readonly commitSha: string
  readonly path: string
  readonly sha: string
  readonly size: number
  readonly language: string | undefined
  /** An excerpt around a match, if requested. */
  readonly text: string | undefined
}

type File = Omit<FoundFile, 'text'>

export type CodeSearch = ReturnType<typeof makeCodeSearch>

export function makeCodeSearch({ store: { db }, reading }: { store: Store; reading: GitReading }) {
  type Ask = { readonly repository: OpenRepository; readonly tip: string; readonly endsAt: number }

  /** Runs git and reads NUL-terminated paths; paths that are not valid text are left out. */
  async function listPaths({ repository, endsAt }: Ask, words: readonly string[], maxEntries: number) {
    const limitMs = Math.max(1, Math.min(questionMs, endsAt - performance.now()))
    const options = { maxEntries, cutsOff: true, accepts: [1], limitMs }
    const { output, isCut } = await reading.rememberPart(repository, words, options)
    const whole = output.toString('utf8', 0, output.lastIndexOf(0) + 1)
    return { paths: whole.split('\0').filter((path) => path !== '' && !path.includes('\ufffd')), isCut }
  }

  /** Files with all of these words, or with any of them. */
  async function grep(ask: Ask, words: readonly string[], mode: 'all' | 'any') {
    const how = ['-I', '-l', '-z', '--full-name', '--threads=1', '--fixed-strings', '--ignore-case']
    const patterns = [...(mode === 'all' ? ['--all-match'] : []), ...words.flatMap((word) => ['-e', word])]
    const { paths, isCut } = await listPaths(ask, ['grep', ...how, ...patterns, ask.tip], maxPaths.content)
    return { paths: paths.map((path) => path.slice(ask.tip.length + 1)), isCut }
  }

  async function findPaths(ask: Ask, query: Query): Promise<{ paths: Set<string>; isCut: boolean }> {
    const { words, withoutWords } = query
    const fields = readFields(query)
    const fits = makeFilter(query)
    const found = new Set<string>()
    let isCut = false
    if (fields.has('file') && words.length > 0) {
      const hits = await grep(ask, words, 'all')
      isCut ||= hits.isCut
      for (const path of hits.paths) if (fits(path)) found.add(path)
    }
    if (fields.has('path') || words.length === 0) {
      const all = await listPaths(ask, ['ls-tree', '-r', '-z', '--name-only', ask.tip], maxPaths.path)
      isCut ||= all.isCut
      for (const path of all.paths)
        if (fits(path) && words.every((word) => path.toLowerCase().includes(word))) found.add(path)
    }
    if (withoutWords.length > 0 && found.size > 0) {
      const others = await grep(ask, withoutWords, 'any')
      isCut ||= others.isCut
      for (const path of others.paths) found.delete(path)
    }
    return { paths: found, isCut }
  }

  async function findFiles(ask: Ask, query: Query): Promise<{ files: File[]; isCut: boolean }> {
    const { repository, tip } = ask
    const { paths, isCut } = await findPaths(ask, query)
    const some = [...paths].sort().slice(0, maxPerRepository)
    if (some.length === 0) return { files: [], isCut }
    const fitsSize = makeSizeFilter(query)
    const entries = await reading.entriesAt(repository, tip, some)
    const files = entries.filter(isFile).filter(({ size }) => size <= maxFileBytes && fitsSize(size))
    return {
      files: files.map(({ path, sha, size }) => {
        return { repository, commitSha: tip, path, sha, size, language: languageOf(path) }
      }),
      isCut: isCut || paths.size > maxPerRepository,
    }
  }

  async function withText(file: File, words: readonly string[]): Promise<FoundFile> {
    const whole = (await reading.blob(file.repository, file.sha)).toString()
    const places = words.map((word) => whole.toLowerCase().indexOf(word)).filter((at) => at >= 0)
    if (places.length === 0) return { ...file, text: undefined }
    const at = Math.min(...places)
    return { ...file, text: whole.slice(Math.max(0, at - excerpt.before), at + excerpt.after) }
  }

  return {
    /** `wantsText`: whether to read excerpts of the files on the page. */
    async search(
      actor: Actor,
      text: string,
      { offset, limit }: PageRequest,
      wantsText: boolean,
    ): Promise<SearchResult<FoundFile>> {
      demandShown(offset)
      const query = takeApart(text, { names, unserved })
      demandSomething(query)
      const endsAt = performance.now() + searchMs
      const { repositories, isMore } = await findSearchedRepositories(db, actor, query.qualifiers, {
        leavesForks: true,
      })
      const found: File[] = []
      let isIncomplete = isMore
      for (const repository of repositories) {
        if (performance.now() >= endsAt) isIncomplete = true
        const tip = performance.now() < endsAt && (await reading.resolve(repository, repository.defaultBranch))
        if (!tip) continue
        const { files, isCut } = await findFiles({ repository, tip, endsAt }, query).catch(nothingFor)
        isIncomplete ||= isCut
        found.push(...files)
      }
      const shown = found.slice(0, maxResults).slice(offset, offset + limit)
      const items: FoundFile[] = []
      for (const file of shown) items.push(wantsText ? await withText(file, query.words) : { ...file, text: undefined })
      return { total: found.length, isIncomplete, items, words: query.words }
    },
  }
}

/** The repository exceeds git's bounds: search the others all the same. */
function nothingFor(error: unknown): { files: File[]; isCut: boolean } {
  if (error instanceof Failure && (error.code === 'too-slow' || error.code === 'too-large'))
    return { files: [], isCut: true }
  throw error
}

const isFile = (entry: TreeEntry): entry is TreeEntry & { size: number } =>
  entry.type === 'blob' && entry.mode.startsWith('100') && entry.size !== undefined

/** Other qualifiers alone would match all files of many repositories. */
function demandSomething({ words, qualifiers }: Query): void {
  const selective: ReadonlySet<string> = new Set(['path', 'filename', 'extension', 'language'])
  if (words.length === 0 && !qualifiers.some(({ name, isNegated }) => selective.has(name) && !isNegated))
    throw refuse('Say at least a word, or a path, filename, extension or language.')
  const negated = qualifiers.find(({ name, isNegated }) => isNegated && unnegated.has(name))
  if (negated) throw refuse(`-${negated.name} is not served here.`)
}

const unnegated: ReadonlySet<string> = new Set(['repo', 'user', 'org', 'fork', 'in'])

function readFields({ qualifiers }: Query): ReadonlySet<string> {
  const asked = qualifiers.filter(({ name }) => name === 'in').flatMap(({ value }) => value.toLowerCase().split(','))
  const unknown = asked.find((field) => field !== 'file' && field !== 'path')
  if (unknown !== undefined) throw refuse(`in:${unknown} is not served here.`)
  return new Set(asked.length > 0 ? asked : ['file'])
}

function makeFilter({ qualifiers }: Query): (path: string) => boolean {
  const tests = qualifiers.flatMap((qualifier) => {
    const test = makePathTest(qualifier)
    return test ? [(path: string) => test(path.toLowerCase()) !== qualifier.isNegated] : []
  })
  return (path) => tests.every((test) => test(path))
}

/** A test for a path in lower case. */
function makePathTest({ name, value }: QualifierOf<Name>): ((path: string) => boolean) | undefined {
  const word = value.toLowerCase()
  const folder = word.replace(/^\/+|\/+$/g, '')
  switch (name) {
    case 'path':
      return folder === ''
        ? (path) => !path.includes('/')
        : (path) => path === folder || path.startsWith(`${folder}/`) || path.includes(`/${folder}/`)
    case 'filename':
      return (path) => path.slice(path.lastIndexOf('/') + 1).includes(word)
    case 'extension':
      return (path) => path.endsWith(`.${word.replace(/^\./, '')}`)
    case 'language':
      return (path) => languageOf(path)?.toLowerCase() === word
    default:
      return undefined
  }
}

function makeSizeFilter({ qualifiers }: Query): (size: number) => boolean {
  const tests = qualifiers
    .filter(({ name }) => name === 'size')
    .map(({ name, value, isNegated }) => {
      const { from = 0, below = Number.POSITIVE_INFINITY } = parseNumbers(name, value)
      return (size: number) => (size >= from && size < below) !== isNegated
    })
  return (size) => tests.every((test) => test(size))
}
