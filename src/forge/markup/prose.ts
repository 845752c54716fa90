/** The prose of a Markdown text: everything but code, comments, tags, links and addresses, at unchanged positions. */
import { type CodeRange, findCodeParts } from './code-parts.ts'
import { matchCodeTags, readCodeTag } from './html-code.ts'

/** Replaces each character that is left out: neither a letter, a digit nor a blank. */
export const gap = '\uFFFC'

/** Caches the last result: a text is scanned for mentions, references and duplicates one after the other. */
function rememberLast(make: (text: string) => string): (text: string) => string {
  let last: { readonly text: string; readonly made: string } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, made: make(text) }
    return last.made
  }
}

/** The text without code, but with its links. */
export const withoutCode = rememberLast((text) => {
  const uncoded = leaveOut(text, findCodeParts(text))
  return leaveOut(uncoded, findHtmlCode(uncoded))
})

/** The text without code, links and addresses: what people read as words. */
export const proseOf = rememberLast((text) => {
  const uncoded = leaveOut(withoutCode(text), findComments(text))
  const unlinked = leaveOut(uncoded, findLinks(uncoded))
  // Each pattern stops at the next character that could begin a match, so that nothing is scanned twice.
  return unlinked
    .replace(/<[A-Za-z/!?][^<>]*>/g, fill)
    .replace(/\b(?:https?|ftp):\/\/[^\s<>\uFFFC]+/gi, fill)
    .replace(/\bwww\.[^\s<>\uFFFC]+/gi, fill)
    .replace(/^ {0,3}\[[^[\]\n]+\]:[^\n]*$/gm, fill)
})

const fill = (found: string): string => gap.repeat(found.length)

/** Overwrites a buffer of the text: joining a hundred thousand pieces takes ten times as long. */
function leaveOut(text: string, parts: readonly CodeRange[]): string {
  if (parts.length === 0) return text
  const bytes = Buffer.from(text, 'utf16le')
  let from = 0
  for (const [start, end] of parts) {
    for (let at = Math.max(start, from); at < end; at++) {
      bytes[2 * at] = lowGap
      bytes[2 * at + 1] = highGap
    }
    from = Math.max(from, end)
  }
  return bytes.toString('utf16le')
}

const [lowGap, highGap] = Buffer.from(gap, 'utf16le') as unknown as [number, number]

function findHtmlCode(text: string): CodeRange[] {
  const tags = text
    .matchAll(/<\/?(?:code|pre|samp|tt)(?=[\s/>])[^<>]*>/gi)
    .map(({ 0: tag, index }) => ({ ...readCodeTag(tag)!, start: index, end: index + tag.length }))
    .toArray()
  return matchCodeTags(tags).map(([opening, closing]) => [tags[opening]!.start, tags[closing]!.end])
}

function findComments(text: string): CodeRange[] {
  const found: CodeRange[] = []
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', at)) {
    const end = text.indexOf('-->', at + 4)
    const to = end < 0 ? text.length : end + 3
    found.push([at, to])
    at = to
  }
  return found
}

/** Longer destinations are not taken as links: real ones have a few hundred characters. */
const maxDestination = 2000

const [backslash, openingBracket, closingBracket] = [0x5c, 0x5b, 0x5d]

/** `[words](destination)`, also with brackets inside the words. */
function findLinks(text: string): CodeRange[] {
  const found: CodeRange[] = []
  const open: number[] = []
  let closing = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // A backslash escapes a bracket or another backslash behind it.
    if (code === backslash) index++
    if (code !== openingBracket && code !== closingBracket) continue
    if (code === openingBracket) {
      open.push(index)
      continue
    }
    const start = open.pop()
    if (start === undefined || text[index + 1] !== '(') continue
    if (closing <= index && closing >= 0) closing = text.indexOf(')', index)
    if (closing < 0 || closing - index > maxDestination) continue
    if (text.slice(index, closing).includes('\n\n')) continue
    // Links inside these brackets are covered by this one.
    while (found.length > 0 && found.at(-1)![0] > start) found.pop()
    found.push([start, closing + 1])
  }
  return found
}
