/**
 * Workflow runs of a repository and their tokens: started, listed and ended by its admins and by its installed apps.
 */
import { fullName, type Repository } from '../../../forge/access/repository.ts'
import type { WorkflowRun, WorkflowRuns } from '../../../forge/apps/workflow-runs.ts'
import { changed, readable } from '../doors.ts'
import { presentUser } from '../people/present-people.ts'
import { readId } from '../query.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { OneOf, Optional, Shape, Text } from '../schemas.ts'
import { formatTime, nodeId, type View } from '../view.ts'
import { Permissions } from './app-body.ts'

const resource = 'WorkflowRun'
/** A run can't start runs, and a token that acts for a user can't give away rights in their name. */
const byAdmin = {
  door: changed('admin'),
  tokens: ['classic', 'fine-grained', 'installation'],
  permission: 'actions=write',
  resource,
} as const

export const workflowRunRoutes = ({ workflowRuns }: { workflowRuns: WorkflowRuns }): readonly Route[] => [
  route('GET /repos/:owner/:repo/workflow-runs', {
    door: readable,
    permission: 'actions=read',
    id: 'list-workflow-runs',
    summary: 'The runs of a repository, the newest first; they are kept for thirty days.',
    resource,
    pageSize: usualPage,
    async handle({ target, page, view }) {
      return list(await workflowRuns.list(target, page), (run) => presentRun(run, target, view))
    },
  }),
  route('POST /repos/:owner/:repo/workflow-runs', {
    ...byAdmin,
    id: 'start-a-workflow-run',
    summary: 'Starts a run. It lasts until it is ended, for at most six hours.',
    body: Shape({ name: Text(255, 1) }),
    async handle({ target, body, view }) {
      const run = presentRun(await workflowRuns.start(target, body.name), target.repository, view)
      return created(run, run.url)
    },
  }),
  route('GET /repos/:owner/:repo/workflow-runs/:run_id', {
    door: readable,
    permission: 'actions=read',
    id: 'get-a-workflow-run',
    summary: 'One run.',
    resource,
    // Whether it has expired depends on the time.
    isLive: true,
    async handle({ target, params, view }) {
      return ok(presentRun(await workflowRuns.get(target, readId(params.run_id)), target, view))
    },
  }),
  route('PATCH /repos/:owner/:repo/workflow-runs/:run_id', {
    ...byAdmin,
    id: 'end-a-workflow-run',
    summary: 'Ends a run (`status: completed`) and immediately ends all its tokens.',
    body: Shape({ status: OneOf('completed') }),
    async handle({ target, params, view }) {
      return ok(presentRun(await workflowRuns.end(target, readId(params.run_id)), target.repository, view))
    },
  }),
  route('POST /repos/:owner/:repo/workflow-runs/:run_id/tokens', {
    ...byAdmin,
    id: 'create-a-token-of-a-workflow-run',
    summary: 'A token for this repository and this run: an hour at most, with fewer permissions where that is asked.',
    body: Shape({ permissions: Optional(Permissions) }),
    async handle({ target, params, body }) {
      const minted = await workflowRuns.mint(target, readId(params.run_id), body.permissions)
      const { text: token, expiresAt, permissions } = minted
      return created({ token, expires_at: formatTime(expiresAt), permissions })
    },
  }),
]

function presentRun(run: WorkflowRun, repository: Repository, view: View) {
  const ofRepository = `${view.base}/repos/${fullName(repository)}`
  const url = `${ofRepository}/workflow-runs/${run.id}`
  return {
    id: run.id,
    node_id: nodeId('WorkflowRun', run.id),
    name: run.name,
    status: run.endedAt ? 'completed' : 'in_progress',
    actor: run.startedBy && presentUser(run.startedBy, view),
    app_id: run.appId,
    created_at: formatTime(run.createdAt),
    expires_at: formatTime(run.expiresAt),
    completed_at: run.endedAt && formatTime(run.endedAt),
    url,
    tokens_url: `${url}/tokens`,
    repository_url: ofRepository,
  }
}
