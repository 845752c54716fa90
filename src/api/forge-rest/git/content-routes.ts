/** Routes of files and folders, by path. */

import { isUtf8 } from 'node:buffer'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { CommitComments } from '../../../forge/commits/comments.ts'
import { notFound } from '../../../forge/failures.ts'
import type { Content, Contents, File, Folder } from '../../../forge/git/read/contents.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import type { LastCommits } from '../../../forge/git/read/last-commits.ts'
import { pathBytes } from '../../../forge/git/read/path-text.ts'
import type { Serving } from '../../../forge/git/serve/serving.ts'
import type { Verifications } from '../../../forge/keys/signing/verifications.ts'
import type { DocumentPlace } from '../../../forge/markup/render-context.ts'
import type { Renderer } from '../../../forge/markup/renderer.ts'
import type { People } from '../../../forge/people/people.ts'
import { Failure } from '../../../lib/failure.ts'
import { readable } from '../doors.ts'
import { list, ok, type RestAnswer, raw, rawFile } from '../rest-answer.ts'
import { type ForgeCall, type Route, route } from '../route.ts'
import { readCommitFacts } from './commit-routes.ts'
import { maxHeldBytes, sendFile } from './large-files.ts'
import { encodePath, presentCommit, presentContent, wrapBase64 } from './present-git.ts'
import { forBrowsers } from './raw-for-browsers.ts'

const read = { door: readable, permission: 'contents=read' } as const

type RepositoryCall = ForgeCall<OpenRepository>

type Needs = {
  commitComments: CommitComments
  contents: Contents
  lastCommits: LastCommits
  people: People
  reading: GitReading
  renderer: Renderer
  serving: Serving
  verifications: Verifications
}

/** The commit that is read, and the name for it that links keep. */
type Revision = { readonly sha: string; readonly ref: string }

async function openRevision(reading: GitReading, { target, query }: RepositoryCall): Promise<Revision> {
  const ref = query.text('ref') ?? target.defaultBranch
  const sha = await reading.resolve(target, ref)
  if (!sha) throw notFound()
  return { sha, ref }
}

const types = { file: 'file', folder: 'dir', symlink: 'symlink', submodule: 'submodule' } as const

/** `application/vnd.github.html`, and the platform's own type. */
const isHtml = (accept: string): boolean => /\bapplication\/vnd\.(?:platform|github)(?:\.v\d)?\.html\b/i.test(accept)

const markdownName = /\.(?:md|markdown|mdown|mkdn?)$/i
/** Longer files, and binary ones, are shown only as raw bytes. */
const maxShownBytes = 1024 * 1024

const isRaw = (accept: string): boolean => /\.raw\b/.test(accept)

function showFolder({ target, view, accept }: RepositoryCall, { path, sha, entries }: Folder, ref: string): RestAnswer {
  const shown = entries.map((entry) => presentContent(target, { ...entry, type: types[entry.kind] }, ref, view))
  if (!/\.object\b/.test(accept)) return ok(shown)
  return ok({ ...presentContent(target, { path, sha, type: 'dir', size: 0 }, ref, view), entries: shown })
}

/** A large file's bytes are sent only with the raw media type. */
async function showFile(
  needs: Needs,
  call: RepositoryCall,
  file: File,
  ref: string,
  accept = call.accept,
): Promise<RestAnswer> {
  const { target, view } = call
  if (isRaw(accept)) return sendFile(needs, call, file)
  if (isHtml(accept)) return showAsHtml(needs, call, file, ref)
  const shown = presentContent(target, { ...file, type: 'file' }, ref, view)
  if (file.size > maxHeldBytes) return ok({ ...shown, content: '', encoding: 'none' })
  return ok({ ...shown, content: wrapBase64(await needs.reading.blob(target, file.sha)), encoding: 'base64' })
}

/** Markdown is rendered, other text is shown as it is, with the sanitiser and headers of all user content. */
async function showAsHtml(
  { reading, renderer }: Needs,
  { target, caller, view }: RepositoryCall,
  file: File,
  ref: string,
): Promise<RestAnswer> {
  const bytes = file.size > maxShownBytes ? undefined : await reading.blob(target, file.sha)
  if (!bytes || !isUtf8(bytes))
    throw new Failure('invalid', 'not-text', 'Only text of up to 1 MiB is shown as HTML: ask for its raw form.')
  const text = bytes.toString()
  const isMarkdown = markdownName.test(file.path)
  const repository = `${target.owner.login}/${target.name}`
  const place = { origin: view.origin, breaks: false, repository, document: placeOf(repository, file.path, ref) }
  const [rendered] = isMarkdown ? await renderer.render(caller.key, [text], ['html'], place) : []
  const inner = rendered
    ? `<article class="markdown-body">${rendered.html}</article>`
    : `<pre>${escapeHtml(text)}</pre>`
  return raw('text/html; charset=utf-8', Buffer.from(`<div id="file">${inner}</div>`))
}

/** Addresses of pages have a branch's or a tag's bare name. */
const placeOf = (repository: string, path: string, ref: string): DocumentPlace => {
  const name = ref.replace(/^(?:refs\/)?(?:heads|tags)\//, '')
  return {
    folder: encodePath(path.slice(0, path.lastIndexOf('/') + 1)),
    pages: `/${repository}/blob/${encodePath(name)}/`,
    files: `/repos/${repository}/raw/`,
    filesQuery: `?ref=${encodeURIComponent(ref)}`,
  }
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character]!)

function show(
  needs: Needs,
  call: RepositoryCall,
  found: Content,
  ref: string,
  accept: string,
): RestAnswer | Promise<RestAnswer> {
  const { target, view } = call
  switch (found.kind) {
    case 'folder':
      return showFolder(call, found, ref)
    case 'file':
      return showFile(needs, call, found, ref, accept)
    case 'symlink':
      if (isRaw(accept)) return rawFile(pathBytes(found.target))
      return ok({ ...presentContent(target, { ...found, type: 'symlink' }, ref, view), target: found.target })
    case 'submodule': {
      const shown = presentContent(target, { ...found, type: 'submodule', size: 0 }, ref, view)
      return ok({ ...shown, submodule_git_url: found.url ?? null })
    }
  }
}

async function showPath(needs: Needs, call: RepositoryCall, path: string, accept = call.accept): Promise<RestAnswer> {
  const { sha, ref } = await openRevision(needs.reading, call)
  return show(needs, call, await needs.contents.find(call.target, sha, path), ref, accept)
}

async function showReadme(needs: Needs, call: RepositoryCall, folder: string): Promise<RestAnswer> {
  const { sha, ref } = await openRevision(needs.reading, call)
  return showFile(needs, call, await needs.contents.findReadme(call.target, sha, folder), ref)
}

/** The folder's entries, each with the newest commit that changed it; null if that is too far back. */
async function showLastCommits(needs: Needs, call: RepositoryCall, path: string): Promise<RestAnswer> {
  const { target, view, page } = call
  const { sha } = await openRevision(needs.reading, call)
  const entries = await needs.lastCommits.list(target, sha, path, page)
  const commits = entries.items.flatMap(({ commit }) => commit ?? [])
  const facts = await readCommitFacts(needs, target, commits)
  return list(entries, (entry) => ({
    path: entry.path,
    commit: entry.commit ? presentCommit(target, entry.commit, facts, view) : null,
  }))
}

/** As many as a folder's contents show. */
const wholeFolder = { usual: 1_000, most: 1_000 } as const

export const contentRoutes = (needs: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/contents', {
    ...read,
    id: 'get-the-root-folder',
    summary: 'Shows the contents of the root folder.',
    handle: (call) => showPath(needs, call, ''),
  }),
  route('GET /repos/:owner/:repo/contents/*', {
    ...read,
    id: 'get-repository-content',
    summary:
      'A file with its bytes (as they are with `…raw`, for people with `…html`), or a folder with its entries (as one object with `…object`).',
    handle: (call) => showPath(needs, call, call.params['*']),
  }),
  route('GET /repos/:owner/:repo/last-commits', {
    ...read,
    id: 'list-last-commits-of-the-root-folder',
    summary:
      'The root folder’s entries, each with the newest commit that changed it; null where that is very long ago.',
    pageSize: wholeFolder,
    handle: (call) => showLastCommits(needs, call, ''),
  }),
  route('GET /repos/:owner/:repo/last-commits/*', {
    ...read,
    id: 'list-last-commits-of-a-folder',
    summary: 'A folder’s entries, each with the newest commit that changed it.',
    pageSize: wholeFolder,
    handle: (call) => showLastCommits(needs, call, call.params['*']),
  }),
  route('GET /repos/:owner/:repo/raw/*', {
    ...read,
    id: 'get-a-raw-file',
    summary: 'The raw bytes of a file; browsers always show text as plain text.',
    async handle(call) {
      const answer = await showPath(needs, call, call.params['*'], 'application/vnd.platform.raw')
      if (!answer.raw) throw notFound()
      return forBrowsers(answer, call.params['*'], call.accept)
    },
  }),
  route('GET /repos/:owner/:repo/readme', {
    ...read,
    id: 'get-a-repository-readme',
    summary: 'The README of the root folder; rendered with `…html`.',
    handle: (call) => showReadme(needs, call, ''),
  }),
  route('GET /repos/:owner/:repo/readme/*', {
    ...read,
    id: 'get-a-repository-readme-for-a-directory',
    summary: 'The README of a folder.',
    handle: (call) => showReadme(needs, call, call.params['*']),
  }),
]
