/** Moves packages between this machine and a server: a folder is zipped, a zip is sent as it is. */
import { readFile, stat } from 'node:fs/promises'
import { defaultLimits } from '../../judge/limits.ts'
import { openPackage } from '../../judge/packages/package-files.ts'
import { OperatorError } from '../../lib/failure.ts'
import { ZipFrame } from '../../lib/zip/zip-frame.ts'
import type { JudgeServer } from './server.ts'

export type Brought = {
  readonly UUID: string
  readonly DisplayName: string
  readonly TestCaseCount: number
  readonly FileCount: number
  readonly NoteList: readonly string[]
}

/** The server has its own bounds; these keep a wrong folder from being read. */
const limits = { ...defaultLimits, testTextBytes: 256 * 1024 * 1024 }

const plainMode = 0o644

export async function readPackage(path: string): Promise<Buffer> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new OperatorError(`There is nothing at ${path}.`)
  if (!found.isDirectory()) return readFile(path)
  const files = await openPackage(path, limits)
  const frame = new ZipFrame()
  const parts: Buffer[] = []
  // With a mode it is a Unix archive, in whose names a backslash is an ordinary character.
  for (const one of files.paths) parts.push(frame.add(one, await files.read(one), plainMode))
  return Buffer.concat([...parts, frame.finish()])
}

/** `query`: settings that override the package's, such as held=true. */
export async function bringPackage({ server }: JudgeServer, zip: Buffer, query: URLSearchParams): Promise<Brought> {
  const headers = { 'content-type': 'application/zip' }
  const response = await server.send('POST', `/-/judge/problems?${query}`, { headers, body: zip })
  if (response.status !== 201) throw await refusalOf(response)
  return (await response.json()) as Brought
}

export async function fetchPackage(
  { server }: JudgeServer,
  uuid: string,
  format = '2025-09',
): Promise<{ name: string; response: Response }> {
  const response = await server.send('GET', `/-/judge/problems/${uuid}/package?format=${encodeURIComponent(format)}`)
  if (!response.ok) throw await refusalOf(response)
  const [, name = 'problem.zip'] = /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
  return { name, response }
}

/** The facts about the problem that a package of this format cannot state. */
export async function listLosses({ server }: JudgeServer, uuid: string, format: string): Promise<string[]> {
  const query = `format=${encodeURIComponent(format)}`
  const response = await server.send('GET', `/-/judge/problems/${uuid}/package/losses?${query}`)
  if (!response.ok) throw await refusalOf(response)
  return ((await response.json()) as { NoteList: string[] }).NoteList
}

/** The paths of the files that a problem keeps. */
export async function listFiles({ server }: JudgeServer, uuid: string): Promise<string[]> {
  const response = await server.send('GET', `/-/judge/problems/${uuid}/files`)
  if (!response.ok) throw await refusalOf(response)
  const { ProblemFileList } = (await response.json()) as { ProblemFileList: { Path: string }[] }
  return ProblemFileList.map(({ Path }) => Path)
}

export async function fetchFile({ server }: JudgeServer, uuid: string, path: string): Promise<Buffer> {
  const address = path.split('/').map(encodeURIComponent).join('/')
  const response = await server.send('GET', `/-/judge/problems/${uuid}/files/${address}`)
  if (!response.ok) throw await refusalOf(response)
  return Buffer.from(await response.arrayBuffer())
}

async function refusalOf(response: Response): Promise<OperatorError> {
  const text = await response.text()
  try {
    const { message } = JSON.parse(text) as { message?: string }
    if (message) return new OperatorError(message)
  } catch {
    // The error below says it.
  }
  return new OperatorError(
    `The server answered ${response.status}, but not as Guildhall does: say with --server where it is.`,
  )
}
