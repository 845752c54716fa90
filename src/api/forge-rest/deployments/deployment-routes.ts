/** Routes of deployments and their statuses. */
import { personalTokenKinds } from '../../../forge/access/required-grant.ts'
import type { Deployments } from '../../../forge/deployments/deployments.ts'
import { invalidField } from '../../../forge/failures.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { changed, readable } from '../doors.ts'
import { done } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Flag, List, NullableText, OneOf, Optional, Shape, Text, Type } from '../schemas.ts'
import { presentDeployment, presentDeploymentStatus } from './present-deployment.ts'

const reads = { door: readable, permission: 'deployments=read', resource: 'Deployment' } as const
const writes = {
  door: changed('write'),
  scopes: ['repo_deployment', 'repo'],
  permission: 'deployments=write',
  resource: 'Deployment',
} as const

const maxPayload = 64 * 1024
const Payload = Type.Union([Type.Object({}, { additionalProperties: true }), Text(maxPayload), Type.Null()])

function demandShort(payload: object | string): object | string {
  if (JSON.stringify(payload).length > maxPayload)
    throw invalidField('payload', 'invalid', `A payload has ${maxPayload / 1024} KiB at most.`)
  return payload
}

const filters = ['sha', 'ref', 'task', 'environment'] as const

export const deploymentRoutes = ({ deployments }: { deployments: Deployments }): readonly Route[] => [
  route('GET /repos/:owner/:repo/deployments', {
    ...reads,
    id: 'list-deployments',
    summary: 'Deployments, newest first; `sha`, `ref`, `task` and `environment` narrow the list.',
    pageSize: usualPage,
    async handle({ target, query, page, view }) {
      const filter = omitUndefined(Object.fromEntries(filters.map((name) => [name, query.text(name)])))
      return list(await deployments.list(target, filter, page), (one) => presentDeployment(target, one, view))
    },
  }),
  route('POST /repos/:owner/:repo/deployments', {
    ...writes,
    id: 'create-a-deployment',
    summary:
      'Says that a ref is to be deployed; hooks hear of it. 202 where the default branch had to be merged first, 409 where contexts have not succeeded.',
    body: Shape({
      ref: Text(255, 1),
      task: Optional(Text(128, 1)),
      auto_merge: Optional(Flag),
      required_contexts: Optional(Type.Union([List(Text(255, 1), { maxItems: 100 }), Type.Null()])),
      payload: Optional(Payload),
      environment: Optional(Text(255, 1)),
      description: Optional(NullableText(1024)),
      transient_environment: Optional(Flag),
      production_environment: Optional(Flag),
    }),
    async handle({ target, body, view }) {
      const made = await deployments.create(target, {
        ref: body.ref,
        task: body.task ?? 'deploy',
        merges: body.auto_merge ?? true,
        requiredContexts: body.required_contexts ?? undefined,
        payload: demandShort((body.payload as object | string | null | undefined) ?? {}),
        environment: body.environment ?? 'production',
        description: body.description ?? null,
        isTransient: body.transient_environment ?? false,
        isProduction: body.production_environment,
      })
      if ('merged' in made)
        return { status: 202, body: { message: `Auto-merged ${made.merged} into ${body.ref} on deployment.` } }
      const shown = presentDeployment(target.repository, made.deployment, view)
      return created(shown, shown.url)
    },
  }),
  route('GET /repos/:owner/:repo/deployments/:deployment_id', {
    ...reads,
    id: 'get-a-deployment',
    summary: 'A deployment.',
    async handle({ target, params, view }) {
      return ok(presentDeployment(target, await deployments.get(target, readId(params.deployment_id)), view))
    },
  }),
  route('DELETE /repos/:owner/:repo/deployments/:deployment_id', {
    ...writes,
    id: 'delete-a-deployment',
    summary: 'Deletes a deployment that is inactive, or the only one.',
    handle: ({ target, params }) => done(deployments.remove(target, readId(params.deployment_id))),
  }),
  route('GET /repos/:owner/:repo/deployments/:deployment_id/statuses', {
    ...reads,
    id: 'list-deployment-statuses',
    summary: 'Statuses of a deployment, newest first.',
    pageSize: usualPage,
    async handle({ target, params, page, view }) {
      const { id } = await deployments.get(target, readId(params.deployment_id))
      const found = await deployments.listStatuses(id, page)
      return list(found, (status) => presentDeploymentStatus(target, status, view))
    },
  }),
  route('POST /repos/:owner/:repo/deployments/:deployment_id/statuses', {
    ...writes,
    id: 'create-a-deployment-status',
    summary: 'Says how a deployment goes; one that succeeds ends those before it in the same environment.',
    resource: 'DeploymentStatus',
    body: Shape({
      state: OneOf('error', 'failure', 'inactive', 'in_progress', 'queued', 'pending', 'success'),
      target_url: Optional(NullableText(2048)),
      log_url: Optional(NullableText(2048)),
      description: Optional(NullableText(140)),
      environment: Optional(Text(255, 1)),
      environment_url: Optional(NullableText(2048)),
      auto_inactive: Optional(Flag),
    }),
    async handle({ target, params, body, view }) {
      const status = await deployments.setStatus(target, readId(params.deployment_id), {
        state: body.state,
        description: body.description ?? '',
        environment: body.environment,
        environmentUrl: body.environment_url ?? '',
        logUrl: body.log_url || body.target_url || '',
        endsOthers: body.auto_inactive ?? true,
      })
      const shown = presentDeploymentStatus(target.repository, status, view)
      return created(shown, shown.url)
    },
  }),
  route('GET /repos/:owner/:repo/deployments/:deployment_id/statuses/:status_id', {
    ...reads,
    id: 'get-a-deployment-status',
    summary: 'A status of a deployment.',
    resource: 'DeploymentStatus',
    async handle({ target, params, view }) {
      const { id } = await deployments.get(target, readId(params.deployment_id))
      return ok(presentDeploymentStatus(target, await deployments.getStatus(id, readId(params.status_id)), view))
    },
  }),
  route('POST /repos/:owner/:repo/deployments/:deployment_id/reviews', {
    ...writes,
    door: changed('read'),
    tokens: personalTokenKinds,
    id: 'review-a-deployment',
    summary:
      'Lets a deployment that waits for its environment’s reviewers begin (`approved`), or ends it (`rejected`).',
    resource: 'DeploymentStatus',
    body: Shape({ state: OneOf('approved', 'rejected'), comment: Optional(NullableText(140)) }),
    async handle({ target, params, body, view }) {
      const isApproved = body.state === 'approved'
      const status = await deployments.review(target, readId(params.deployment_id), isApproved, body.comment ?? '')
      return created(presentDeploymentStatus(target.repository, status, view))
    },
  }),
]
