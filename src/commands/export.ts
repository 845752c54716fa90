/** `export`: downloads a data set of a running server into a file, in any format. */
import { open } from 'node:fs/promises'
import { OperatorError } from '../base/failure.ts'
import { defineCommand } from './command.ts'
import { downloadItems, fileTarget, type Target } from './dataset/download.ts'
import { describeBytes, makeProgress } from './dataset/progress.ts'
import { makeRemote, remoteOptions } from './dataset/server.ts'

export const exportItems = defineCommand({
  name: 'export',
  summary: 'Takes the items of a data set out into a file.',
  words: ['DATASET'],
  options: {
    ...remoteOptions,
    format: { type: 'string', hint: 'FORMAT', sentence: 'json (unless said), jsonl, csv, xlsx, html, xml or rss.' },
    output: { type: 'string', hint: 'FILE', sentence: 'Where to write; the standard output unless said.' },
    query: {
      type: 'string',
      hint: 'QUERY',
      sentence: 'More parameters, as in an address: clean=1&fields=title,year (see docs/datasets.md).',
    },
  },
  notes: ['json, jsonl and csv go on by themselves where a connection broke.'],
  async run({ words: [dataset = ''], options, environment }) {
    const remote = makeRemote(
      options.server ?? environment.GUILDHALL_SERVER,
      options.token ?? environment.GUILDHALL_TOKEN,
    )
    const query = new URLSearchParams(options.query ?? '')
    if (options.format) query.set('format', options.format)
    const file = options.output === undefined ? undefined : await openFile(options.output)
    const target: Target = file ? fileTarget(file) : { write: writeOut }
    try {
      const progressOf = (items: number) => makeProgress(process.stderr, 'exported', items)
      const { items, bytes, progress } = await downloadItems(remote, dataset, query, target, progressOf)
      progress.end(
        `${items.toLocaleString('en')} items, ${describeBytes(bytes)}${file ? `, in ${options.output}` : ''}.`,
      )
    } finally {
      await file?.close()
    }
  },
})

const writeOut = (bytes: Uint8Array) =>
  new Promise<void>((resolve, reject) => process.stdout.write(bytes, (error) => (error ? reject(error) : resolve())))

async function openFile(path: string) {
  try {
    return await open(path, 'w')
  } catch (error) {
    throw new OperatorError(`${path} can't be written (${(error as NodeJS.ErrnoException).code}).`)
  }
}
