/** Routes of environments: who must agree to a deployment before it may begin. */
import type { Repository } from '../../../forge/access/repository.ts'
import type { Environment, Environments } from '../../../forge/deployments/environments.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { People } from '../../../forge/people/people.ts'
import type { Teams } from '../../../forge/people/teams.ts'
import { changed, readable } from '../doors.ts'
import { done } from '../outcomes.ts'
import { ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Flag, List, OneOf, Optional, Shape, Type, Whole } from '../schemas.ts'
import type { View } from '../view.ts'
import { presentEnvironment } from './present-deployment.ts'

const maxReviewers = 6
const Reviewer = Shape({ type: OneOf('User', 'Team'), id: Whole })
const reads = { door: readable, permission: 'actions=read', resource: 'Environment' } as const
const writes = { door: changed('admin'), permission: 'administration=write', resource: 'Environment' } as const

type Needs = { environments: Environments; people: People; teams: Teams }

export function environmentRoutes({ environments, people, teams }: Needs): readonly Route[] {
  async function present(repository: Repository, found: readonly Environment[], view: View) {
    const reviewers = found.flatMap((one) => one.reviewers)
    const users = await people.getMany(reviewers.flatMap((one) => ('userId' in one ? [one.userId] : [])))
    const teamIds = [...new Set(reviewers.flatMap((one) => ('teamId' in one ? [one.teamId] : [])))]
    const named = await teams.listByIds(repository.owner, teamIds)
    const known = { users, teams: new Map(named.map((team) => [team.id, team])) }
    return found.map((one) => presentEnvironment(repository, one, known, view))
  }

  return [
    route('GET /repos/:owner/:repo/environments', {
      ...reads,
      id: 'list-environments',
      summary: 'Environments that an admin has made.',
      pageSize: usualPage,
      async handle({ target, page, view }) {
        const { total, items } = await environments.list(target, page)
        return { ...ok({ total_count: total, environments: await present(target, items, view) }), total }
      },
    }),
    route('GET /repos/:owner/:repo/environments/:environment_name', {
      ...reads,
      id: 'get-an-environment',
      summary: 'An environment.',
      async handle({ target, params, view }) {
        const [shown] = await present(target, [await environments.get(target, params.environment_name)], view)
        return ok(shown)
      },
    }),
    route('PUT /repos/:owner/:repo/environments/:environment_name', {
      ...writes,
      id: 'create-or-update-an-environment',
      summary: 'Sets who must agree to deployments to an environment: six users or teams at most, of whom one does.',
      body: Shape({
        wait_timer: Optional(Whole),
        prevent_self_review: Optional(Flag),
        reviewers: Optional(Type.Union([List(Reviewer, { maxItems: maxReviewers }), Type.Null()])),
        deployment_branch_policy: Optional(Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()])),
      }),
      async handle({ target, params, body, view }) {
        if (body.wait_timer) throw unkept('wait_timer')
        if (body.deployment_branch_policy) throw unkept('deployment_branch_policy')
        const name = params.environment_name
        if (name.length > 255) throw invalidField('environment_name', 'invalid', 'A name has 255 characters at most.')
        const made = await environments.put(target, name, {
          reviewers: (body.reviewers ?? []).map(({ type, id }) => (type === 'User' ? { userId: id } : { teamId: id })),
          preventsSelfReview: body.prevent_self_review ?? false,
        })
        const [shown] = await present(target.repository, [made], view)
        return ok(shown)
      },
    }),
    route('DELETE /repos/:owner/:repo/environments/:environment_name', {
      ...writes,
      id: 'delete-an-environment',
      summary: 'Deletes an environment; its deployments stay.',
      handle: ({ target, params }) => done(environments.remove(target, params.environment_name)),
    }),
  ]
}

/** Who asks for a rule must be able to rely on it. */
const unkept = (field: string) =>
  invalidField(field, 'invalid', `${field} is not kept here: leave it out, or send 0 or null.`)
