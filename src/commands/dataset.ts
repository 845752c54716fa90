/** `dataset list | info | index | delete | truncate | copy`: data sets of a running server. */
import { OperatorError } from '../lib/failure.ts'
import { plural } from '../lib/text/plural.ts'
import { alignColumns, showTime } from './command-line/columns.ts'
import { defineCommand } from './command-line/command.ts'
import { remoteOptions } from './command-line/remote.ts'
import {
  addressOf,
  datasetNote,
  findDataset,
  findOrMakeDataset,
  listDatasets,
  pathOf,
  type RemoteDataset,
  type RemoteIndex,
  refusalAbout,
} from './dataset/address.ts'
import { describeBytes, makeProgress } from './dataset/progress.ts'
import { readItems } from './dataset/read-items.ts'
import { type Remote, refusalOf, remoteOf } from './dataset/server.ts'
import { uploadItems } from './dataset/upload.ts'

const count = (number: number) => number.toLocaleString('en')

export const datasetList = defineCommand({
  name: 'dataset list',
  summary: 'Lists your data sets: items, size, last change.',
  options: {
    ...remoteOptions,
    unnamed: { type: 'boolean', sentence: 'Include data sets without a name.' },
  },
  async run({ options, environment }) {
    const rows: string[][] = []
    for await (const set of listDatasets(remoteOf(options, environment), options.unnamed ?? false))
      rows.push([set.name ?? '-', set.id, count(set.itemCount), describeSize(set), showTime(new Date(set.modifiedAt))])
    process.stdout.write(alignColumns(['NAME', 'ID', 'ITEMS', 'SIZE', 'CHANGED'], rows))
  },
})

const describeSize = ({ stats }: RemoteDataset) => describeBytes(stats.storageBytes)

export const datasetInfo = defineCommand({
  name: 'dataset info',
  summary: 'Shows a data set: counts, size, fields, who may read it.',
  words: ['DATASET'],
  options: remoteOptions,
  notes: [datasetNote],
  async run({ words: [word = ''], options, environment }) {
    const set = await findDataset(remoteOf(options, environment), word)
    const rows = [
      ['id', set.id],
      ['name', set.name ?? '-'],
      ['owner', set.username],
      ['items', `${count(set.itemCount)} (${count(set.cleanItemCount)} not hidden)`],
      ['size', describeSize(set)],
      ['fields', set.fields?.join(', ') || '-'],
      ['indexes', set.indexes?.map((index) => describeIndex(index, set)).join(', ') || '-'],
      ['access', set.generalAccess],
      ['created', showTime(new Date(set.createdAt))],
      ['changed', showTime(new Date(set.modifiedAt))],
      ['used', `${showTime(new Date(set.accessedAt))}, read ${count(set.stats.readCount)} times`],
      ['address', set.consoleUrl],
    ]
    process.stdout.write(alignColumns(['', ''], rows).replace(/^\n/, ''))
  },
})

const describeIndex = ({ field, itemCount, storageBytes }: RemoteIndex, { itemCount: all }: RemoteDataset) =>
  `${field} (${describeBytes(storageBytes)}${itemCount < all ? `, ${Math.floor((100 * itemCount) / all)} % of the items so far` : ''})`

export const datasetIndex = defineCommand({
  name: 'dataset index',
  summary: 'Sets which fields of a data set have an index, by which filter and sort look up.',
  words: ['DATASET', 'FIELDS'],
  options: remoteOptions,
  notes: [
    datasetNote,
    'FIELDS are up to 8 names or paths with commas between them (year,seller/name), or - for none. What is stored already is indexed in the background; dataset info tells how far it is.',
  ],
  async run({ words: [word = '', fields = ''], options, environment }) {
    const remote = remoteOf(options, environment)
    const address = await addressOf(remote, word)
    const indexes = fields === '-' ? [] : fields.split(/,(?=(?:[^`]*`[^`]*`)*[^`]*$)/)
    const answer = await remote.send('PUT', pathOf(address), { body: Buffer.from(JSON.stringify({ indexes })) })
    if (!answer.ok) throw await refusalAbout(remote, word, answer)
    const set = await findDataset(remote, address)
    const shown = set.indexes?.map((index) => describeIndex(index, set)).join(', ')
    process.stdout.write(shown ? `${word} has indexes on ${shown}.\n` : `${word} has no index.\n`)
  },
})

const yes = { type: 'boolean', sentence: 'Without it, the command only shows what would be deleted.' } as const

export const datasetDelete = defineCommand({
  name: 'dataset delete',
  summary: 'Deletes a data set with all its items.',
  words: ['DATASET'],
  options: { ...remoteOptions, yes },
  notes: [datasetNote],
  async run({ words: [word = ''], options, environment }) {
    const remote = remoteOf(options, environment)
    const set = await findDataset(remote, word)
    demandYes(options.yes, `would delete ${word} with its ${count(set.itemCount)} items`)
    await demandDone(remote, pathOf(set.id))
    process.stdout.write(`${word} is deleted, with ${count(set.itemCount)} items.\n`)
  },
})

export const datasetTruncate = defineCommand({
  name: 'dataset truncate',
  summary: 'Deletes all items of a data set, and keeps the data set itself.',
  words: ['DATASET'],
  options: { ...remoteOptions, yes },
  notes: [datasetNote],
  async run({ words: [word = ''], options, environment }) {
    const remote = remoteOf(options, environment)
    const set = await findDataset(remote, word)
    demandYes(options.yes, `would delete the ${plural(set.itemCount, 'item')} of ${word}`)
    await demandDone(remote, `${pathOf(set.id)}/items`)
    process.stdout.write(`${word} is empty; it had ${count(set.itemCount)} items.\n`)
  },
})

function demandYes(isSaid: boolean | undefined, what: string): void {
  if (!isSaid) throw new OperatorError(`This ${what}, for good: add --yes.`)
}

async function demandDone(remote: Remote, path: string): Promise<void> {
  const answer = await remote.send('DELETE', path)
  if (!answer.ok) throw await refusalOf(answer)
}

export const datasetCopy = defineCommand({
  name: 'dataset copy',
  summary: 'Copies the items of a data set, as they are now, to the end of another.',
  words: ['FROM', 'TO'],
  options: remoteOptions,
  notes: [datasetNote, 'TO may be ~name, which is made where it is not there. Items keep their order and every byte.'],
  async run({ words: [from = '', to = ''], options, environment }) {
    const remote = remoteOf(options, environment)
    const source = await addressOf(remote, from)
    const items = await remote.send('GET', `${pathOf(source)}/items?format=jsonl`)
    if (!items.ok) throw await refusalAbout(remote, from, items)
    const target = await findOrMakeDataset(remote, to)
    const plan = { dataset: target.id, name: from, keyBase: null }
    const progress = makeProgress(process.stderr, 'copied', Number(items.headers.get('x-data-pagination-count')))
    const done = await uploadItems(remote, plan, readItems(readBody(items), from, null), progress)
    progress.end(`${to} has ${plural(done.items, 'item')} of ${from}, too.`)
  },
})

async function* readBody({ body }: Response): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body ?? []) yield Buffer.from(chunk)
  } catch (error) {
    throw new OperatorError(`The items broke off (${(error as Error).message}).`)
  }
}
