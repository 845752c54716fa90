/** Resolves a data set named on the command line: an id, `username~name`, `~name`, or the bare name of one's own. */
import { OperatorError } from '../../lib/failure.ts'
import { adviseToken } from '../command-line/remote.ts'
import { type Remote, refusalOf } from './server.ts'

export type RemoteIndex = { readonly field: string; readonly itemCount: number; readonly storageBytes: number }

/** A data set as the server's API shows it. */
export type RemoteDataset = {
  readonly id: string
  readonly name: string | null
  readonly title: string | null
  readonly username: string
  readonly createdAt: string
  readonly modifiedAt: string
  readonly accessedAt: string
  readonly itemCount: number
  readonly cleanItemCount: number
  readonly generalAccess: string
  readonly fields?: readonly string[]
  readonly indexes?: readonly RemoteIndex[]
  readonly consoleUrl: string
  readonly stats: { readonly readCount: number; readonly writeCount: number; readonly storageBytes: number }
}

export const datasetNote =
  'DATASET is an id, the name of one of your own (~name says so beyond doubt), or username~name.'

export const pathOf = (address: string) => `/datasets/${encodeURIComponent(address)}`

/** `isTarget`: items will be put into it, so the caller may want to make it. */
export async function findDataset(remote: Remote, word: string, isTarget = false): Promise<RemoteDataset> {
  const direct = await remote.send('GET', pathOf(word))
  if (direct.ok) return readDataset(direct)
  if (direct.status !== 404 || word.includes('~')) throw await refusalAbout(remote, word, direct, isTarget)
  const own = await remote.send('GET', pathOf(`~${word}`))
  if (own.ok) return readDataset(own)
  throw describeMissing(remote, word, isTarget)
}

/** The error of a refused request about a data set; if it does not exist, with the next step. */
export const refusalAbout = async (remote: Remote, word: string, answer: Response, isTarget = false) =>
  answer.status === 404 ? describeMissing(remote, word, isTarget) : refusalOf(answer)

function describeMissing(remote: Remote, word: string, isTarget: boolean): OperatorError {
  const [owner = '', name] = word.split('~')
  const what = name === undefined ? `with the id ${word}` : `named ${name} of ${owner || 'yours'}`
  if (!remote.hasToken)
    return new OperatorError(
      `There is no data set ${what} that anyone may read, and none is yours: there is no token, so ${adviseToken(remote.base)}`,
    )
  const others = name === undefined ? ', and none of yours has this name' : owner ? ' that you may read' : ''
  const next = isTarget ? `write ~${name ?? word} to push into a new one, or see dataset list.` : 'see dataset list.'
  return new OperatorError(`There is no data set ${what}${others}: ${next}`)
}

/** The address for the server; only a bare name has to be looked up. */
export async function addressOf(remote: Remote, word: string): Promise<string> {
  return word.includes('~') || /^[A-Za-z0-9]{17}$/.test(word) ? word : (await findDataset(remote, word)).id
}

const pageSize = 1_000

export async function* listDatasets(remote: Remote, unnamed: boolean): AsyncGenerator<RemoteDataset> {
  for (let offset = 0; ; offset += pageSize) {
    const page = await remote.send('GET', `/datasets?offset=${offset}&limit=${pageSize}&unnamed=${unnamed}`)
    if (!page.ok) throw await refusalOf(page)
    const { data } = (await page.json()) as { data: { items: RemoteDataset[] } }
    yield* data.items
    if (data.items.length < pageSize) return
  }
}

/** The same; makes a data set of the caller's own if `~name` does not exist yet. */
export async function findOrMakeDataset(remote: Remote, word: string): Promise<RemoteDataset> {
  if (!word.startsWith('~')) return findDataset(remote, word, true)
  const made = await remote.send('POST', `/datasets?name=${encodeURIComponent(word.slice(1))}`)
  if (!made.ok) throw await refusalOf(made)
  return readDataset(made)
}

const readDataset = async (response: Response): Promise<RemoteDataset> =>
  ((await response.json()) as { data: RemoteDataset }).data
