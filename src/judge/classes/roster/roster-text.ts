/** Reads a roster: CSV, TSV or one name a line, as Moodle, Google Classroom and spreadsheets write it. */
import { Failure } from '../../../lib/failure.ts'
import { CsvError, parseCsv } from '../../../lib/text/csv.ts'
import { type ColumnFields, findHeader, guessFields, type RosterField } from './column-fields.ts'

export type RosterEntry = {
  /** The line in the text, counted from 1. */
  readonly line: number
  readonly rosterName: string
  /** Empty if not given, like all below. */
  readonly givenName: string
  readonly familyName: string
  readonly login: string
  readonly email: string
  readonly number: string
}

export type RosterText = {
  readonly entries: readonly RosterEntry[]
  /** The headers, or empty texts if there are none. */
  readonly headers: readonly string[]
  readonly fields: ColumnFields
}

/** Some 50 lines and 200 cells for each of the 500 accepted rows: a longer text is not parsed. */
const mostLines = 25_000
const mostCells = 100_000

/** `mapping` overrides the detected columns; a first row with headers stays a header. */
export function readRoster(text: string, mapping?: ColumnFields): RosterText {
  const { rows, lines } = parse(text)
  const trimmed = rows
    .map((row, at) => ({ cells: row.map((cell) => cell.trim()), line: lines[at]! }))
    .filter(({ cells }) => cells.some(Boolean))
  const header = trimmed[0] && findHeader(trimmed[0].cells)
  const body = header ? trimmed.slice(1) : trimmed
  const isSpaced = /[^\s,],\s+\S/.test(text)
  const fields =
    mapping ??
    header ??
    guessFields(
      body.map(({ cells }) => cells),
      isSpaced,
    )
  const width = Math.max(0, ...trimmed.map(({ cells }) => cells.length))
  return {
    entries: body.map(({ cells, line }) => toEntry(cells, line, fields)),
    headers: Array.from({ length: width }, (_, at) => (header ? (trimmed[0]!.cells[at] ?? '') : '')),
    fields,
  }
}

function parse(source: string) {
  const text = source.replace(/\r\n?/g, '\n')
  if (hasMore(text, '\n', mostLines)) throw unreadable(`has more than ${mostLines} lines.`)
  const delimiter = findDelimiter(text)
  if (hasMore(text, delimiter, mostCells)) throw unreadable(`has more than ${mostCells} cells.`)
  try {
    return parseCsv(text, delimiter, true)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw unreadable(`has a mistake in line ${error.line}: ${error.message}`)
  }
}

const unreadable = (reason: string) =>
  new Failure('invalid', 'roster-unreadable', `The roster ${reason}`, { faults: [{ field: 'Text', reason }] })

function hasMore(text: string, character: string, most: number): boolean {
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) if (++count > most) return true
  return false
}

/** The delimiter found in most lines. On a tie prefer tab or semicolon: names contain commas. */
function findDelimiter(text: string): string {
  const lines = text.replace(/"[^"]*"/g, '').split('\n')
  const counts = ['\t', ';', ','].map((one) => [one, lines.filter((line) => line.includes(one)).length] as const)
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0]
}

function toEntry(cells: readonly string[], line: number, fields: ColumnFields): RosterEntry {
  const cell = (field: RosterField) => {
    const at = fields[field]
    return (at === undefined ? '' : (cells[at] ?? '')).replace(/\s+/g, ' ').trim()
  }
  const parts = [cell('FirstName'), cell('LastName')].filter(Boolean).join(' ')
  const email = cell('Email')
  const name = cell('FullName') || parts
  // A list of email addresses only, one per line.
  const isAddress = !email && /^[^\s@]+@[^\s@]+$/.test(name)
  return {
    line,
    ...(isAddress ? { rosterName: '', givenName: '', familyName: '' } : splitName(name, cell)),
    login: cell('Login'),
    email: isAddress ? name : email,
    number: cell('Number'),
  }
}

/** `Müller, Anna` becomes Anna Müller. Which part is the family name is known only of two columns or a comma. */
function splitName(name: string, cell: (field: RosterField) => string) {
  const [last, first, ...more] = name.split(/\s*,\s*/)
  const isTurned = Boolean(last && first) && more.length === 0
  return {
    rosterName: isTurned ? `${first} ${last}` : name,
    givenName: isTurned ? first! : cell('FirstName'),
    familyName: isTurned ? last! : cell('LastName'),
  }
}
