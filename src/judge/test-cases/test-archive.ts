/** Test cases in a zip: folders with `input.txt` and `output.txt`, and pairs `NAME.in` with `NAME.out` or `NAME.ans`. */
import { isUtf8 } from 'node:buffer'
import { type Archive, type ArchiveFile, invalidArchive, openArchive, quote, type Zip } from '../archive/archive.ts'
import { compareNaturally } from '../archive/natural-order.ts'
import type { Limits } from '../limits.ts'
import type { TestDraft } from './test-uploads.ts'

type Pair = { readonly name: string; readonly input: ArchiveFile; readonly output: ArchiveFile }

/**
 * Yields the tests in natural order of their paths. Whatever is wrong with the archive is thrown, at the latest after the
 * last one; `demandRoom` hears before the first how much they will hold, and may refuse it.
 */
export async function* readTestArchive(
  zip: Zip,
  limits: Limits,
  demandRoom: (bytes: number) => Promise<void>,
): AsyncGenerator<TestDraft> {
  const archive = await openArchive(zip, limits)
  const pairs = pairFiles(archive.files)
  if (pairs.length === 0) {
    throw invalidArchive(
      'The archive holds no test: name them NAME.in and NAME.out, or give each a folder with input.txt and output.txt.',
    )
  }
  await demandRoom(pairs.reduce((sum, { input, output }) => sum + sizeOf(input) + sizeOf(output), 0))
  // Ignored files must be sound too, and count against the limits: the archive is accepted or refused as a whole.
  const used = new Set(pairs.flatMap(({ input, output }) => [input, output]))
  for (const file of archive.files) if (!used.has(file)) for await (const _ of archive.read(file));
  for (const { input, output } of pairs) {
    yield {
      input: await readText(archive, input, limits),
      output: await readText(archive, output, limits),
      isHidden: true,
    }
  }
}

/** As it is declared, which the reading holds it to. */
const sizeOf = ({ entry }: ArchiveFile): number => entry.uncompressedSize

const inputs = /^(?:(?<folder>.*)\/)?input\.txt$|^(?<stem>.*)\.in$/s
const outputs = /^(?:(?<folder>.*)\/)?output\.txt$|^(?<stem>.*)\.(?:out|ans)$/s

/** macOS packs the resource fork of each file beside it, under the same name. */
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
