/** Routes of check suites: all that one app says of one commit. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { CheckSuite } from '../../../forge/checks/check.ts'
import type { CheckReading } from '../../../forge/checks/check-reading.ts'
import type { Checks } from '../../../forge/checks/checks.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import { readId } from '../query.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import { created, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Shape, Text } from '../schemas.ts'
import type { View } from '../view.ts'
import { byApps, demandCommit, readsChecks, resolveCommit, writesChecks } from './check-run-routes.ts'
import { presentBareSuite, presentSimpleCommit } from './present-check.ts'

type Needs = { checks: Checks; checkReading: CheckReading; reading: GitReading }

/** All of one commit, or one. */
async function presentSuites(
  reading: GitReading,
  repository: OpenRepository,
  suites: readonly CheckSuite[],
  view: View,
) {
  const shas = [...new Set(suites.map(({ sha }) => sha))]
  const commits = new Map((await reading.commits(repository, shas)).map((commit) => [commit.sha, commit]))
  return suites.map((suite) => {
    const commit = commits.get(suite.sha)
    return {
      ...presentBareSuite(repository, suite, view),
      head_commit: commit ? presentSimpleCommit(commit) : null,
      repository: presentListedRepository(repository, view),
    }
  })
}

export const checkSuiteRoutes = ({ checks, checkReading, reading }: Needs): readonly Route[] => [
  route('POST /repos/:owner/:repo/check-suites', {
    ...byApps,
    id: 'create-a-check-suite',
    summary: 'Begins the app’s suite of a commit; where there is one, answers it.',
    resource: 'CheckSuite',
    body: Shape({ head_sha: Text(64, 1) }),
    async handle({ target, body: { head_sha: sha }, view }) {
      const { repository } = target
      await demandCommit(reading, repository, sha)
      const { suite, isNew } = await checks.createSuite(target, sha)
      const [shown] = await presentSuites(reading, repository, [suite], view)
      return isNew ? created(shown, shown!.url) : ok(shown)
    },
  }),
  route('GET /repos/:owner/:repo/check-suites/:check_suite_id', {
    ...readsChecks,
    id: 'get-a-check-suite',
    summary: 'A check suite, and what its newest runs come to.',
    resource: 'CheckSuite',
    async handle({ target, params, view }) {
      const suite = await checkReading.getSuite(target, readId(params.check_suite_id))
      const [shown] = await presentSuites(reading, target, [suite], view)
      return ok(shown)
    },
  }),
  route('POST /repos/:owner/:repo/check-suites/:check_suite_id/rerequest', {
    ...writesChecks,
    id: 'rerequest-a-check-suite',
    summary: 'Asks the app of a suite, by its hook, to check once more.',
    resource: 'CheckSuite',
    async handle({ target, params }) {
      await checks.rerequestSuite(target, readId(params.check_suite_id))
      return created({})
    },
  }),
  route('GET /repos/:owner/:repo/commits/:ref/check-suites', {
    ...readsChecks,
    id: 'list-check-suites-for-a-git-reference',
    summary: 'The check suites of a commit, one for each app; `app_id` and `check_name` narrow the list.',
    resource: 'CheckSuite',
    pageSize: usualPage,
    async handle({ target, params, query, page, view }) {
      const sha = await resolveCommit(reading, target, params.ref)
      const filter = { sha, appId: query.whole('app_id', 0) || undefined, name: query.text('check_name') }
      const { total, items } = await checkReading.listSuites(target, filter, page)
      const suites = await presentSuites(reading, target, items, view)
      return { ...ok({ total_count: total, check_suites: suites }), total }
    },
  }),
]
