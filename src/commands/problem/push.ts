/** `push`: pushes the items of a file into a data set of a running server. */
import { basename } from 'node:path'
import type { CsvOptions } from '../../datasets/items/csv-reading.ts'
import { OperatorError } from '../../lib/failure.ts'
import { plural } from '../../lib/text/plural.ts'
import { defineCommand } from '../command-line/command.ts'
import { remoteOptions } from '../command-line/remote.ts'
import { datasetNote, findDataset, findOrMakeDataset } from '../dataset/address.ts'
import { makeProgress } from '../dataset/progress.ts'
import { readItems } from '../dataset/read-items.ts'
import { remoteOf } from '../dataset/server.ts'
import { guessFormat, openSource } from '../dataset/source.ts'
import { uploadItems } from '../dataset/upload.ts'

export const push = defineCommand({
  name: 'push',
  summary: 'Pushes the items of a file (JSON lines, one JSON array, or CSV) into a data set.',
  words: ['DATASET', 'FILE'],
  options: {
    ...remoteOptions,
    format: {
      type: 'string',
      hint: 'FORMAT',
      sentence: 'json (lines or one array), csv or tsv; else by the file’s name.',
    },
    delimiter: {
      type: 'string',
      hint: 'CHARACTER',
      sentence: 'The separator between the cells of CSV; a comma by default.',
    },
    'guess-types': { type: 'boolean', sentence: 'CSV: convert texts that look like numbers, true, false or nothing.' },
    again: { type: 'boolean', sentence: 'Store the items again even if this file was pushed before.' },
  },
  notes: [
    `${datasetNote} ~name is made where it is not there.`,
    'FILE may be - for the standard input, and packed by gzip or zstd. A file that is pushed again, as after an error, is stored once.',
  ],
  async run({ words: [word = '', file = ''], options, environment }) {
    const remote = remoteOf(options, environment)
    const csv = readCsvOptions(options, file)
    const source = await openSource(file)
    const given = word.startsWith('~') ? undefined : (await findDataset(remote, word, true)).id
    const dataset = given ?? (async () => (await findOrMakeDataset(remote, word)).id)
    const progress = makeProgress(process.stderr, 'pushed')
    const keyBase = file === '-' || options.again ? null : basename(file)
    const plan = { dataset, name: source.name, keyBase, fraction: source.fraction }
    const { items, storedBefore } = await uploadItems(remote, plan, readItems(source.bytes, source.name, csv), progress)
    const { itemCount } = await (given === undefined ? findOrMakeDataset(remote, word) : findDataset(remote, given))
    const count = (number: number) => number.toLocaleString('en')
    const before =
      storedBefore > 0 ? ` (${count(storedBefore)} more had been stored before; --again stores them once more)` : ''
    progress.end(
      `${plural(items - storedBefore, 'item')} ${items - storedBefore === 1 ? 'was' : 'were'} pushed into ${word}${before}, which has ${count(itemCount)} now.`,
    )
  },
})

type Given = { readonly format?: string; readonly delimiter?: string; readonly 'guess-types'?: boolean }

function readCsvOptions(
  { format, delimiter, 'guess-types': guessTypes = false }: Given,
  file: string,
): CsvOptions | null {
  if (format !== undefined && !['json', 'csv', 'tsv'].includes(format))
    throw new OperatorError('--format is json, csv or tsv.')
  const chosen = format ?? guessFormat(file)
  if (chosen === 'json') {
    if (delimiter !== undefined || guessTypes)
      throw new OperatorError('--delimiter and --guess-types are for CSV: say --format csv.')
    return null
  }
  if (delimiter !== undefined && ([...delimiter].length !== 1 || /["\r\n]/.test(delimiter)))
    throw new OperatorError('--delimiter is one character, and neither a quote nor a line break.')
  const isAssumed = delimiter === undefined && chosen === 'csv'
  return { delimiter: delimiter ?? (chosen === 'tsv' ? '\t' : ','), isAssumed, guessTypes }
}
