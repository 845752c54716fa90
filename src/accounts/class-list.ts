/** A class as a text list: names to sign in with, display names, and random passwords. The page uses it, too. */
import { parseCsv } from '../lib/text/csv.ts'
import { generatePassword } from './generated-password.ts'

/** `source`: the entry's line in the list. */
export type ClassEntry = {
  readonly name: string
  readonly displayName: string
  readonly password: string
  readonly source: string
}

/** Headings that spreadsheets have over a column of names. */
const headWords = /^(?:(?:account|user|login|sign-in)[ _-]?name|account|user|login|name)$/i

/**
 * Each line has a sign-in name, optionally followed by a comma, semicolon or tab and a display name. The separator that
 * most lines have applies to the whole list. A heading line is skipped.
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
    password: generatePassword(),
    source: source.trimEnd(),
  }))
}

/** The separator of most lines: one tab is a slip. On a tie prefer tab or semicolon: names contain commas. */
function findListDelimiter(text: string): string {
  const lines = text.replace(/"[^"]*"/g, '').split('\n')
  const counts = ['\t', ';', ','].map((one) => [one, lines.filter((line) => line.includes(one)).length] as const)
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0]
}
