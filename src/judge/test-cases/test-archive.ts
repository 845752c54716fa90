/**
 * Test cases in a zip: folders with `input.txt` and `output.txt`, and pairs `NAME.in` with `NAME.out` or `NAME.ans`.
 */
import { isUtf8 } from 'node:buffer'
import { type Archive, type ArchiveFile, invalidArchive, openArchive, quote, type Zip } from '../archive/archive.ts'
import { compareNaturally } from '../archive/natural-order.ts'
import type { Limits } from '../limits.ts'
import { plainTestJudging } from './test-judging.ts'
import type { TestDraft } from './test-uploads.ts'

/** The same limit as in the API. */
const groupNameLength = 64

type Pair = { readonly name: string; readonly input: ArchiveFile; readonly output: ArchiveFile }

/**
 * Yields the tests in natural order of their paths, open ones first. Any error in the archive is thrown, at the latest after the last
 * test. `demandSpace` is called first with their total size, and may refuse.
 */
export async function* readTestArchive(
  zip: Zip,
  limits: Limits,
  demandSpace: (bytes: number) => Promise<void>,
  keepsFolders = false,
): AsyncGenerator<TestDraft> {
  const archive = await openArchive(zip, limits)
  const pairs = pairFiles(archive.files)
  if (pairs.length === 0) {
    throw invalidArchive(
      'The archive holds no test: name them NAME.in and NAME.out, or give each a folder with input.txt and output.txt.',
    )
  }
  await demandSpace(pairs.reduce((sum, { input, output }) => sum + sizeOf(input) + sizeOf(output), 0))
  // Ignored files must be valid too, and count towards the limits: the archive is accepted or refused as a whole.
  const used = new Set(pairs.flatMap(({ input, output }) => [input, output]))
  for (const file of archive.files) if (!used.has(file)) for await (const _ of archive.read(file));
  const placeOf = keepsFolders ? readFolders(pairs) : () => ({ isHidden: true })
  // Open tests come first, as in a problem's statement; otherwise `large` would run before `sample`.
  const places = new Map(pairs.map((pair) => [pair, placeOf(pair)]))
  const ordered = pairs.toSorted((a, b) => Number(places.get(a)!.isHidden) - Number(places.get(b)!.isHidden))
  for (const pair of ordered) {
    yield {
      input: await readText(archive, pair.input, limits),
      output: await readText(archive, pair.output, limits),
      ...places.get(pair)!,
    }
  }
}

type Place = Pick<TestDraft, 'isHidden' | 'judging'>

/**
 * Each folder is a group, except `sample`, whose tests are open. Outer folders common to all tests, and folders called
 * `secret`, `tests` or `data`, name no group.
 */
function readFolders(pairs: readonly Pair[]): (pair: Pair) => Place {
  const folders = new Map(pairs.map((pair) => [pair, foldersOf(pair)]))
  const lists = [...folders.values()]
  const common = lists.reduce((shared, list) => shared.slice(0, countShared(shared, list)), lists[0] ?? [])
  const outer = common.findIndex((part) => isSample(part))
  const above = outer === -1 ? common.length : outer
  return (pair) => {
    const parts = folders.get(pair)!.slice(above)
    if (parts.some(isSample)) return { isHidden: false }
    const name = parts.filter((part) => !/^(?:secret|tests?|data)$/i.test(part)).join('-')
    return name === '' ? { isHidden: true } : { isHidden: true, judging: { ...plainTestJudging, group: toGroup(name) } }
  }
}

const isSample = (part: string): boolean => /^samples?$/i.test(part)

const countShared = (one: readonly string[], other: readonly string[]): number => {
  const at = one.findIndex((part, place) => part !== other[place])
  return at === -1 ? one.length : at
}

/** If a test is a folder itself, its group is the folder around it. */
const foldersOf = ({ name }: Pair): string[] => name.split('/').slice(0, -1)

const toGroup = (name: string): string =>
  name
    .replace(/\p{Cc}/gu, '')
    .slice(0, groupNameLength)
    .trim() || 'group'

/** The declared size, which reading enforces. */
const sizeOf = ({ entry }: ArchiveFile): number => entry.uncompressedSize

const inputs = /^(?:(?<folder>.*)\/)?input\.txt$|^(?<stem>.*)\.in$/s
const outputs = /^(?:(?<folder>.*)\/)?output\.txt$|^(?<stem>.*)\.(?:out|ans)$/s

/** macOS stores the resource fork of each file beside it, under the same name. */
const isResourceFork = (path: string): boolean => path.startsWith('__MACOSX/')

export function pairFiles(files: readonly ArchiveFile[]): Pair[] {
  const found = new Map<string, { name: string; input?: ArchiveFile; output?: ArchiveFile }>()
  for (const file of files) {
    if (isResourceFork(file.path)) continue
    for (const [side, pattern] of [
      ['input', inputs],
      ['output', outputs],
    ] as const) {
      const groups = pattern.exec(file.path)?.groups
      if (!groups) continue
      const isStem = groups.stem !== undefined
      const name = groups.stem ?? groups.folder ?? ''
      const key = `${isStem ? 'stem' : 'folder'}:${name}`
      const test = found.get(key) ?? { name }
      if (test[side]) throw invalidArchive(`${quote(file.path)} and ${quote(test[side].path)} answer the same input.`)
      found.set(key, { ...test, [side]: file })
    }
  }
  return [...found.values()]
    .map(demandBoth)
    .sort((a, b) => compareNaturally(a.name, b.name) || compareNaturally(a.input.path, b.input.path))
}

function demandBoth({ name, input, output }: { name: string; input?: ArchiveFile; output?: ArchiveFile }): Pair {
  if (!input) throw invalidArchive(`${quote(output!.path)} has no input beside it.`)
  if (!output) throw invalidArchive(`${quote(input.path)} has no output beside it.`)
  return { name, input, output }
}

export async function readText(archive: Archive, file: ArchiveFile, limits: Limits): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of archive.read(file)) {
    length += chunk.length
    if (length > limits.testTextBytes)
      throw invalidArchive(`${quote(file.path)} is over ${limits.testTextBytes} bytes.`)
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks, length)
  if (!isUtf8(text)) throw invalidArchive(`${quote(file.path)} is not UTF-8 text.`)
  return text
}
