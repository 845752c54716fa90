/** A file as items to push: JSON, JSON lines or CSV, in portions that the interface takes. The first error names its line. */
import { CsvError, guessJson, parseCsv } from '../../src/lib/text/csv.ts'
import { decodeUtf8, notUtf8 } from '../../src/lib/text/utf8.ts'

export class FileError extends Error {
  readonly line: number | undefined
  constructor(line: number | undefined, message: string) {
    super(line === undefined ? message : `Line ${line}: ${message}`)
    this.line = line
  }
}

/** The interface takes 9 MiB a push; characters of other scripts have up to three bytes. */
const portionLength = 2_000_000

export async function readPortions(file: File): Promise<string[]> {
  const text = decodeUtf8(await file.arrayBuffer())
  if (text === undefined) throw new FileError(undefined, `${file.name} is ${notUtf8}.`)
  if (/\.(?:csv|tsv)$/i.test(file.name))
    return joinPortions(readCsv(text, /\.tsv$/i.test(file.name) ? '\t' : findDelimiter(text)))
  if (/\.(?:jsonl|ndjson)$/i.test(file.name)) return joinPortions(readLines(text))
  return joinPortions(readJson(text))
}

function readJson(text: string): string[] {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new FileError(lineOf(text, error), 'The file is not valid JSON from here on.')
  }
  const items = Array.isArray(value) ? value : [value]
  const wrong = items.findIndex((item) => !isObject(item))
  if (wrong >= 0) throw new FileError(undefined, `Element ${wrong + 1} is not an object.`)
  return items.map((item) => JSON.stringify(item))
}

/** Browsers tell the place in words of their own. */
function lineOf(text: string, error: unknown): number | undefined {
  const message = String(error)
  const line = /line (\d+)/.exec(message)?.[1]
  if (line) return Number(line)
  const position = /position (\d+)/.exec(message)?.[1]
  return position ? text.slice(0, Number(position)).split('\n').length : undefined
}

/** Each line is kept as it is written: long numbers stay whole. */
function readLines(text: string): string[] {
  const items: string[] = []
  text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .forEach((line, at) => {
      if (line.trim() === '') return
      let value: unknown
      try {
        value = JSON.parse(line)
      } catch {
        throw new FileError(at + 1, 'This line is not valid JSON.')
      }
      if (!isObject(value)) throw new FileError(at + 1, 'This line is not an object.')
      items.push(line)
    })
  return items
}

function readCsv(text: string, delimiter: string): string[] {
  try {
    const { rows, lines } = parseCsv(text, delimiter)
    const [head = [], ...body] = rows
    const repeated = head.find((name, at) => head.indexOf(name) < at)
    if (repeated !== undefined) throw new FileError(lines[0], `Two columns have the name ${JSON.stringify(repeated)}.`)
    const names = head.map((name) => JSON.stringify(name))
    return body.flatMap((row, at) => {
      if (row.length === 1 && row[0] === '') return []
      if (row.length > head.length)
        throw new FileError(lines[at + 1], `There are ${row.length} cells, but ${head.length} columns.`)
      return [`{${row.map((cell, column) => `${names[column]}:${guessJson(cell)}`).join(',')}}`]
    })
  } catch (error) {
    if (error instanceof CsvError) throw new FileError(error.line, error.message)
    throw error
  }
}

/** Spreadsheets separate by semicolons where a comma is in the numbers. The first line tells: that of which it has most. */
export function findDelimiter(text: string): string {
  const [names = ''] = text.replace(/"[^"]*"/g, '').split(/\r?\n/, 1)
  const counts = [',', ';', '\t'].map((one) => [one, names.split(one).length] as const)
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0]
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

function joinPortions(items: readonly string[]): string[] {
  const portions: string[] = []
  let held: string[] = []
  let length = 0
  for (const item of items) {
    if (length + item.length > portionLength && held.length > 0) {
      portions.push(`[${held.join(',')}]`)
      held = []
      length = 0
    }
    held.push(item)
    length += item.length + 1
  }
  if (held.length > 0) portions.push(`[${held.join(',')}]`)
  return portions
}
