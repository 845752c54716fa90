/** Parts of payloads about checks. */
import { presentApp } from '../apps/present-app.ts'
import { presentBareSuite, presentRun, presentSimpleCommit } from '../checks/present-check.ts'
import type { PayloadPart } from './part.ts'

const checkRun: PayloadPart = async ({ services, repository, source, view }) => {
  const run = await services.checkReading.getRun(repository, source.subjectId ?? 0)
  const suite = await services.checkReading.getSuite(repository, run.suiteId)
  const { id, node_id, head_branch, head_sha, status, conclusion, url, before, after } = presentBareSuite(
    repository,
    suite,
    view,
  )
  const { created_at, updated_at, pull_requests } = presentBareSuite(repository, suite, view)
  const app = suite.app && presentApp(suite.app, view)
  const brief = { id, node_id, head_branch, head_sha, status, conclusion, url, before, after }
  return {
    check_run: {
      ...presentRun(repository, run, view),
      check_suite: { ...brief, pull_requests, app, created_at, updated_at },
    },
  }
}

const checkSuite: PayloadPart = async ({ services, repository, source, view }) => {
  const suite = await services.checkReading.getSuite(repository, source.subjectId ?? 0)
  const [commit] = await services.reading.commits(repository, [suite.sha])
  if (!commit) return undefined
  return { check_suite: { ...presentBareSuite(repository, suite, view), head_commit: presentSimpleCommit(commit) } }
}

export const checkParts = { check_run: checkRun, check_suite: checkSuite } as const satisfies Record<
  string,
  PayloadPart
>
