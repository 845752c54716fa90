/** Routes of commit statuses: the results of checks, and the combined state. */

import type { OpenRepository } from '../../../forge/access/repository.ts'
import { type CommitStatus, placeTarget, type Statuses } from '../../../forge/commits/statuses.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import { isObjectId } from '../../../forge/git/ref-name.ts'
import { Failure } from '../../../lib/failure.ts'
import { changed, readable } from '../doors.ts'
import { placesOf } from '../git/present-git.ts'
import { avatarUrl, presentUser } from '../people/present-people.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import { created, list, ok, type RestAnswer } from '../rest-answer.ts'
import { type ForgeCall, type Route, route, usualPage } from '../route.ts'
import { NullableText, OneOf, Optional, Shape, Text } from '../schemas.ts'
import { formatTime, nodeId, type View } from '../view.ts'

const read = { door: readable, permission: 'statuses=read', pageSize: usualPage } as const

async function resolve(reading: GitReading, repository: OpenRepository, name: string): Promise<string> {
  const sha = await reading.resolve(repository, name)
  if (!sha) throw new Failure('invalid', 'no-commit', `No commit found for SHA: ${name}`)
  return sha
}

/** Without the creator, which the combined status leaves out. */
function presentBriefStatus(repository: OpenRepository, status: CommitStatus, view: View) {
  const time = formatTime(status.createdAt)
  return {
    url: `${placesOf(repository, view).url}/statuses/${status.sha}`,
    avatar_url: avatarUrl(status.creator, view),
    id: status.id,
    node_id: nodeId('Status', status.id),
    state: status.state,
    description: status.description,
    target_url: placeTarget(status, view.origin),
    context: status.context,
    created_at: time,
    updated_at: time,
  }
}

export const presentStatus = (repository: OpenRepository, status: CommitStatus, view: View) => ({
  ...presentBriefStatus(repository, status, view),
  creator: presentUser(status.creator, view),
})

async function listStatuses(
  { reading, statuses }: { reading: GitReading; statuses: Statuses },
  call: ForgeCall<OpenRepository>,
  ref: string,
): Promise<RestAnswer> {
  const { target, page, view } = call
  const found = await statuses.list(target, await resolve(reading, target, ref), page)
  return list(found, (status) => presentStatus(target, status, view))
}

export const statusRoutes = ({ reading, statuses }: { reading: GitReading; statuses: Statuses }): readonly Route[] => [
  route('POST /repos/:owner/:repo/statuses/:sha', {
    id: 'create-a-commit-status',
    summary: 'Sets the status of a check on a commit.',
    resource: 'Status',
    door: changed('write'),
    scopes: ['repo:status', 'repo'],
    permission: 'statuses=write',
    body: Shape({
      state: OneOf('error', 'failure', 'pending', 'success'),
      target_url: Optional(NullableText(2048)),
      description: Optional(NullableText(1024)),
      context: Optional(Text(255, 1)),
    }),
    async handle({ target, params: { sha }, body, view }) {
      const { repository } = target
      const known = isObjectId(sha) ? await reading.resolve(repository, sha) : undefined
      if (known !== sha) throw new Failure('invalid', 'no-commit', `No commit found for SHA: ${sha}`)
      const status = await statuses.create(target, sha, {
        state: body.state,
        context: body.context ?? 'default',
        targetUrl: body.target_url || null,
        description: body.description || null,
      })
      const shown = presentStatus(repository, status, view)
      return created(shown, shown.url)
    },
  }),
  route('GET /repos/:owner/:repo/commits/:ref/statuses', {
    ...read,
    id: 'list-commit-statuses-for-a-reference',
    summary: 'Lists all statuses of a commit, newest first.',
    handle: (call) => listStatuses({ reading, statuses }, call, call.params.ref),
  }),
  route('GET /repos/:owner/:repo/statuses/:ref', {
    ...read,
    id: 'list-commit-statuses',
    summary: 'The same, at the address that statuses name.',
    handle: (call) => listStatuses({ reading, statuses }, call, call.params.ref),
  }),
  route('GET /repos/:owner/:repo/commits/:ref/status', {
    ...read,
    id: 'get-the-combined-status-for-a-specific-reference',
    summary: 'Shows the newest status of each context, and the combined state: `failure`, `pending` or `success`.',
    async handle({ target, params: { ref }, page, view }) {
      const sha = await resolve(reading, target, ref)
      const { state, total, items } = await statuses.combine(target, sha, page)
      const { url } = placesOf(target, view)
      const body = {
        state,
        statuses: items.map((status) => presentBriefStatus(target, status, view)),
        sha,
        total_count: total,
        repository: presentListedRepository(target, view),
        commit_url: `${url}/commits/${sha}`,
        url: `${url}/commits/${sha}/status`,
      }
      return { ...ok(body), total }
    },
  }),
]
