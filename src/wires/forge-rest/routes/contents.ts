/** Files and folders by their paths. */
import { notFound } from '../../../forge/faults.ts'
import type { TreeEntry } from '../../../forge/git/reading.ts'
import type { OpenRepository } from '../../../forge/repositories/repository.ts'
import { type Answer, ok, rawFile } from '../answer.ts'
import { presentContent, wrapBase64 } from '../present/git.ts'
import { type Call, type Route, repository, route } from '../route.ts'

const read = { door: repository('read'), permission: 'contents=read', method: 'GET' } as const

/** Above this the bytes come only by the raw media type. */
const maxInlineBytes = 1024 * 1024

type RepositoryCall = Call<OpenRepository>

/** The commit that is asked for, and the word for it that links keep. */
async function openRef({ forge, target, query }: RepositoryCall): Promise<{ sha: string; ref: string }> {
  const asked = query.text('ref')
  return { sha: await forge.reading.demandCommit(target, asked), ref: asked ?? target.defaultBranch }
}

/** No empty, `.` or `..` step, and nothing that would end a line. */
function demandPath(path: string): string {
  const steps = path.replace(/^\/+|\/+$/g, '').split('/')
  const isPlain = steps.every((step) => step !== '.' && step !== '..' && !/[\0\n]/.test(step))
  if (!isPlain || (steps.length > 1 && steps.includes(''))) throw notFound()
  return steps.join('/')
}

const kinds: Record<string, string> = { '120000': 'symlink', '160000': 'submodule', '040000': 'dir' }

const toEntry = (folder: string, { path, sha, mode, size }: TreeEntry) => ({
  path: folder ? `${folder}/${path}` : path,
  sha,
  type: kinds[mode] ?? 'file',
  size: size ?? 0,
})

async function showFolder({ forge, target, view }: RepositoryCall, tree: string, path: string, ref: string) {
  const entries = await forge.reading.tree(target, tree, false)
  return ok(entries.map((entry) => presentContent(target, toEntry(path, entry), ref, view)))
}

async function showFile(call: RepositoryCall, sha: string, path: string, ref: string, accept: string): Promise<Answer> {
  const { forge, target, view } = call
  const bytes = await forge.reading.blob(target, sha)
  if (/\.raw\b/.test(accept)) return rawFile(bytes)
  const content = presentContent(target, { path, sha, type: 'file', size: bytes.length }, ref, view)
  const isInline = bytes.length <= maxInlineBytes
  return ok({ ...content, content: isInline ? wrapBase64(bytes) : '', encoding: isInline ? 'base64' : 'none' })
}

async function showPath(call: RepositoryCall, given: string, accept = call.accept): Promise<Answer> {
  const { forge, target, view } = call
  const path = demandPath(given)
  const { sha, ref } = await openRef(call)
  if (path === '') return showFolder(call, sha, '', ref)
  const slash = path.lastIndexOf('/')
  const folder = await forge.reading.head(target, `${sha}:${path.slice(0, Math.max(0, slash))}`)
  if (folder?.type !== 'tree') throw notFound()
  const entries = await forge.reading.tree(target, folder.sha, false)
  const entry = entries.find((each) => each.path === path.slice(slash + 1))
  if (!entry) throw notFound()
  if (entry.type === 'tree') return showFolder(call, entry.sha, path, ref)
  if (entry.type === 'commit') {
    const submodule = { path, sha: entry.sha, type: 'submodule', size: 0 }
    return ok({ ...presentContent(target, submodule, ref, view), submodule_git_url: null })
  }
  return showFile(call, entry.sha, path, ref, accept)
}

export const contentRoutes: readonly Route[] = [
  route({
    ...read,
    path: '/repos/:owner/:repo/contents',
    id: 'get-the-root-folder',
    summary: 'What is in the root folder.',
    handle: (call) => showPath(call, ''),
  }),
  route({
    ...read,
    path: '/repos/:owner/:repo/contents/*',
    id: 'get-repository-content',
    summary: 'A file with its bytes, or a folder with its entries.',
    handle: (call) => showPath(call, call.params['*'] ?? ''),
  }),
  route({
    ...read,
    path: '/repos/:owner/:repo/raw/*',
    id: 'get-a-raw-file',
    summary: 'A file’s bytes as they are.',
    async handle(call) {
      const answer = await showPath(call, call.params['*'] ?? '', 'application/vnd.platform.raw')
      if (!answer.raw) throw notFound()
      return answer
    },
  }),
  route({
    ...read,
    path: '/repos/:owner/:repo/readme',
    id: 'get-a-repository-readme',
    summary: 'The README of the root folder.',
    async handle(call) {
      const { sha, ref } = await openRef(call)
      const entries = await call.forge.reading.tree(call.target, sha, false)
      const found = entries.find(({ path, type }) => type === 'blob' && /^readme(?:\.[a-z]+)?$/i.test(path))
      if (!found) throw notFound()
      return showFile(call, found.sha, found.path, ref, call.accept)
    },
  }),
]
