/** The data sets' interface as a browser calls it, with the session's cookie. */
import { Fault, unreachable } from './fault.ts'
import { upload } from './upload.ts'

export type Dataset = {
  readonly id: string
  readonly name: string | null
  readonly title?: string | null
  readonly username: string
  readonly createdAt: string
  readonly modifiedAt: string
  readonly itemCount: number
  readonly cleanItemCount: number
  readonly fields: readonly string[]
  readonly generalAccess: string
  readonly itemsPublicUrl?: string
  readonly urlSigningSecretKey?: string
  readonly schema?: unknown
  readonly stats?: { readonly storageBytes?: number }
}

export type FieldStatistics = {
  readonly min?: number
  readonly max?: number
  readonly nullCount?: number
  readonly emptyCount?: number
}

type Failure = { readonly error?: { readonly type: string; readonly message: string; readonly data?: unknown } }

async function ask(path: string, options: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(`/v2${path}`, options)
  } catch {
    throw unreachable()
  }
  if (response.ok) return response
  throw toFault(response.status, await response.text())
}

function toFault(status: number, text: string): Fault {
  try {
    const { error } = JSON.parse(text) as Failure
    if (error) return new Fault(status, error.message, error.data)
  } catch {}
  return new Fault(status, `The server answered ${status}. Try again in a moment.`)
}

const read = async <T>(path: string, options?: RequestInit): Promise<T> =>
  ((await (await ask(path, options)).json()) as { data: T }).data

export const listDatasets = (offset: number, limit: number) =>
  read<{ total: number; items: readonly Dataset[] }>(`/datasets?offset=${offset}&limit=${limit}&unnamed=1&desc=1`)

/** One's own, by words of their names and titles. */
export const findDatasets = (text: string, limit: number) =>
  read<{ items: readonly Dataset[] }>(`/datasets?search=${encodeURIComponent(text)}&limit=${limit}`)

export const readDataset = (id: string) => read<Dataset>(`/datasets/${encodeURIComponent(id)}`)

export const makeDataset = (name: string) =>
  read<Dataset>(`/datasets?name=${encodeURIComponent(name)}`, { method: 'POST' })

export const changeDataset = (id: string, change: object) =>
  read<Dataset>(`/datasets/${encodeURIComponent(id)}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  })

export async function deleteDataset(id: string): Promise<void> {
  await ask(`/datasets/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

export const readStatistics = (id: string) =>
  read<{ fieldStatistics: Readonly<Record<string, FieldStatistics>> }>(`/datasets/${encodeURIComponent(id)}/statistics`)

export type Items = { readonly items: readonly Record<string, unknown>[]; readonly total: number }

export async function readItems(id: string, query: URLSearchParams): Promise<Items> {
  const response = await ask(`/datasets/${encodeURIComponent(id)}/items?${query}`)
  return {
    items: (await response.json()) as Record<string, unknown>[],
    total: Number(response.headers.get('x-data-pagination-total') ?? 0),
  }
}

/** JSON: one object or an array of them. */
export async function pushItems(id: string, body: string, onProgress?: (part: number) => void): Promise<void> {
  const url = `/v2/datasets/${encodeURIComponent(id)}/items`
  const { status, text } = await upload({ url, type: 'application/json', body, ...(onProgress && { onProgress }) })
  if (status !== 201) throw toFault(status, text)
}
