/** Reads CSV (RFC 4180) from a stream, and makes each row a JSON object by the names in the first row. */
import { guessJson } from '../../lib/text/csv.ts'
import { maxNames } from './field-names.ts'

export type CsvOptions = {
  readonly delimiter: string
  /** Whether the delimiter is a default: then a single column whose name contains another delimiter is a fault. */
  readonly isAssumed?: boolean
  /** Whether cells that look like numbers, booleans or nothing are converted; otherwise every cell is text. */
  readonly guessTypes: boolean
}

/** An item, and the line on which its row starts, from 1. */
export type CsvItem = { readonly json: string; readonly line: number }

export class CsvFault extends Error {
  readonly line: number
  constructor(line: number, what: string) {
    super(what)
    this.line = line
  }
}

/** Characters per row: a quote that is never closed must not gather the whole file. */
const maxRowLength = 9_437_184
/** As many as the field names that are kept of an item. */
const maxColumns = maxNames

export class CsvReader {
  readonly #options: CsvOptions
  #names: readonly string[] | null = null
  #cells: string[] = []
  #cell = ''
  #state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  #rowLength = 0
  #line = 1
  #rowLine = 1
  #quoteLine = 1
  #isAfterReturn = false

  constructor(options: CsvOptions) {
    this.#options = options
  }

  /** The items whose rows end in this part of the text. */
  *read(text: string): Generator<CsvItem> {
    const { delimiter } = this.#options
    let at = 0
    while (at < text.length) {
      const letter = text[at]!
      if (this.#isAfterReturn) {
        this.#isAfterReturn = false
        if (letter === '\n') {
          at++
          continue
        }
      }
      if (this.#state === 'quoted') at = this.#readQuoted(text, at)
      else if (letter === '"' && this.#state !== 'plain') {
        // A doubled quote stands for a quote.
        if (this.#state === 'closed') this.#cell += '"'
        else this.#quoteLine = this.#line
        this.#state = 'quoted'
        at++
      } else if (text.startsWith(delimiter, at)) {
        this.#endCell()
        at += delimiter.length
      } else if (letter === '\n' || letter === '\r') {
        this.#isAfterReturn = letter === '\r'
        at++
        yield* this.#endRow()
        this.#rowLine = ++this.#line
      } else if (this.#state === 'closed') throw new CsvFault(this.#line, 'there is text after a closing quote')
      else at = this.#readPlain(text, at)
    }
  }

  /** The last row need not end with a line break. */
  *end(): Generator<CsvItem> {
    if (this.#state === 'quoted') throw new CsvFault(this.#quoteLine, 'a quote that opens here is never closed')
    if (this.#state !== 'start' || this.#cells.length > 0) yield* this.#endRow()
    if (this.#names === null) throw new CsvFault(1, 'there is no row with the names of the columns')
  }

  #readQuoted(text: string, at: number): number {
    const quote = text.indexOf('"', at)
    const end = quote === -1 ? text.length : quote
    const part = text.slice(at, end)
    for (let feed = part.indexOf('\n'); feed !== -1; feed = part.indexOf('\n', feed + 1)) this.#line++
    this.#add(part)
    if (quote === -1) return end
    this.#state = 'closed'
    return end + 1
  }

  #readPlain(text: string, at: number): number {
    const { delimiter } = this.#options
    let end = at
    while (end < text.length && text[end] !== '\n' && text[end] !== '\r' && !text.startsWith(delimiter, end)) end++
    this.#state = 'plain'
    this.#add(text.slice(at, end))
    return end
  }

  #add(part: string) {
    this.#cell += part
    this.#rowLength += part.length
    if (this.#rowLength > maxRowLength)
      throw new CsvFault(this.#rowLine, 'this row is too long for an item: is a quote in it never closed')
  }

  #endCell() {
    if (this.#cells.length === maxColumns)
      throw new CsvFault(this.#rowLine, `the row has over ${maxColumns} cells, as many as a row may have`)
    this.#cells.push(this.#cell)
    this.#cell = ''
    this.#state = 'start'
  }

  *#endRow(): Generator<CsvItem> {
    const isBlank = this.#state === 'start' && this.#cells.length === 0
    this.#endCell()
    const cells = this.#cells
    this.#cells = []
    this.#rowLength = 0
    if (isBlank) return
    if (this.#names === null) this.#names = this.#readNames(cells)
    else yield { json: this.#writeItem(cells, this.#names), line: this.#rowLine }
  }

  #readNames(cells: readonly string[]): string[] {
    const seen = new Set<string>()
    const repeated = cells.find((name) => seen.size === seen.add(name).size)
    if (repeated !== undefined)
      throw new CsvFault(this.#rowLine, `two columns have the name ${JSON.stringify(repeated)}`)
    const other = this.#options.isAssumed && cells.length === 1 ? /[;\t|]/.exec(cells[0]!)?.[0] : undefined
    if (other !== undefined)
      throw new CsvFault(
        this.#rowLine,
        `${JSON.stringify(other)} seems to stand between the names: say so with delimiter (--delimiter ${other === '\t' ? "$'\\t'" : `'${other}'`} of the command), or say "," if this is one column`,
      )
    return cells.map((name) => JSON.stringify(name))
  }

  /** A short row lacks its last fields. */
  #writeItem(cells: readonly string[], names: readonly string[]): string {
    if (cells.length > names.length)
      throw new CsvFault(this.#rowLine, `the row has ${cells.length} cells, and there are ${names.length} columns`)
    let json = '{'
    for (let i = 0; i < cells.length; i++) json += `${i === 0 ? '' : ','}${names[i]}:${this.#writeCell(cells[i]!)}`
    return `${json}}`
  }

  #writeCell(cell: string): string {
    return this.#options.guessTypes ? guessJson(cell) : JSON.stringify(cell)
  }
}
