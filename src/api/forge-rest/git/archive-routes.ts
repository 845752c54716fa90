/** A commit's files as one archive: a tarball or a zip. */
import { pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { notFound } from '../../../forge/failures.ts'
import type { Archives } from '../../../forge/git/read/archives.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import { isObjectId } from '../../../forge/git/ref-name.ts'
import type { Serving } from '../../../forge/git/serve/serving.ts'
import { readable } from '../doors.ts'
import { type Route, route } from '../route.ts'
import { placesOf } from './present-git.ts'

const read = { door: readable, permission: 'contents=read' } as const

const formats = { tarball: 'tar.gz', zipball: 'zip' } as const

/**
 * Defaults to the default branch. Redirects to the commit's hash, so that a push meanwhile does not change what is
 * downloaded.
 */
const redirection = (
  reading: GitReading,
  word: keyof typeof formats,
  end: '' | '/*',
  id: string,
  summary: string,
): Route =>
  route(`GET /repos/:owner/:repo/${word}${end}`, {
    ...read,
    id,
    summary,
    async handle({ target, params, view }) {
      const name = params['*']?.replace(/^refs\//, '')
      const sha = await reading.resolve(target, name || target.defaultBranch)
      if (!sha) throw notFound()
      const location = `${placesOf(target, view).url}/archive/${sha}.${formats[word]}`
      return { status: 302, headers: { location } }
    },
  })

type Needs = {
  archives: Archives
  reading: GitReading
  serving: Serving
}

export const archiveRoutes = ({ archives, reading, serving }: Needs): readonly Route[] => [
  redirection(
    reading,
    'tarball',
    '',
    'download-the-default-archive-tar',
    'Redirects to the tarball of the default branch.',
  ),
  redirection(
    reading,
    'zipball',
    '',
    'download-the-default-archive-zip',
    'Redirects to the zip of the default branch.',
  ),
  redirection(
    reading,
    'tarball',
    '/*',
    'download-a-repository-archive-tar',
    'Redirects to the tarball of a branch, tag or commit.',
  ),
  redirection(
    reading,
    'zipball',
    '/*',
    'download-a-repository-archive-zip',
    'Redirects to the zip of a branch, a tag or a commit.',
  ),
  route('GET /repos/:owner/:repo/archive/:file', {
    ...read,
    id: 'get-an-archive',
    summary: 'A commit’s files, as `{sha}.tar.gz` or `{sha}.zip`.',
    async handle({ target, params }) {
      const [, sha = '', ending] = /^([0-9a-f]{40})\.(tar\.gz|zip)$/.exec(params.file) ?? []
      if (!isObjectId(sha) || (await reading.resolve(target, sha)) !== sha) throw notFound()
      const prefix = `${target.owner.login}-${target.name}-${sha.slice(0, 7)}`
      await archives.demandFit(target, sha)
      const bytes = async () => {
        const plain = await serving.archive(target, sha, ending === 'zip' ? 'zip' : 'tar', prefix)
        // Each ends when the other does: git must not wait for a client that has disconnected.
        return ending === 'zip' ? plain : pipeline(plain, createGzip(), () => {})
      }
      const headers = { 'content-disposition': `attachment; filename=${prefix}.${ending}` }
      return { status: 200, headers, raw: { type: ending === 'zip' ? 'application/zip' : 'application/x-gzip', bytes } }
    },
  }),
]
