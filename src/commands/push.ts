/** `push`: pushes the items of a file into a data set of a running server. */
import { createReadStream } from 'node:fs'
import { OperatorError } from '../base/failure.ts'
import { defineCommand } from './command.ts'
import { makeProgress } from './dataset/progress.ts'
import { makeRemote, type Remote, refusalOf, remoteOptions } from './dataset/server.ts'
import { uploadItems } from './dataset/upload.ts'

export const push = defineCommand({
  name: 'push',
  summary: 'Pushes the items of a file (JSON lines, or one JSON array) into a data set.',
  words: ['DATASET', 'FILE'],
  options: remoteOptions,
  notes: [
    'DATASET is an id, ~name for one of your own (made if there is none), or username~name. FILE may be - for the standard input.',
  ],
  async run({ words: [dataset = '', file = ''], options, environment }) {
    const remote = makeRemote(
      options.server ?? environment.GUILDHALL_SERVER,
      options.token ?? environment.GUILDHALL_TOKEN,
    )
    if (dataset.startsWith('~')) await makeWhereMissing(remote, dataset.slice(1))
    const source = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1 << 20 })
    const progress = makeProgress(process.stderr, 'pushed')
    const { items } = await uploadItems(remote, dataset, readable(source, file), progress)
    progress.end(`${items.toLocaleString('en')} items are in ${dataset}.`)
  },
})

async function makeWhereMissing(remote: Remote, name: string): Promise<void> {
  const response = await remote.send('POST', `/datasets?name=${encodeURIComponent(name)}`)
  if (!response.ok) throw await refusalOf(response)
}

async function* readable(source: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* source
  } catch (error) {
    throw new OperatorError(`${file} can't be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
