/** Routes of check runs: made and changed by apps, read by everyone who reads the repository. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { CheckReading, RunFilter } from '../../../forge/checks/check-reading.ts'
import type { Checks } from '../../../forge/checks/checks.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import { isObjectId } from '../../../forge/git/ref-name.ts'
import { Failure } from '../../../lib/failure.ts'
import { changed, readable } from '../doors.ts'
import { readId } from '../query.ts'
import { created, list, ok, type RestAnswer } from '../rest-answer.ts'
import { type ForgeCall, type Route, route, usualPage } from '../route.ts'
import { RunBody, RunChangeBody, toRunChange } from './check-body.ts'
import { presentAnnotation, presentRun } from './present-check.ts'

export const readsChecks = { door: readable, permission: 'checks=read', resource: 'CheckRun' } as const
export const writesChecks = { door: changed('write'), permission: 'checks=write', resource: 'CheckRun' } as const
/** As on the public platform: what is checked is said by apps. */
export const byApps = { ...writesChecks, tokens: ['installation'] } as const

type Needs = { checks: Checks; checkReading: CheckReading; reading: GitReading }

export async function resolveCommit(reading: GitReading, repository: OpenRepository, name: string): Promise<string> {
  const sha = await reading.resolve(repository, name)
  if (!sha) throw new Failure('invalid', 'no-commit', `No commit found for SHA: ${name}`)
  return sha
}

export async function demandCommit(reading: GitReading, repository: OpenRepository, sha: string): Promise<void> {
  const known = isObjectId(sha) ? await reading.resolve(repository, sha) : undefined
  if (known !== sha) throw new Failure('invalid', 'no-commit', `No commit found for SHA: ${sha}`)
}

async function listRuns(
  checkReading: CheckReading,
  { target, query, page, view }: ForgeCall<OpenRepository>,
  of: Pick<RunFilter, 'sha' | 'suiteId'>,
): Promise<RestAnswer> {
  const { total, items } = await checkReading.listRuns(
    target,
    {
      ...of,
      name: query.text('check_name'),
      status: query.oneOf('status', ['queued', 'in_progress', 'completed', ''], '') || undefined,
      appId: query.whole('app_id', 0) || undefined,
      isLatest: query.oneOf('filter', ['latest', 'all'], 'latest') === 'latest',
    },
    page,
  )
  return { ...ok({ total_count: total, check_runs: items.map((run) => presentRun(target, run, view)) }), total }
}

export const checkRunRoutes = ({ checks, checkReading, reading }: Needs): readonly Route[] => [
  route('POST /repos/:owner/:repo/check-runs', {
    ...byApps,
    id: 'create-a-check-run',
    summary: 'Says of a commit, as an app, how a check is at it; its suite is made with the first.',
    body: RunBody,
    async handle({ target, body, view }) {
      const { repository } = target
      await demandCommit(reading, repository, body.head_sha)
      const run = await checks.create(target, body.head_sha, { ...toRunChange(body), name: body.name })
      const shown = presentRun(repository, run, view)
      return created(shown, shown.url)
    },
  }),
  route('GET /repos/:owner/:repo/check-runs/:check_run_id', {
    ...readsChecks,
    id: 'get-a-check-run',
    summary: 'A check run.',
    async handle({ target, params, view }) {
      return ok(presentRun(target, await checkReading.getRun(target, readId(params.check_run_id)), view))
    },
  }),
  route('PATCH /repos/:owner/:repo/check-runs/:check_run_id', {
    ...byApps,
    id: 'update-a-check-run',
    summary: 'Changes a check run of the app’s own; annotations are added to those that it has.',
    body: RunChangeBody,
    async handle({ target, params, body, view }) {
      const run = await checks.update(target, readId(params.check_run_id), toRunChange(body))
      return ok(presentRun(target.repository, run, view))
    },
  }),
  route('GET /repos/:owner/:repo/check-runs/:check_run_id/annotations', {
    ...readsChecks,
    id: 'list-check-run-annotations',
    summary: 'What a check run says of lines.',
    pageSize: usualPage,
    async handle({ target, params, page, view }) {
      const { id, sha } = await checkReading.getRun(target, readId(params.check_run_id))
      const found = await checkReading.listAnnotations(id, page)
      return list(found, (annotation) => presentAnnotation(target, sha, annotation, view))
    },
  }),
  route('POST /repos/:owner/:repo/check-runs/:check_run_id/rerequest', {
    ...writesChecks,
    id: 'rerequest-a-check-run',
    summary: 'Asks the app of a check run, by its hook, to check once more.',
    async handle({ target, params }) {
      await checks.rerequestRun(target, readId(params.check_run_id))
      return created({})
    },
  }),
  route('GET /repos/:owner/:repo/check-suites/:check_suite_id/check-runs', {
    ...readsChecks,
    id: 'list-check-runs-in-a-check-suite',
    summary: 'The runs of a suite; with `filter=all` the older ones of a name, too.',
    pageSize: usualPage,
    async handle(call) {
      const suite = await checkReading.getSuite(call.target, readId(call.params.check_suite_id))
      return listRuns(checkReading, call, { suiteId: suite.id, sha: suite.sha })
    },
  }),
  route('GET /repos/:owner/:repo/commits/:ref/check-runs', {
    ...readsChecks,
    id: 'list-check-runs-for-a-git-reference',
    summary: 'The check runs of a commit, newest first; `check_name`, `status`, `app_id` and `filter` narrow the list.',
    pageSize: usualPage,
    async handle(call) {
      return listRuns(checkReading, call, { sha: await resolveCommit(reading, call.target, call.params.ref) })
    },
  }),
]
