/** Routes of imports by address and of mirrors: one of a repository, under one path. */
import type { Static } from 'typebox'
import type { Repository } from '../../../forge/access/repository.ts'
import { personalTokenKinds } from '../../../forge/access/required-grant.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { RepositorySource } from '../../../forge/sources/repository-source.ts'
import type { GivenCredentials, Sources } from '../../../forge/sources/sources.ts'
import { changed, seen } from '../doors.ts'
import { done } from '../outcomes.ts'
import { presentUser } from '../people/present-people.ts'
import { created, ok } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { Flag, Optional, Shape, Text, Whole } from '../schemas.ts'
import { formatTime, type View } from '../view.ts'

const tokens = personalTokenKinds
const dayMinutes = 24 * 60

const Credentials = {
  username: Optional(Text(256)),
  password: Optional(Text(1024)),
  token: Optional(Text(1024)),
}
const SourceBody = Shape({
  url: Text(2048),
  ...Credentials,
  mirror: Optional(Flag),
  interval_minutes: Optional(Whole),
})
const ChangeBody = Shape({ ...Credentials, interval_minutes: Optional(Whole) })

function toCredentials({ username, password, token }: Static<typeof ChangeBody>): GivenCredentials {
  if (password !== undefined && token !== undefined)
    throw invalidField('token', 'invalid', 'Give a password or a token, not both.')
  const secret = password ?? token
  if (username !== undefined && secret === undefined && username !== '')
    throw invalidField('password', 'missing_field', 'Give the password or token of this username.')
  if (/[\x00-\x1f\x7f]/.test(`${username}${secret}`))
    throw invalidField('password', 'invalid', 'Credentials have no control characters: paste them without line ends.')
  if (username?.includes(':')) throw invalidField('username', 'invalid', 'A username has no colon.')
  return { username: username || undefined, password: secret || undefined }
}

const hasCredentials = ({ username, password, token }: Static<typeof ChangeBody>): boolean =>
  username !== undefined || password !== undefined || token !== undefined

export function presentSource(source: RepositorySource, { owner, name }: Repository, view: View) {
  const repositoryUrl = `${view.base}/repos/${owner.login}/${name}`
  return {
    url: `${repositoryUrl}/import`,
    repository_url: repositoryUrl,
    source_url: source.url,
    username: source.username,
    has_password: source.hasPassword,
    status: source.state,
    failure: source.failure,
    failure_count: source.failureCount,
    mirror: source.intervalMinutes !== undefined,
    interval_minutes: source.intervalMinutes ?? null,
    received_bytes: source.receivedBytes,
    branches: source.branchCount,
    tags: source.tagCount,
    skipped_refs: source.skipped,
    requested_by: presentUser(source.requester, view),
    created_at: formatTime(source.createdAt),
    started_at: source.startedAt ? formatTime(source.startedAt) : null,
    fetched_at: source.fetchedAt ? formatTime(source.fetchedAt) : null,
    next_fetch_at: source.nextAt ? formatTime(source.nextAt) : null,
  }
}

export const sourceRoutes = ({ sources }: { sources: Sources }): readonly Route[] => [
  route('POST /repos/:owner/:repo/import', {
    id: 'start-a-repository-import',
    summary:
      'Imports branches and tags of another git server into an empty repository, in the background; with `mirror`, again and again.',
    door: changed('admin'),
    tokens,
    permission: 'administration=write',
    resource: 'Import',
    createsContent: true,
    body: SourceBody,
    async handle({ target, body, view }) {
      if (body.interval_minutes !== undefined && !body.mirror)
        throw invalidField('interval_minutes', 'invalid', 'Only a mirror has an interval: set mirror to true.')
      const draft = {
        url: body.url,
        credentials: toCredentials(body),
        intervalMinutes: body.mirror ? (body.interval_minutes ?? dayMinutes) : undefined,
      }
      const shown = presentSource(await sources.start(target, draft), target.repository, view)
      return created(shown, shown.url)
    },
  }),
  route('GET /repos/:owner/:repo/import', {
    id: 'get-a-repository-import',
    summary: 'How the import or mirror of a repository goes. Its credentials are not shown.',
    door: seen('admin'),
    tokens,
    permission: 'administration=read',
    resource: 'Import',
    handle: async ({ target, view }) => ok(presentSource(await sources.get(target), target.repository, view)),
  }),
  route('PATCH /repos/:owner/:repo/import', {
    id: 'update-a-repository-import',
    summary:
      'Fetches a mirror now, or tries a failed import again; also changes credentials or interval, and then fetches in your name.',
    door: changed('admin'),
    tokens,
    permission: 'administration=write',
    resource: 'Import',
    body: ChangeBody,
    async handle({ target, body, view }) {
      const change = {
        credentials: hasCredentials(body) ? toCredentials(body) : undefined,
        intervalMinutes: body.interval_minutes,
      }
      return ok(presentSource(await sources.update(target, change), target.repository, view))
    },
  }),
  route('DELETE /repos/:owner/:repo/import', {
    id: 'cancel-a-repository-import',
    summary: 'Cancels an import. A mirror becomes an ordinary repository.',
    door: changed('admin', { evenArchived: true }),
    tokens,
    permission: 'administration=write',
    resource: 'Import',
    handle: ({ target }) => done(sources.remove(target)),
  }),
]
