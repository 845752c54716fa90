/** Finds the code in a Markdown text: fences, indented code and code spans, in one pass over its lines. */

/** A range of the text: start inclusive, end exclusive. */
export type CodeRange = readonly [start: number, end: number]

/** `indent`, `quotes`: those of the list item and quotation that contain the fence. The fence ends with them. */
type Fence = { readonly mark: string; readonly length: number; readonly indent: number; readonly quotes: number }

/** Where a line's content begins, and how far it is indented within its quotations. */
type Content = { at: number; indent: number; quotes: number }

const tabWidth = 4
const heading = /^#{1,6}(?:[ \t]|$)/

export function findCodeParts(text: string): CodeRange[] {
  const found: CodeRange[] = []
  /** The content indentation of each open list item. */
  const lists: number[] = []
  let paragraph: CodeRange[] = []
  let fence: Fence | undefined
  let quotes = 0
  const ticks = { at: -1 }
  const endParagraph = () => {
    if (paragraph.length > 0) findSpans(text, paragraph, ticks, found)
    paragraph = []
  }
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const content = skipQuotation(text, start, end)
    const isBlank = content.at === end
    if (fence && (content.quotes < fence.quotes || (!isBlank && content.indent < fence.indent))) fence = undefined
    if (content.quotes > quotes) {
      endParagraph()
      closeLists(lists, content.indent)
    }
    quotes = content.quotes
    if (fence) {
      if (closesFence(text, content, end, fence)) fence = undefined
      found.push([content.at, end])
    } else if (isBlank) endParagraph()
    else if (paragraph.length === 0 && content.indent >= closeLists(lists, content.indent) + tabWidth)
      found.push([content.at, end])
    else {
      if (enterLists(text, content, end, lists)) endParagraph()
      const isHeading = text[content.at] === '#' && heading.test(text.slice(content.at, Math.min(end, content.at + 7)))
      if (isHeading) {
        endParagraph()
        closeLists(lists, content.indent)
      }
      fence = readFence(text, content, end, lists)
      if (fence) {
        endParagraph()
        found.push([content.at, end])
      } else paragraph.push([content.at, end])
      if (isHeading) endParagraph()
    }
    start = end + 1
  }
  endParagraph()
  return found.sort(([a], [b]) => a - b)
}

function skipBlanks(text: string, { at, indent, quotes }: Content, end: number): Content {
  let [to, width] = [at, indent]
  for (; to < end; to++)
    if (text[to] === ' ') width++
    else if (text[to] === '\t') width += tabWidth - (width % tabWidth)
    else if (text[to] !== '\r') break
  return { at: to, indent: width, quotes }
}

function skipQuotation(text: string, start: number, end: number): Content {
  let content = skipBlanks(text, { at: start, indent: 0, quotes: 0 }, end)
  while (text[content.at] === '>' && content.indent < tabWidth) {
    const next = content.at + 1
    const inside = { at: text[next] === ' ' ? next + 1 : next, indent: 0, quotes: content.quotes + 1 }
    content = skipBlanks(text, inside, end)
  }
  return content
}

/** Closes the list items whose content is indented further than this line. */
function closeLists(lists: number[], indent: number): number {
  while (lists.length > 0 && indent < lists.at(-1)!) lists.pop()
  return lists.at(-1) ?? 0
}

const marker = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/
/** Whether the character can begin a list marker: `*`, `+`, `-` or a digit. */
const mayMark = (code: number): boolean =>
  code === 0x2a || code === 0x2b || code === 0x2d || (code >= 0x30 && code <= 0x39)
const longestMarker = '123456789. '.length

/** Moves past the list markers at the start of a line, which may open several items. */
function enterLists(text: string, content: Content, end: number, lists: number[]): boolean {
  let hasEntered = false
  for (;;) {
    if (!mayMark(text.charCodeAt(content.at))) return hasEntered
    const found = marker.exec(text.slice(content.at, Math.min(end, content.at + longestMarker)))
    if (!found) return hasEntered
    closeLists(lists, content.indent)
    const width = found[0].length
    const behind = { ...content, at: content.at + width, indent: content.indent + width }
    const next = skipBlanks(text, behind, end)
    const isCode = next.indent - behind.indent > tabWidth
    lists.push(isCode ? behind.indent + 1 : next.indent)
    hasEntered = true
    Object.assign(content, next)
    if (isCode) return hasEntered
  }
}

function readFence(text: string, { at, indent, quotes }: Content, end: number, lists: number[]): Fence | undefined {
  const mark = text[at]
  if (mark !== '`' && mark !== '~') return undefined
  const length = countRun(text, at, end)
  if (length < 3) return undefined
  // After an opening fence of backticks no backtick may follow on the line; otherwise it is a code span.
  if (mark === '`' && text.slice(at + length, end).includes('`')) return undefined
  return { mark, length, indent: closeLists(lists, indent), quotes }
}

function closesFence(text: string, { at, ...content }: Content, end: number, fence: Fence): boolean {
  const { mark, length, indent, quotes } = fence
  if (text[at] !== mark || content.quotes !== quotes || content.indent >= indent + tabWidth) return false
  const run = countRun(text, at, end)
  return run >= length && text.slice(at + run, end).trim() === ''
}

function countRun(text: string, at: number, end: number): number {
  let to = at
  while (to < end && text[to] === text[at]) to++
  return to - at
}

type Run = { readonly at: number; readonly length: number; readonly isEscaped: boolean }

/** A run of backticks opens a span if another run of the same length follows in the paragraph. */
function findSpans(text: string, lines: readonly CodeRange[], ticks: { at: number }, found: CodeRange[]): void {
  const runs: Run[] = []
  for (const [start, end] of lines) {
    // The next backtick is searched for once, however many lines and paragraphs have none.
    if (ticks.at < start) ticks.at = indexOfTick(text, start)
    while (ticks.at < end) {
      const { at } = ticks
      const length = countRun(text, at, end)
      runs.push({ at, length, isEscaped: isEscaped(text, at, start) })
      ticks.at = indexOfTick(text, at + length)
    }
  }
  if (runs.length < 2) return
  const byLength = new Map<number, number[]>()
  for (let index = 0; index < runs.length; index++) {
    const { length } = runs[index]!
    const same = byLength.get(length)
    if (same) same.push(index)
    else byLength.set(length, [index])
  }
  const next = new Map([...byLength.keys()].map((length) => [length, 0]))
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index]!
    // A backslash escapes the first backtick of an opening run, not of a closing run.
    const at = run.isEscaped ? run.at + 1 : run.at
    const length = run.isEscaped ? run.length - 1 : run.length
    const same = byLength.get(length)
    if (!same) continue
    let place = next.get(length)!
    while (place < same.length && same[place]! <= index) place++
    next.set(length, place)
    const closing = same[place]
    if (closing === undefined) continue
    found.push([at, runs[closing]!.at + length])
    index = closing
  }
}

function indexOfTick(text: string, from: number): number {
  const at = text.indexOf('`', from)
  return at < 0 ? text.length : at
}

/** Whether an odd number of backslashes precedes it. */
export function isEscaped(text: string, at: number, start = 0): boolean {
  let slashes = 0
  while (at - slashes > start && text[at - slashes - 1] === '\\') slashes++
  return slashes % 2 === 1
}
