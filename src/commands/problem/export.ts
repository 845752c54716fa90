/** `export`: downloads a data set of a running server into a file, in any format. */

import { findUnknown, itemParameters } from '../../datasets/query/parameters.ts'
import { OperatorError } from '../../lib/failure.ts'
import { defineCommand } from '../command-line/command.ts'
import { remoteOptions } from '../command-line/remote.ts'
import { addressOf, datasetNote } from '../dataset/address.ts'
import { downloadItems, type Target } from '../dataset/download.ts'
import { writeFileWhole } from '../dataset/output-file.ts'
import { describeBytes, makeProgress } from '../dataset/progress.ts'
import { remoteOf } from '../dataset/server.ts'

export const exportItems = defineCommand({
  name: 'export',
  summary: 'Exports the items of a data set to a file.',
  words: ['DATASET'],
  options: {
    ...remoteOptions,
    format: {
      type: 'string',
      hint: 'FORMAT',
      sentence: 'json (default), jsonl, csv, xlsx, html, xml, rss, parquet or arrow.',
    },
    output: {
      type: 'string',
      hint: 'FILE',
      sentence: 'The file to write once the export is complete; the standard output by default.',
    },
    query: {
      type: 'string',
      hint: 'QUERY',
      sentence: 'More parameters, as in an address: sort=-year&distinct=title&clean=1 (see docs/datasets.md).',
    },
  },
  notes: [datasetNote, 'json, jsonl and csv go on by themselves where a connection broke.'],
  async run({ words: [word = ''], options: { output, ...options }, environment }) {
    const remote = remoteOf(options, environment)
    const query = new URLSearchParams(options.query ?? '')
    if (options.format) query.set('format', options.format)
    demandKnown(query)
    const id = await addressOf(remote, word)
    const progressOf = (items: number) => makeProgress(process.stderr, 'exported', items)
    const download = (target: Target) => downloadItems(remote, id, query, target, progressOf)
    const { items, bytes, notes, progress } = await (output
      ? writeFileWhole(output, download)
      : download({ write: writeOut }))
    progress.end(`${items.toLocaleString('en')} items, ${describeBytes(bytes)}${output ? `, in ${output}` : ''}.`)
    for (const note of notes) process.stderr.write(`${note}\n`)
  },
})

/** The server would ignore unknown parameters. */
function demandKnown(query: URLSearchParams): void {
  const unknown = findUnknown(query.keys(), itemParameters)
  if (unknown.length === 0) return
  const told = unknown.map(({ name, nearest }) => (nearest ? `${name} (did you mean ${nearest}?)` : name))
  throw new OperatorError(`--query has what no export knows: ${told.join(', ')}.`)
}

const writeOut = (bytes: Uint8Array) =>
  new Promise<void>((resolve, reject) => process.stdout.write(bytes, (error) => (error ? reject(error) : resolve())))
