/** Check runs, suites and annotations. */
import type { Repository } from '../../../forge/access/repository.ts'
import type { Annotation, CheckedPull, CheckRun, CheckSuite } from '../../../forge/checks/check.ts'
import type { Commit } from '../../../forge/git/read/commit.ts'
import { presentApp } from '../apps/present-app.ts'
import { encodePath, placesOf } from '../git/present-git.ts'
import { formatTime, nodeId, type View } from '../view.ts'

const formatOrNull = (time: Date | null) => time && formatTime(time)

function presentPull(repository: Repository, sha: string, pull: CheckedPull, view: View) {
  const { url } = placesOf(repository, view)
  const repo = { id: repository.id, url, name: repository.name }
  return {
    url: `${url}/pulls/${pull.number}`,
    id: pull.id,
    number: pull.number,
    head: { ref: pull.headRef, sha, repo },
    base: { ref: pull.baseRef, sha: pull.baseSha, repo },
  }
}

export function presentRun(repository: Repository, run: CheckRun, view: View) {
  const { url, html } = placesOf(repository, view)
  const own = `${url}/check-runs/${run.id}`
  return {
    id: run.id,
    node_id: nodeId('CheckRun', run.id),
    head_sha: run.sha,
    external_id: run.externalId ?? '',
    url: own,
    html_url: `${html}/runs/${run.id}`,
    details_url: run.detailsUrl ?? run.app?.url ?? `${html}/runs/${run.id}`,
    status: run.status,
    conclusion: run.conclusion,
    started_at: formatOrNull(run.startedAt),
    completed_at: formatOrNull(run.completedAt),
    output: {
      title: run.output?.title ?? null,
      summary: run.output?.summary ?? null,
      text: run.output?.text ?? null,
      annotations_count: run.annotationCount,
      annotations_url: `${own}/annotations`,
    },
    name: run.name,
    check_suite: { id: run.suiteId },
    app: run.app && presentApp(run.app, view),
    pull_requests: run.pulls.map((pull) => presentPull(repository, run.sha, pull, view)),
  }
}

/** Without the commit and the repository, which payloads of hooks have elsewhere. */
export function presentBareSuite(repository: Repository, suite: CheckSuite, view: View) {
  const { url } = placesOf(repository, view)
  const own = `${url}/check-suites/${suite.id}`
  return {
    id: suite.id,
    node_id: nodeId('CheckSuite', suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.sha,
    status: suite.status,
    conclusion: suite.conclusion,
    url: own,
    before: null,
    after: suite.sha,
    pull_requests: suite.pulls.map((pull) => presentPull(repository, suite.sha, pull, view)),
    app: suite.app && presentApp(suite.app, view),
    created_at: formatTime(suite.createdAt),
    updated_at: formatTime(suite.updatedAt),
    rerequestable: suite.app !== null,
    runs_rerequestable: suite.app !== null,
    latest_check_runs_count: suite.latestCount,
    check_runs_url: `${own}/check-runs`,
  }
}

export const presentSimpleCommit = (commit: Commit) => ({
  id: commit.sha,
  tree_id: commit.tree,
  message: commit.message,
  timestamp: formatTime(commit.committer.date),
  author: { name: commit.author.name, email: commit.author.email },
  committer: { name: commit.committer.name, email: commit.committer.email },
})

export const presentAnnotation = (repository: Repository, sha: string, annotation: Annotation, view: View) => ({
  path: annotation.path,
  blob_href: `${placesOf(repository, view).url}/contents/${encodePath(annotation.path)}?ref=${sha}`,
  start_line: annotation.startLine,
  end_line: annotation.endLine,
  start_column: annotation.startColumn,
  end_column: annotation.endColumn,
  annotation_level: annotation.level,
  title: annotation.title,
  message: annotation.message,
  raw_details: annotation.rawDetails,
})
