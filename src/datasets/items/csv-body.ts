/** Reads a pushed CSV body as a JSON array. */
import { isUtf8 } from 'node:buffer'
import { demand, Failure } from '../../lib/failure.ts'
import { CsvFault, type CsvOptions, CsvReader } from './csv-reading.ts'

/** The bound on a body's rows as JSON: each cell repeats its column's name. */
const maxItemBytes = 9_437_184

/** A body that begins like JSON is read as JSON, whatever its type says. */
export const isJsonBody = (body: Buffer): boolean => /^[\s\ufeff]*[{[]/.test(body.toString('utf8', 0, 64))

export function readCsvBody(body: Buffer, options: CsvOptions): Buffer {
  demand(isUtf8(body), 'invalid', 'invalid-csv', 'The body is not valid UTF-8: send CSV encoded as UTF-8.')
  const reader = new CsvReader(options)
  const items: string[] = []
  let length = 2
  const take = (rows: Iterable<{ json: string }>) => {
    for (const { json } of rows) {
      length += json.length + 1
      demand(
        length <= maxItemBytes,
        'invalid',
        'request-too-large',
        `As JSON the rows have over ${maxItemBytes} bytes: push fewer rows at a time.`,
      )
      items.push(json)
    }
  }
  try {
    take(reader.read(body.toString().replace(/^\ufeff/, '')))
    take(reader.end())
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
    throw new Failure('invalid', 'invalid-csv', `The body is not valid CSV, line ${error.line}: ${error.message}.`)
  }
  return Buffer.from(`[${items.join(',')}]`)
}
