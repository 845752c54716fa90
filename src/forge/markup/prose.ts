/** The prose of a Markdown text: what is left of it without code, comments, tags, links and addresses, each character at its place. */
import { findCodeParts, type Part } from './code-parts.ts'

/** Stands for each character that is left out: no letter, no digit, no blank. */
export const gap = '\uFFFC'

/** One text is looked through for mentions, references and duplicates, one after the other: the last result serves them all. */
function rememberLast(make: (text: string) => string): (text: string) => string {
  let last: { readonly text: string; readonly made: string } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, made: make(text) }
    return last.made
  }
}

/** Without code, but with its links. */
export const withoutCode = rememberLast((text) => leaveOut(text, findCodeParts(text)))

/** What people read as words: neither code nor part of a link or an address. */
export const proseOf = rememberLast((text) => {
  const uncoded = leaveOut(withoutCode(text), findComments(text))
  const unlinked = leaveOut(uncoded, findLinks(uncoded))
  // Each pattern stops at the next character that could begin a match, so that none is looked through twice.
  return unlinked
    .replace(/<[A-Za-z/!?][^<>]*>/g, fill)
    .replace(/\b(?:https?|ftp):\/\/[^\s<>\uFFFC]+/gi, fill)
    .replace(/\bwww\.[^\s<>\uFFFC]+/gi, fill)
    .replace(/^ {0,3}\[[^[\]\n]+\]:[^\n]*$/gm, fill)
})

const fill = (found: string): string => gap.repeat(found.length)

function leaveOut(text: string, parts: readonly Part[]): string {
  const kept: string[] = []
  let from = 0
  for (const [start, end] of parts) {
    if (end <= from) continue
    const begin = Math.max(start, from)
    kept.push(text.slice(from, begin), gap.repeat(end - begin))
    from = end
  }
  kept.push(text.slice(from))
  return kept.join('')
}

function findComments(text: string): Part[] {
  const found: Part[] = []
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', at)) {
    const end = text.indexOf('-->', at + 4)
    const to = end < 0 ? text.length : end + 3
    found.push([at, to])
    at = to
  }
  return found
}

/** A longer destination is none: people's own are hundreds of characters long at most. */
const maxDestination = 2000

/** `[words](destination)`, with brackets inside the words, too. */
function findLinks(text: string): Part[] {
  const found: Part[] = []
  const open: number[] = []
  let closing = 0
  for (const { 0: bracket, index } of text.matchAll(/\\?[[\]]/g)) {
    if (bracket.length > 1) continue
    if (bracket === '[') {
      open.push(index)
      continue
    }
    const start = open.pop()
    if (start === undefined || text[index + 1] !== '(') continue
    if (closing <= index && closing >= 0) closing = text.indexOf(')', index)
    if (closing < 0 || closing - index > maxDestination) continue
    if (text.slice(index, closing).includes('\n\n')) continue
    // What is inside these brackets is left out with them.
    while (found.length > 0 && found.at(-1)![0] > start) found.pop()
    found.push([start, closing + 1])
  }
  return found
}
