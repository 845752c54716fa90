/** Presents issues, labels and milestones in lists, single responses and events. */

import type { Repository } from '../../../forge/access/repository.ts'
import type { App } from '../../../forge/apps/app.ts'
import {
  type Issue,
  type Label,
  type Milestone,
  type ReactionCounts,
  reactionContents,
} from '../../../forge/issues/issue.ts'
import { presentApp } from '../apps/present-app.ts'
import { presentUser } from '../people/present-people.ts'
import { formatTime, nodeId, type View } from '../view.ts'

const repositoryUrl = ({ owner, name }: Repository, { base }: View) => `${base}/repos/${owner.login}/${name}`
const repositoryPage = ({ owner, name }: Repository, { origin }: View) => `${origin}/${owner.login}/${name}`

const formatTimeOrNull = (date: Date | null) => date && formatTime(date)

/** The app that performed an action, under both names. */
export function presentPerformer(app: App | null, view: View) {
  const shown = app && presentApp(app, view)
  return { performed_via_platform_app: shown, performed_via_github_app: shown }
}

export function presentLabel({ id, name, color, description, isDefault }: Label, repository: Repository, view: View) {
  return {
    id,
    node_id: nodeId('Label', id),
    url: `${repositoryUrl(repository, view)}/labels/${encodeURIComponent(name)}`,
    name,
    color,
    default: isDefault,
    description,
  }
}

export function presentMilestone(milestone: Milestone, repository: Repository, view: View) {
  const { id, number } = milestone
  const url = `${repositoryUrl(repository, view)}/milestones/${number}`
  return {
    url,
    html_url: `${repositoryPage(repository, view)}/milestone/${number}`,
    labels_url: `${url}/labels`,
    id,
    node_id: nodeId('Milestone', id),
    number,
    title: milestone.title,
    description: milestone.description,
    creator: presentUser(milestone.creator, view),
    open_issues: milestone.openIssueCount,
    closed_issues: milestone.closedIssueCount,
    state: milestone.state,
    created_at: formatTime(milestone.createdAt),
    updated_at: formatTime(milestone.updatedAt),
    due_on: formatTimeOrNull(milestone.dueOn),
    closed_at: formatTimeOrNull(milestone.closedAt),
  }
}

/** `url` is the address of the list of reactions. */
export function presentReactions(counts: ReactionCounts, url: string) {
  const each = reactionContents.map((content) => [content, counts[content] ?? 0] as const)
  return {
    url,
    total_count: each.reduce((sum, [, count]) => sum + count, 0),
    ...(Object.fromEntries(each) as Record<(typeof reactionContents)[number], number>),
  }
}

export function presentIssue(issue: Issue, repository: Repository, view: View) {
  const { id, number, isPull } = issue
  const base = repositoryUrl(repository, view)
  const url = `${base}/issues/${number}`
  const assignees = issue.assignees.map((user) => presentUser(user, view))
  return {
    url,
    repository_url: base,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: `${repositoryPage(repository, view)}/${isPull ? 'pull' : 'issues'}/${number}`,
    id,
    node_id: nodeId(isPull ? 'PullRequest' : 'Issue', id),
    number,
    title: issue.title,
    user: presentUser(issue.author, view),
    labels: issue.labels.map((label) => presentLabel(label, repository, view)),
    state: issue.state,
    locked: issue.isLocked,
    ...(view.version === '2022-11-28' && { assignee: assignees[0] ?? null }),
    assignees,
    milestone: issue.milestone && presentMilestone(issue.milestone, repository, view),
    comments: issue.commentCount,
    created_at: formatTime(issue.createdAt),
    updated_at: formatTime(issue.updatedAt),
    closed_at: formatTimeOrNull(issue.closedAt),
    author_association: issue.association,
    active_lock_reason: issue.lockReason,
    ...(issue.pull && { draft: issue.pull.isDraft, pull_request: presentPullLinks(issue, repository, view) }),
    body: issue.body,
    closed_by: issue.closedBy && presentUser(issue.closedBy, view),
    reactions: presentReactions(issue.reactions, `${url}/reactions`),
    timeline_url: `${url}/timeline`,
    ...presentPerformer(issue.app, view),
    pinned_comment: null,
    state_reason: issue.stateReason,
  }
}

function presentPullLinks({ number, pull }: Issue, repository: Repository, view: View) {
  const html = `${repositoryPage(repository, view)}/pull/${number}`
  return {
    url: `${repositoryUrl(repository, view)}/pulls/${number}`,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    merged_at: pull && formatTimeOrNull(pull.mergedAt),
  }
}
