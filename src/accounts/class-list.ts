/** A class as a list: names to sign in with, names to show, and passwords that are drawn for them. The page reads it, too. */
import { parseCsv } from '../base/csv.ts'

export type ClassEntry = { readonly name: string; readonly displayName: string; readonly password: string }

/** What spreadsheets write over a column of names. */
const headWords = /^(?:(?:account|user|login|sign-in)[ _-]?name|account|user|login|name)$/i

/**
 * Each line is a name to sign in with, and perhaps the name to show behind a comma, semicolon or tab. A first line that
 * names the columns is left out.
 */
export function readClassList(text: string): ClassEntry[] {
  const rows = parseCsv(text, delimiterOf(text), true)
    .rows.map((row) => row.map((cell) => cell.trim()))
    .filter(([name]) => name)
  const isHead = rows.length > 1 && rows[0]!.length > 1 && headWords.test(rows[0]![0]!)
  return rows
    .slice(isHead ? 1 : 0)
    .map(([name = '', displayName]) => ({ name, displayName: displayName || name, password: drawPassword() }))
}

const delimiterOf = (text: string): string => (text.includes('\t') ? '\t' : text.includes(';') ? ';' : ',')

/** Some of the entries of a list as a list again, with its own delimiter. */
export function writeClassList(entries: readonly ClassEntry[], text: string): string {
  const delimiter = delimiterOf(text)
  const quote = (cell: string) => (/[",;\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  return entries.map(({ name, displayName }) => [name, displayName].map(quote).join(delimiter)).join('\n')
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
