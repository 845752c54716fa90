/** Which data set a word of the command line means: an id, `username~name`, `~name`, or just the name of one's own. */
import { OperatorError } from '../../base/failure.ts'
import { adviseToken } from '../remote.ts'
import { type Remote, refusalOf } from './server.ts'

export type RemoteIndex = { readonly field: string; readonly itemCount: number; readonly storageBytes: number }

/** A data set as the server shows it. */
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

export async function findDataset(remote: Remote, word: string): Promise<RemoteDataset> {
  const direct = await remote.send('GET', pathOf(word))
  if (direct.ok) return readDataset(direct)
  if (direct.status !== 404 || word.includes('~')) throw await refusalOf(direct)
  const own = await remote.send('GET', pathOf(`~${word}`))
  if (own.ok) return readDataset(own)
  if (!remote.hasToken)
    throw new OperatorError(
      `There is no data set with the id ${word} that anyone may read, and none is yours: there is no token, so ${adviseToken(remote.base)}`,
    )
  throw new OperatorError(
    `There is no data set with the id ${word}, and none of yours has this name: write ~${word} to push into a new one, or see dataset list.`,
  )
}

/** What the server knows it by; only a bare name has to be looked up. */
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

/** The same, and makes one of the caller's own where `~name` is not there yet. */
export async function findOrMakeDataset(remote: Remote, word: string): Promise<RemoteDataset> {
  if (!word.startsWith('~')) return findDataset(remote, word)
  const made = await remote.send('POST', `/datasets?name=${encodeURIComponent(word.slice(1))}`)
  if (!made.ok) throw await refusalOf(made)
  return readDataset(made)
}

const readDataset = async (response: Response): Promise<RemoteDataset> =>
  ((await response.json()) as { data: RemoteDataset }).data
