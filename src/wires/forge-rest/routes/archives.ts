/** A commit's files as one: a tarball or a zip. */
import { createGzip } from 'node:zlib'
import { notFound } from '../../../forge/faults.ts'
import { isObjectId } from '../../../forge/git/ref-name.ts'
import type { OpenRepository } from '../../../forge/repositories/repository.ts'
import type { Answer } from '../answer.ts'
import { placesOf } from '../present/git.ts'
import { type Call, type Route, repository, route } from '../route.ts'

const read = { door: repository('read'), permission: 'contents=read', method: 'GET' } as const

/** By the commit's own name, so that what is fetched is what was asked for, whatever is pushed meanwhile. */
async function redirect({ forge, target, params, view }: Call<OpenRepository>, ending: string): Promise<Answer> {
  const name = params['*']?.replace(/^refs\//, '')
  const sha = await forge.reading.demandCommit(target, name || undefined)
  return { status: 302, headers: { location: `${placesOf(target, view).url}/archive/${sha}.${ending}` } }
}

export const archiveRoutes: readonly Route[] = [
  route({
    ...read,
    path: '/repos/:owner/:repo/tarball/*',
    id: 'download-a-repository-archive-tar',
    summary: 'Sends on to the tarball of a branch, a tag or a commit.',
    handle: (call) => redirect(call, 'tar.gz'),
  }),
  route({
    ...read,
    path: '/repos/:owner/:repo/zipball/*',
    id: 'download-a-repository-archive-zip',
    summary: 'Sends on to the zip of a branch, a tag or a commit.',
    handle: (call) => redirect(call, 'zip'),
  }),
  route({
    ...read,
    path: '/repos/:owner/:repo/archive/:file',
    id: 'get-an-archive',
    summary: 'A commit’s files, as `{sha}.tar.gz` or `{sha}.zip`.',
    async handle({ forge, target, params, signal }) {
      const [, sha = '', ending] = /^([0-9a-f]{40})\.(tar\.gz|zip)$/.exec(params.file!) ?? []
      if (!isObjectId(sha) || (await forge.reading.resolve(target, sha)) !== sha) throw notFound()
      const prefix = `${target.owner.login}-${target.name}-${sha.slice(0, 7)}`
      const plain = await forge.serving.archive(target, sha, ending === 'zip' ? 'zip' : 'tar', prefix)
      signal.addEventListener('abort', () => plain.destroy(), { once: true })
      const bytes = ending === 'zip' ? plain : plain.pipe(createGzip())
      if (bytes !== plain) plain.on('error', (error) => bytes.destroy(error))
      const headers = { 'content-disposition': `attachment; filename=${prefix}.${ending}` }
      return { status: 200, headers, raw: { type: ending === 'zip' ? 'application/zip' : 'application/x-gzip', bytes } }
    },
  }),
]
