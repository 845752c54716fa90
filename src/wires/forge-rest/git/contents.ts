/** Files and folders by their paths. */
import { isUtf8 } from 'node:buffer'
import { Failure } from '../../../base/failure.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { notFound } from '../../../forge/failures.ts'
import type { Content, File, Folder } from '../../../forge/git/contents.ts'
import { pathBytes } from '../../../forge/git/path-text.ts'
import { type Answer, ok, raw, rawFile } from '../answer.ts'
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

/** `application/vnd.github.html`, and the same of the platform. */
const isHtml = (accept: string): boolean => /\bapplication\/vnd\.(?:platform|github)(?:\.v\d)?\.html\b/i.test(accept)

const markdownName = /\.(?:md|markdown|mdown|mkdn?)$/i
/** Longer ones, and what is no text, are shown by their bytes alone. */
const maxShownBytes = 1024 * 1024

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
  if (isHtml(accept)) return showAsHtml(call, file)
  const shown = presentContent(target, { ...file, type: 'file' }, ref, view)
  if (file.size > maxHeldBytes) return ok({ ...shown, content: '', encoding: 'none' })
  return ok({ ...shown, content: wrapBase64(await forge.reading.blob(target, file.sha)), encoding: 'base64' })
}

/** Markdown is rendered, other text stands as it is; the same sanitiser and headers as for what people write elsewhere. */
async function showAsHtml({ forge, target, caller, view }: RepositoryCall, file: File): Promise<Answer> {
  const bytes = file.size > maxShownBytes ? undefined : await forge.reading.blob(target, file.sha)
  if (!bytes || !isUtf8(bytes))
    throw new Failure('invalid', 'not-text', 'Only text of a mebibyte at most is shown as HTML: ask for its raw form.')
  const text = bytes.toString()
  const isMarkdown = markdownName.test(file.path)
  const place = { origin: view.origin, breaks: false, repository: `${target.owner.login}/${target.name}` }
  const [rendered] = isMarkdown ? await forge.renderer.render(caller.key, [text], ['html'], place) : []
  const inner = rendered
    ? `<article class="markdown-body">${rendered.html}</article>`
    : `<pre>${escapeHtml(text)}</pre>`
  return raw('text/html; charset=utf-8', Buffer.from(`<div id="file">${inner}</div>`))
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character]!)

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
      'A file with its bytes (as they are with `…raw`, for people with `…html`), or a folder with its entries (as one object with `…object`).',
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
    summary: 'The README of the root folder; rendered with `…html`.',
    handle: (call) => showReadme(call, ''),
  }),
  route('GET /repos/:owner/:repo/readme/*', {
    ...read,
    id: 'get-a-repository-readme-for-a-directory',
    summary: 'The README of a folder.',
    handle: (call) => showReadme(call, call.params['*']),
  }),
]
