/** Files and folders by their paths. */
import { posix } from 'node:path'
import { notFound } from '../../../forge/faults.ts'
import type { TreeEntry } from '../../../forge/git/reading.ts'
import type { OpenRepository } from '../../../forge/repositories/repository.ts'
import { type Answer, ok, rawFile } from '../answer.ts'
import { repository } from '../doors.ts'
import { type Call, type Route, route } from '../route.ts'
import { maxHeldBytes, sendFile } from './large-files.ts'
import { presentContent, wrapBase64 } from './present-git.ts'

const read = { door: repository('read'), permission: 'contents=read' } as const

type RepositoryCall = Call<OpenRepository>

/** What is looked at: the commit, the word for it that links keep, and the media type that is asked for. */
type Look = { readonly sha: string; readonly ref: string; readonly accept: string }

async function open({ forge, target, query, accept }: RepositoryCall): Promise<Look> {
  const ref = query.text('ref') ?? target.defaultBranch
  const sha = await forge.reading.resolve(target, ref)
  if (!sha) throw notFound()
  return { sha, ref, accept }
}

/** No empty, `.` or `..` step, and nothing that would end a line. */
function demandPath(path: string): string {
  const steps = path.replace(/^\/+|\/+$/g, '').split('/')
  const isPlain = steps.every((step) => step !== '.' && step !== '..' && !/[\0\n]/.test(step))
  if (!isPlain || (steps.length > 1 && steps.includes(''))) throw notFound()
  return steps.join('/')
}

async function findEntry({ forge, target }: RepositoryCall, sha: string, path: string): Promise<TreeEntry | undefined> {
  const folder = posix.dirname(path)
  const found = await forge.reading.head(target, `${sha}:${folder === '.' ? '' : folder}`)
  if (found?.type !== 'tree') return undefined
  const entries = await forge.reading.tree(target, found.sha, false)
  return entries.find((each) => each.path === posix.basename(path))
}

const isLink = ({ mode }: TreeEntry): boolean => mode === '120000'

const kinds: Record<string, string> = { '120000': 'symlink', '160000': 'submodule', '040000': 'dir' }

const describe = (path: string, { sha, mode, size }: TreeEntry) => ({
  path,
  sha,
  type: kinds[mode] ?? 'file',
  size: size ?? 0,
})

async function showFolder({ forge, target, view }: RepositoryCall, { ref, accept }: Look, tree: string, path: string) {
  const entries = await forge.reading.tree(target, tree, false)
  const shown = entries.map((entry) => presentContent(target, describe(posix.join(path, entry.path), entry), ref, view))
  if (!/\.object\b/.test(accept)) return ok(shown)
  return ok({ ...presentContent(target, { path, sha: tree, type: 'dir', size: 0 }, ref, view), entries: shown })
}

/** The bytes of a large one come only by the raw media type. */
async function showFile(call: RepositoryCall, { ref, accept }: Look, path: string, entry: TreeEntry): Promise<Answer> {
  const { forge, target, view } = call
  const { sha, size = 0 } = entry
  if (/\.raw\b/.test(accept)) return sendFile(call, { sha, size })
  const file = presentContent(target, { path, sha, type: 'file', size }, ref, view)
  if (size > maxHeldBytes) return ok({ ...file, content: '', encoding: 'none' })
  return ok({ ...file, content: wrapBase64(await forge.reading.blob(target, sha)), encoding: 'base64' })
}

/** A link to a file of the repository is shown as that file, any other as itself. */
async function showLink(call: RepositoryCall, look: Look, path: string, entry: TreeEntry): Promise<Answer> {
  const { forge, target, view } = call
  const aim = (await forge.reading.blob(target, entry.sha)).toString('utf8')
  const aimed = posix.join(posix.dirname(path), aim)
  const isOutside = aim.startsWith('/') || aimed.startsWith('..') || /[\0\n]/.test(aim)
  const file = isOutside ? undefined : await findEntry(call, look.sha, aimed)
  if (file?.type === 'blob' && !isLink(file)) return showFile(call, look, path, file)
  if (/\.raw\b/.test(look.accept)) return rawFile(Buffer.from(aim))
  return ok({ ...presentContent(target, describe(path, entry), look.ref, view), target: aim })
}

async function showPath(call: RepositoryCall, given: string, accept = call.accept): Promise<Answer> {
  const { forge, target, view } = call
  const path = demandPath(given)
  const look = { ...(await open(call)), accept }
  if (path === '') {
    const root = await forge.reading.head(target, `${look.sha}^{tree}`)
    return showFolder(call, look, root!.sha, '')
  }
  const entry = await findEntry(call, look.sha, path)
  if (!entry) throw notFound()
  if (entry.type === 'tree') return showFolder(call, look, entry.sha, path)
  if (isLink(entry)) return showLink(call, look, path, entry)
  if (entry.type === 'blob') return showFile(call, look, path, entry)
  const url = (await forge.reading.submodules(target, look.sha)).get(path)
  return ok({ ...presentContent(target, describe(path, entry), look.ref, view), submodule_git_url: url || null })
}

async function showReadme(call: RepositoryCall, given: string): Promise<Answer> {
  const { forge, target } = call
  const folder = demandPath(given)
  const look = await open(call)
  const found = await forge.reading.head(target, `${look.sha}:${folder}`)
  if (found?.type !== 'tree') throw notFound()
  const entries = await forge.reading.tree(target, found.sha, false)
  const readme = entries.find(({ path, type }) => type === 'blob' && /^readme(?:\.[a-z]+)?$/i.test(path))
  if (!readme) throw notFound()
  return showFile(call, look, posix.join(folder, readme.path), readme)
}

export const contentRoutes: readonly Route[] = [
  route('GET /repos/:owner/:repo/contents', {
    ...read,
    id: 'get-the-root-folder',
    summary: 'What is in the root folder.',
    handle: (call) => showPath(call, ''),
  }),
  route('GET /repos/:owner/:repo/contents/*', {
    ...read,
    id: 'get-repository-content',
    summary:
      'A file with its bytes (as they are with `…raw`), or a folder with its entries (as one object with `…object`).',
    handle: (call) => showPath(call, call.params['*']),
  }),
  route('GET /repos/:owner/:repo/raw/*', {
    ...read,
    id: 'get-a-raw-file',
    summary: 'A file’s bytes as they are.',
    async handle(call) {
      const answer = await showPath(call, call.params['*'], 'application/vnd.platform.raw')
      if (!answer.raw) throw notFound()
      return answer
    },
  }),
  route('GET /repos/:owner/:repo/readme', {
    ...read,
    id: 'get-a-repository-readme',
    summary: 'The README of the root folder.',
    handle: (call) => showReadme(call, ''),
  }),
  route('GET /repos/:owner/:repo/readme/*', {
    ...read,
    id: 'get-a-repository-readme-for-a-directory',
    summary: 'The README of a folder.',
    handle: (call) => showReadme(call, call.params['*']),
  }),
]
