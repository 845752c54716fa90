/** Routes that ask for a pull to be merged as soon as it may be; the public platform has them over GraphQL alone. */
import type { AutoMerging } from '../../../forge/pulls/merging/auto-merging.ts'
import type { Pulls } from '../../../forge/pulls/pulls.ts'
import { changed } from '../doors.ts'
import { done } from '../outcomes.ts'
import { readId } from '../query.ts'
import { ok } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { presentPull } from './present-pull.ts'
import { MergeBody, toMergeRequest } from './pull-body.ts'

const common = { door: changed('write'), permission: 'contents=write', resource: 'PullRequest' } as const

export const autoMergeRoutes = ({
  autoMerging,
  pulls,
}: {
  autoMerging: AutoMerging
  pulls: Pulls
}): readonly Route[] => [
  route('PUT /repos/:owner/:repo/pulls/:pull_number/auto-merge', {
    ...common,
    id: 'enable-auto-merge-for-a-pull-request',
    summary: 'Merges a pull as soon as the rules of its base let it, by the rights of who asks.',
    body: MergeBody,
    async handle({ target, params, body, view }) {
      const number = readId(params.pull_number)
      await autoMerging.enable(target, number, toMergeRequest(body))
      return ok(presentPull(await pulls.get(target.actor, target.repository, number), view))
    },
  }),
  route('DELETE /repos/:owner/:repo/pulls/:pull_number/auto-merge', {
    ...common,
    id: 'disable-auto-merge-for-a-pull-request',
    summary: 'Ends that.',
    handle: ({ target, params }) => done(autoMerging.disable(target, readId(params.pull_number))),
  }),
]
