/** Files and folders by their paths. */

import type { OpenRepository } from '../../../forge/access/repository.ts'
import { notFound } from '../../../forge/failures.ts'
import type { Content, File, Folder } from '../../../forge/git/contents.ts'
import { pathBytes } from '../../../forge/git/path-text.ts'
import { type Answer, ok, rawFile } from '../answer.ts'
import { readable } from '../doors.ts'
import { type Call, type Route, route } from '../route.ts'
import { maxHeldBytes, sendFile } from './large-files.ts'
import { presentContent, wrapBase64 } from './present-git.ts'

const read = { door: readable, permission: 'contents=read' } as const

type RepositoryCall = Call<OpenRepository>

/** The commit that is looked at, and the name for it that links keep. */
type Revision = { readonly sha: string; readonly ref: string }

async function openRevision({ forge, target, query }: RepositoryCall): Promise<Revision> {
  const ref = query.text('ref') ?? target.defaultBranch
  const sha = await forge.reading.resolve(target, ref)
  if (!sha) throw notFound()
  return { sha, ref }
}

const types = { file: 'file', folder: 'dir', symlink: 'symlink', submodule: 'submodule' } as const

const isRaw = (accept: string): boolean => /\.raw\b/.test(accept)

function showFolder({ target, view, accept }: RepositoryCall, { path, sha, entries }: Folder, ref: string): Answer {
  const shown = entries.map((entry) => presentContent(target, { ...entry, type: types[entry.kind] }, ref, view))
  if (!/\.object\b/.test(accept)) return ok(shown)
  return ok({ ...presentContent(target, { path, sha, type: 'dir', size: 0 }, ref, view), entries: shown })
}

/** The bytes of a large file come only by the raw media type. */
async function showFile(call: RepositoryCall, file: File, ref: string, accept = call.accept): Promise<Answer> {
  const { forge, target, view } = call
  if (isRaw(accept)) return sendFile(call, file)
  const shown = presentContent(target, { ...file, type: 'file' }, ref, view)
  if (file.size > maxHeldBytes) return ok({ ...shown, content: '', encoding: 'none' })
  return ok({ ...shown, content: wrapBase64(await forge.reading.blob(target, file.sha)), encoding: 'base64' })
}

function show(call: RepositoryCall, found: Content, ref: string, accept: string): Answer | Promise<Answer> {
  const { target, view } = call
  switch (found.kind) {
    case 'folder':
      return showFolder(call, found, ref)
    case 'file':
      return showFile(call, found, ref, accept)
    case 'symlink':
      if (isRaw(accept)) return rawFile(pathBytes(found.target))
      return ok({ ...presentContent(target, { ...found, type: 'symlink' }, ref, view), target: found.target })
    case 'submodule': {
      const shown = presentContent(target, { ...found, type: 'submodule', size: 0 }, ref, view)
      return ok({ ...shown, submodule_git_url: found.url ?? null })
    }
  }
}

async function showPath(call: RepositoryCall, path: string, accept = call.accept): Promise<Answer> {
  const { sha, ref } = await openRevision(call)
  return show(call, await call.forge.contents.find(call.target, sha, path), ref, accept)
}

async function showReadme(call: RepositoryCall, folder: string): Promise<Answer> {
  const { sha, ref } = await openRevision(call)
  return showFile(call, await call.forge.contents.findReadme(call.target, sha, folder), ref)
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
