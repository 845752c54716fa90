/** Pages of a wiki: Markdown files of its git repository, at its newest commit or an older one. */
import type { Repository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import type { RunOptions } from '../process/process.ts'
import { isObjectId } from '../ref-name.ts'
import type { Commit } from './commit.ts'
import { makeCommitCutter } from './object-cutting.ts'
import { parseBatch, parseCommits, parseEntry, parseHeads, type TreeEntry } from './object-output.ts'
import { readPaths } from './path-text.ts'

export type WikiPage = {
  /** Its path without the ending: `Home`, `Guides/First-steps`. */
  readonly name: string
  readonly path: string
  readonly sha: string
  readonly size: number
}

export type WikiText = WikiPage & { readonly text: string }

const ending = /\.(?:md|markdown|mdown|mkdn?)$/i
const maxFiles = 5_000
const maxShownBytes = 1024 * 1024
const maxRevisions = 100
const maxRawBytes = 10 * 1024 * 1024

export type WikiPages = ReturnType<typeof makeWikiPages>

/** Asks the git of a wiki; undefined where nothing was ever pushed to it. */
type Ask = (
  repository: Repository,
  words: readonly string[],
  options?: Omit<RunOptions, 'folder'>,
) => Promise<Buffer | undefined>

export function makeWikiPages({ ask }: { ask: Ask }) {
  /** Undefined in a wiki without commits. An older commit is named by its whole id. */
  async function findCommit(repository: Repository, version: string | undefined): Promise<string | undefined> {
    if (version !== undefined && !isObjectId(version)) throw notFound()
    const input = `${version ?? 'HEAD'}^{commit}\n`
    const output = await ask(repository, ['cat-file', '--batch-check'], { input })
    const found = output && parseHeads(output, 1)[0]?.sha
    if (!found && version !== undefined) throw notFound()
    return found
  }

  async function listFiles(repository: Repository, commit: string): Promise<readonly TreeEntry[]> {
    const words = ['ls-tree', '-z', '-l', '-r', commit]
    const output = await ask(repository, words, { maxEntries: maxFiles, cutsOff: true })
    const { text, spell } = readPaths(output!)
    const lines = text.split('\0').slice(0, -1).slice(0, maxFiles)
    return lines.map((line) => parseEntry(line, spell)).filter(({ type }) => type === 'blob')
  }

  async function readBlob(repository: Repository, sha: string): Promise<Buffer> {
    const output = await ask(repository, ['cat-file', '--batch'], { input: `${sha}\n` })
    const [object] = parseBatch(output!, 1)
    if (!object) throw notFound()
    return object.bytes
  }

  async function listPages(repository: Repository, commit: string): Promise<readonly WikiPage[]> {
    const files = await listFiles(repository, commit)
    return files
      .filter(({ path }) => ending.test(path))
      .map(({ path, sha, size }) => ({ name: path.replace(ending, ''), path, sha, size: size ?? 0 }))
  }

  async function find(repository: Repository, name: string, version?: string) {
    const commit = await findCommit(repository, version)
    const wanted = keyOf(name)
    const found = commit && (await listPages(repository, commit)).find((page) => keyOf(page.name) === wanted)
    if (!found) throw notFound()
    return { commit, page: found }
  }

  return {
    async list(repository: Repository): Promise<readonly WikiPage[]> {
      const commit = await findCommit(repository, undefined)
      return commit ? listPages(repository, commit) : []
    },

    /** Undefined if the wiki has no page of this name. */
    async look(repository: Repository, name: string): Promise<(WikiPage & { readonly commit: string }) | undefined> {
      const commit = await findCommit(repository, undefined)
      const found = commit && (await listPages(repository, commit)).find((page) => keyOf(page.name) === keyOf(name))
      return found ? { ...found, commit } : undefined
    },

    /** Whether a file at this path would replace what is there: a file, a folder, or a file in place of a folder above. */
    async isTaken(repository: Repository, path: string): Promise<boolean> {
      const commit = await findCommit(repository, undefined)
      if (!commit) return false
      const steps = path.split('/')
      const places = steps.map((_, at) => `${commit}:${steps.slice(0, at + 1).join('/')}`)
      const output = await ask(repository, ['cat-file', '--batch-check'], { input: `${places.join('\n')}\n` })
      const heads = parseHeads(output!, places.length)
      return heads.at(-1) !== undefined || heads.some((head) => head?.type === 'blob')
    },

    newest: (repository: Repository): Promise<string | undefined> => findCommit(repository, undefined),

    /** A longer page is only served raw. */
    async read(repository: Repository, name: string, version: string | undefined): Promise<WikiText> {
      const { page } = await find(repository, name, version)
      const bytes = page.size > maxShownBytes ? undefined : await readBlob(repository, page.sha)
      return { ...page, text: bytes?.toString() ?? 'This page is too long to be shown.' }
    },

    /** The newest commits that changed the page. */
    async history(repository: Repository, name: string): Promise<readonly Commit[]> {
      const { commit, page } = await find(repository, name)
      const range = [`--max-count=${maxRevisions}`, commit, '--', `:(literal)${page.path}`]
      const shas = (await ask(repository, ['rev-list', ...range]))!.toString().split('\n').filter(Boolean)
      const input = `${shas.join('\n')}\n`
      const output = await ask(repository, ['cat-file', '--batch'], { input, makeFilter: makeCommitCutter })
      return parseCommits(output!, shas.length)
    },

    /** A file's bytes, such as a picture's. */
    async file(repository: Repository, path: string): Promise<Buffer> {
      const commit = await findCommit(repository, undefined)
      const found = commit && (await listFiles(repository, commit)).find((entry) => entry.path === path)
      if (!found || (found.size ?? 0) > maxRawBytes) throw notFound()
      return readBlob(repository, found.sha)
    },
  }
}

/** Links name a page with blanks or hyphens, with or without its ending, in either case. */
const keyOf = (name: string): string =>
  name
    .replace(ending, '')
    .replace(/[\s-]+/g, '-')
    .toLowerCase()
