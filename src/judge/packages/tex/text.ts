/** Plain TeX text as Markdown: dashes, quotes, accents, and escapes for Markdown's special characters. */

const marks: readonly [RegExp, string][] = [
  [/---/g, '—'],
  [/--/g, '–'],
  [/``/g, '“'],
  [/''/g, '”'],
  [/`/g, '‘'],
  [/'/g, '’'],
  [/<</g, '«'],
  [/>>/g, '»'],
  [/~/g, '\u00a0'],
]

/** Escapes Markdown's special characters. */
export function writeText(text: string): string {
  const escaped = text.replace(/[\\*_[\]<>$|#]/g, (letter, at: number) =>
    letter === '<' && text[at + 1] === '<' ? letter : escapeMark(letter, text, at),
  )
  return marks.reduce((written, [from, to]) => written.replace(from, to), escaped)
}

function escapeMark(letter: string, text: string, at: number): string {
  // `<<` and `>>` are quotes, which become other characters.
  if ((letter === '<' || letter === '>') && (text[at - 1] === letter || text[at + 1] === letter)) return letter
  if (letter === '>' || letter === '#') return at === 0 || text[at - 1] === '\n' ? `\\${letter}` : letter
  return `\\${letter}`
}

/** Escapes line starts that look like a list or a heading. */
export const guardLineStarts = (text: string): string =>
  text.replace(/^([ \t]*)([-+]|\d{1,9}[.)])(?=[ \t])/gm, (_line, blanks: string, mark: string) =>
    /\d/.test(mark) ? `${blanks}${mark.slice(0, -1)}\\${mark.slice(-1)}` : `${blanks}\\${mark}`,
  )

const combining: Readonly<Record<string, string>> = {
  "'": '\u0301',
  '`': '\u0300',
  '^': '\u0302',
  '"': '\u0308',
  '~': '\u0303',
  '=': '\u0304',
  '.': '\u0307',
  c: '\u0327',
  v: '\u030c',
  u: '\u0306',
  H: '\u030b',
  r: '\u030a',
  k: '\u0328',
}

export const isAccent = (name: string): boolean => Object.hasOwn(combining, name)

export const writeAccent = (name: string, letter: string): string => {
  const plain = letter.replace(/^\\([ij])$/, '$1')
  return `${plain.slice(0, 1)}${combining[name]}${plain.slice(1)}`.normalize('NFC')
}

/** A code span with as many backticks as needed. */
export function writeCode(text: string): string {
  const longest = longestRun(text.matchAll(/`+/g), 0)
  const fence = '`'.repeat(longest + 1)
  const isPadded = text.startsWith('`') || text.endsWith('`')
  return isPadded ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

function longestRun(runs: Iterable<RegExpMatchArray>, least: number): number {
  let longest = least
  for (const [run] of runs) longest = Math.max(longest, run.length)
  return longest
}

export function writeFence(text: string): string {
  const longest = longestRun(text.matchAll(/^`+/gm), 2)
  const fence = '`'.repeat(longest + 1)
  return `\n\n${fence}\n${text.replace(/^[ \t]*\n/, '').trimEnd()}\n${fence}\n\n`
}

/** Emphasis has no blanks inside its marks, and does not span paragraphs. */
export function writeEmphasis(mark: string, text: string): string {
  const inner = text.trim()
  const before = text.slice(0, text.length - text.trimStart().length)
  const after = inner === '' ? '' : text.slice(text.trimEnd().length)
  if (inner === '' || inner.includes('\n\n')) return text
  return `${before}${mark}${inner}${mark}${after}`
}

/**
 * Joins the lines with one blank for each line end and the blanks around it. It works line by line: an expression such
 * as `\s*\n` would restart at each of a hundred thousand blanks and scan all that follow.
 */
export function joinLines(text: string): string {
  const lines = text.split('\n')
  if (lines.length === 1) return text
  const inner = lines.slice(1, -1).map((line) => line.trim())
  return [lines[0]!.trimEnd(), ...inner.filter((line) => line !== ''), lines.at(-1)!.trimStart()].join(' ')
}

export const oneLine = (text: string): string => joinLines(text.trim())

/** Removes trailing blanks, except the two that break a line; one empty line separates paragraphs. */
export function tidy(text: string): string {
  const lines = text.split('\n').map((line) => {
    const kept = trimBlanks(line)
    return line.length - kept.length === 2 && line.endsWith('  ') ? line : kept
  })
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function trimBlanks(line: string): string {
  let end = line.length
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--
  return line.slice(0, end)
}
