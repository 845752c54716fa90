/** A class as a list: names to sign in with, names to show, and passwords that are drawn for them. The page reads it, too. */
import { parseCsv } from '../lib/text/csv.ts'

/** `source`: its line, as it is written in the list. */
export type ClassEntry = {
  readonly name: string
  readonly displayName: string
  readonly password: string
  readonly source: string
}

/** What spreadsheets write over a column of names. */
const headWords = /^(?:(?:account|user|login|sign-in)[ _-]?name|account|user|login|name)$/i

/**
 * Each line is a name to sign in with, and perhaps the name to show behind a comma, semicolon or tab: that which most
 * lines have counts for the whole list. A first line that names the columns is left out.
 */
export function readClassList(text: string): ClassEntry[] {
  const { rows, lines } = parseCsv(text, findListDelimiter(text), true)
  const written = text.split(/\r?\n|\r/)
  const entries = rows
    .map((row, at) => ({
      cells: row.map((cell) => cell.trim()),
      source: written.slice(lines[at]! - 1, lines[at + 1] === undefined ? undefined : lines[at + 1]! - 1).join('\n'),
    }))
    .filter(({ cells: [name] }) => name)
  const isHead = entries.length > 1 && entries[0]!.cells.length > 1 && headWords.test(entries[0]!.cells[0]!)
  return entries.slice(isHead ? 1 : 0).map(({ cells: [name = '', displayName], source }) => ({
    name,
    displayName: displayName || name,
    password: drawPassword(),
    source: source.trimEnd(),
  }))
}

/** That which most lines have: one tab among commas is a slip. Where two are in as many, a comma stands in the names. */
function findListDelimiter(text: string): string {
  const lines = text.replace(/"[^"]*"/g, '').split('\n')
  const counts = ['\t', ';', ','].map((one) => [one, lines.filter((line) => line.includes(one)).length] as const)
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0]
}

/** Twelve of 31 characters that nobody takes for each other: some 59 bits of chance. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const length = 12

export function drawPassword(): string {
  let password = ''
  while (password.length < length) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1))
    // Bytes past the last whole round would make the first letters likelier.
    if (byte! < 256 - (256 % letters.length)) password += letters[byte! % letters.length]
  }
  return password.replace(/(.{4})(?=.)/g, '$1-')
}
