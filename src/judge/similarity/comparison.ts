/**
 * Finds programs with shared parts: compares fingerprints of their tokens with dolos, ignoring those of the template.
 */
import { File, type FileEntry, FingerprintIndex, Pair, Region, TokenizedFile } from '@dodona/dolos-core'
import { familyOf, type Token, tokenize } from './tokens.ts'

export type Program = { readonly content: string; readonly language: string }

/** Lines, counted from 1. */
export type SharedPart = {
  readonly leftStart: number
  readonly leftEnd: number
  readonly rightStart: number
  readonly rightEnd: number
}

/** Two programs, by their indexes in the list. */
export type SimilarPair = {
  readonly left: number
  readonly right: number
  /** The share of both programs' fingerprints that is common to both: 0 to 1. */
  readonly similarity: number
  readonly parts: readonly SharedPart[]
}

export type ComparisonTask = { readonly programs: readonly Program[]; readonly template: Program | undefined }
/** `leftOut`: how many programs exceeded the limit. */
export type ComparisonResult = { readonly pairs: readonly SimilarPair[]; readonly leftOut: number }

/** A shared part is always found if it has at least this many tokens plus the window's, less one. */
const tokensOfPrint = 12
const window = 6
/** Fingerprints of this many tokens take some 150 MB. */
const mostTokens = 600_000
const mostPairs = 100
const mostParts = 200
/**
 * Parts that a program repeats more often, such as table rows, count but are not shown: they would form too many pairs.
 */
const mostRepeats = 8

/** `shared`: how many fingerprints of both programs are common. */
type RankedPair = {
  readonly one: Indexed
  readonly other: Indexed
  readonly similarity: number
  readonly shared: number
}

/** Short programs are easily the same, so of equally similar pairs the longer ones come first. */
const byLikeness = (a: RankedPair, b: RankedPair): number =>
  b.similarity - a.similarity || b.shared - a.shared || a.one.at - b.one.at || a.other.at - b.other.at

type Indexed = { readonly at: number; readonly entry: FileEntry; readonly free: number }

export function compare({ programs, template }: ComparisonTask): ComparisonResult {
  const families = new Map<string, TokenizedProgram[]>()
  let [left, leftOut] = [mostTokens, 0]
  const bySize = [...programs.entries()].sort(([, one], [, other]) => one.content.length - other.content.length)
  for (const [at, program] of bySize) {
    const tokens = tokenize(program.content, program.language)
    left -= tokens.length
    // The smallest come first, so that a few large ones exclude no others.
    if (left < 0) leftOut++
    else addTo(families, familyOf(program.language), { at, file: toFile(program.content, tokens) })
  }
  const ranked = [...families].flatMap(([family, files]) => compareFamily(files, family, template)).sort(byLikeness)
  return { pairs: ranked.slice(0, mostPairs).map(toPair), leftOut }
}

type TokenizedProgram = { readonly at: number; readonly file: TokenizedFile }

function compareFamily(files: readonly TokenizedProgram[], family: string, template: Program | undefined) {
  const index = new FingerprintIndex(tokensOfPrint, window)
  index.addFiles(files.map(({ file }) => file))
  // Must follow the files: dolos then marks what they share with it.
  if (template && familyOf(template.language) === family)
    index.addIgnoredFile(toFile(template.content, tokenize(template.content, template.language)))
  const entries = new Map(index.entries().map((entry) => [entry.file.id, entry]))
  const indexed = files.map(({ at, file }): Indexed => {
    const entry = entries.get(file.id)!
    const ignored = [...entry.ignored].reduce((sum, print) => sum + print.occurrencesOf(file).length, 0)
    return { at, entry, free: entry.kgrams.length - ignored }
  })
  return rankPairs(index, indexed)
}

/** Uses an index from fingerprints to programs: most pairs share nothing. */
function rankPairs(index: FingerprintIndex, indexed: readonly Indexed[]): RankedPair[] {
  const count = indexed.length
  const placeOf = new Map(indexed.map(({ entry }, place) => [entry.file, place]))
  const shared = new Uint32Array(count * count)
  for (const print of index.sharedFingerprints()) {
    if (print.ignored || print.fileCount() < 2) continue
    const holders = print
      .files()
      .map((file) => ({ place: placeOf.get(file)!, times: print.occurrencesOf(file).length }))
    for (const [i, one] of holders.entries())
      for (let j = i + 1; j < holders.length; j++) {
        const other = holders[j]!
        const cell = Math.min(one.place, other.place) * count + Math.max(one.place, other.place)
        shared[cell] = shared[cell]! + one.times + other.times
      }
  }
  const ranked: RankedPair[] = []
  for (let i = 0; i < count; i++)
    for (let j = i + 1; j < count; j++) {
      const sum = shared[i * count + j]!
      if (sum === 0) continue
      const [first, second] = [indexed[i]!, indexed[j]!]
      const [one, other] = first.at < second.at ? [first, second] : [second, first]
      ranked.push({ one, other, similarity: sum / (one.free + other.free), shared: sum })
    }
  return ranked.sort(byLikeness).slice(0, mostPairs)
}

function toPair({ one: left, other: right, similarity }: RankedPair): SimilarPair {
  const pair = new Pair(withoutRepeats(left.entry), withoutRepeats(right.entry))
  const fragments = pair
    .buildFragments()
    .sort((one, other) => other.pairs.length - one.pairs.length)
    .slice(0, mostParts)
  const parts = fragments.map(({ leftSelection, rightSelection }) => ({
    leftStart: leftSelection.startRow + 1,
    leftEnd: leftSelection.endRow + 1,
    rightStart: rightSelection.startRow + 1,
    rightEnd: rightSelection.endRow + 1,
  }))
  parts.sort((one, other) => one.leftStart - other.leftStart || one.rightStart - other.rightStart)
  return { left: left.at, right: right.at, similarity: Math.round(similarity * 10_000) / 10_000, parts }
}

const withoutRepeats = (entry: FileEntry): FileEntry => ({
  ...entry,
  shared: new Set([...entry.shared].filter((print) => print.occurrencesOf(entry.file).length <= mostRepeats)),
})

function toFile(text: string, tokens: readonly Token[]): TokenizedFile {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  let row = 0
  const mapping = tokens.map(({ from, to }) => {
    while (row + 1 < starts.length && starts[row + 1]! <= from) row++
    let end = row
    while (end + 1 < starts.length && starts[end + 1]! < to) end++
    return new Region(row, from - starts[row]!, end, to - starts[end]!)
  })
  const kinds = tokens.map(({ kind }) => kind)
  return new TokenizedFile(new File('', ''), kinds, mapping)
}

function addTo<T>(map: Map<string, T[]>, key: string, one: T): void {
  const list = map.get(key)
  if (list) list.push(one)
  else map.set(key, [one])
}
