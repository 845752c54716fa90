/** The lines of a file that words stand in, cut to what is read, with the words apart. */
export type FoundLine = {
  /** Counted from 1. */
  readonly number: number
  readonly pieces: readonly (readonly [text: string, isFound: boolean])[]
}

const mostLines = 8
const mostCharacters = 300
const part = /"([^"]*)"|([^\s"]+)/g

/** The words of a search, without its qualifiers. */
export const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(part)]
    .filter(([, quoted, bare = '']) => quoted !== undefined || !/^-?[a-z]+:|^(?:AND|OR|NOT)$/.test(bare))
    .map(([, quoted, bare]) => (quoted ?? bare ?? '').toLowerCase())
    .filter(Boolean)

export function cutLines(text: string, words: readonly string[]): { shown: readonly FoundLine[]; hidden: number } {
  const shown: FoundLine[] = []
  let count = 0
  for (const [at, line] of text.split('\n').entries()) {
    const lower = line.toLowerCase()
    if (!words.some((word) => lower.includes(word))) continue
    count++
    if (shown.length < mostLines) shown.push({ number: at + 1, pieces: cutPieces(line, lower, words) })
  }
  return { shown, hidden: count - shown.length }
}

/** A long line begins a little before its first word. */
function cutPieces(whole: string, wholeLower: string, words: readonly string[]): FoundLine['pieces'] {
  // Where lower case has another length, places in it are not those in the text.
  if (wholeLower.length !== whole.length) return [[whole.slice(0, mostCharacters), false]]
  const first = Math.min(...words.map((word) => wholeLower.indexOf(word)).filter((at) => at >= 0))
  const start = first > mostCharacters / 2 ? first - 40 : 0
  const line = whole.slice(start, start + mostCharacters)
  const lower = line.toLowerCase()
  const pieces: (readonly [string, boolean])[] = start > 0 ? [['… ', false]] : []
  let at = 0
  while (at < line.length) {
    const found = words
      .map((word) => [lower.indexOf(word, at), word.length] as const)
      .filter(([place]) => place >= 0)
      .sort(([a, long], [b, other]) => a - b || other - long)[0]
    if (!found) break
    const [place, length] = found
    if (place > at) pieces.push([line.slice(at, place), false])
    pieces.push([line.slice(place, place + length), true])
    at = place + length
  }
  if (at < line.length) pieces.push([line.slice(at), false])
  return pieces
}
