/** Downloads a data set. If the page can be fixed, a broken download resumes with a range request. */
import { OperatorError } from '../../lib/failure.ts'
import { refusalAbout } from './address.ts'
import type { Progress } from './progress.ts'
import { type Remote, refusalOf } from './server.ts'

/** `notes`: what a table leaves out. */
export type Download = {
  readonly bytes: number
  readonly items: number
  readonly resumed: number
  readonly notes: readonly string[]
}

/** The target of the bytes: a file can be restarted, the standard output can't. */
export type Target = { write(bytes: Uint8Array): Promise<void>; restart?(): Promise<void> }

const maxTries = 5

export async function downloadItems(
  remote: Remote,
  dataset: string,
  query: URLSearchParams,
  target: Target,
  progressOf: (items: number) => Progress,
): Promise<Download & { progress: Progress }> {
  const head = await remote.send('HEAD', pathOf(dataset, query))
  if (!head.ok) throw await refusalAbout(remote, dataset, await remote.send('GET', pathOf(dataset, query)))
  const items = Number(head.headers.get('x-data-pagination-count'))
  const progress = progressOf(items)
  const fixed = fixPage(query, items)
  let bytes = 0
  let etag: string | null = null
  for (let attempt = 0; ; attempt++) {
    const headers: Record<string, string> = bytes > 0 && etag ? { range: `bytes=${bytes}-`, 'if-range': etag } : {}
    const response = await remote.send('GET', pathOf(dataset, fixed), { headers })
    if (!response.ok) throw await refusalOf(response)
    if (bytes > 0 && response.status !== 206) {
      if (!target.restart) throw new OperatorError('The download broke and can’t go on here: write it to a file.')
      await target.restart()
      bytes = 0
    }
    etag = response.headers.get('etag')
    try {
      for await (const chunk of response.body ?? []) {
        await target.write(chunk)
        bytes += chunk.length
        progress.show({ bytes })
      }
      return { bytes, items, resumed: attempt, notes: readNotes(head.headers), progress }
    } catch (error) {
      if (attempt + 1 >= maxTries)
        throw new OperatorError(`The download broke ${maxTries} times: ${(error as Error).message}.`)
    }
  }
}

/** Notes on data that, by the headers, is not in the file. */
function readNotes(headers: Headers): string[] {
  const [columns, cells] = [headers.get('x-data-dropped-columns'), headers.get('x-data-cut-cells')]
  return [
    ...(columns
      ? [`${columns} columns are left out: a table has 2,000 at most. Choose with fields or omit, or take jsonl.`]
      : []),
    ...(cells
      ? [`${cells} cells are cut at 32,767 characters, the most that a sheet holds. Take csv or jsonl for all.`]
      : []),
  ]
}

const pathOf = (dataset: string, query: URLSearchParams) => `/datasets/${encodeURIComponent(dataset)}/items?${query}`

/** With the number of items as its limit, the page does not change when items are pushed. */
function fixPage(query: URLSearchParams, items: number): URLSearchParams {
  const fixed = new URLSearchParams(query)
  if (items > 0 && !Number(query.get('limit') ?? 0)) fixed.set('limit', String(items))
  return fixed
}
