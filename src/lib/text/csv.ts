/** Reads CSV (RFC 4180): rows of cells, and the line on which each begins. The page uses it, too. */
export type Csv = { readonly rows: readonly (readonly string[])[]; readonly lines: readonly number[] }

export class CsvError extends Error {
  readonly line: number
  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** `skipsBlanks`: ignores blanks around a cell, as in lists that people type. */
export function parseCsv(source: string, delimiter = ',', skipsBlanks = false): Csv {
  const text = source.replace(/^\uFEFF/, '')
  const rows: string[][] = []
  const lines: number[] = []
  let at = 0
  let line = 1
  while (at < text.length) {
    const row: string[] = []
    lines.push(line)
    for (;;) {
      let cell = ''
      while (skipsBlanks && text[at] === ' ') at++
      if (text[at] === '"') {
        const opened = line
        at++
        for (;;) {
          const end = text.indexOf('"', at)
          if (end < 0) throw new CsvError(opened, 'A quote is opened here and never closed.')
          const part = text.slice(at, end)
          cell += part
          line += part.split('\n').length - 1
          at = end + 1
          if (text[at] !== '"') break
          cell += '"'
          at++
        }
        while (skipsBlanks && text[at] === ' ') at++
      } else {
        const end = findEnd(text, at, delimiter)
        cell = text.slice(at, end)
        at = end
      }
      row.push(cell)
      if (text[at] !== delimiter) break
      at++
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    else if (at < text.length && text[at - 1] !== '\r') throw new CsvError(line, 'There is text after a closing quote.')
    line++
    rows.push(row)
  }
  return { rows, lines }
}

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A cell as JSON: numbers, booleans and blanks are converted, with digits as written. */
export function guessJson(cell: string): string {
  if (cell === '') return 'null'
  return cell === 'true' || cell === 'false' || number.test(cell) ? cell : JSON.stringify(cell)
}

function findEnd(text: string, from: number, delimiter: string): number {
  let at = from
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}
