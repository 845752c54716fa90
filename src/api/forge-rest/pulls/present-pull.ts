/** Presents pulls: briefly in lists, and in full with git's figures. */
import type { Repository } from '../../../forge/access/repository.ts'
import type { MergeStanding } from '../../../forge/commits/branch-rules.ts'
import type { AutoMerge, Pull, PullEnd } from '../../../forge/pulls/pull.ts'
import type { Mergeability, Sizes } from '../../../forge/pulls/pull-figures.ts'
import { presentIssue } from '../issues/present-issue.ts'
import { presentUser } from '../people/present-people.ts'
import { presentTeam } from '../people/present-teams.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import { formatTime, nodeId, type View } from '../view.ts'

export const pullPlaces = ({ owner, name }: Repository, number: number, { base, origin }: View) => ({
  repository: `${base}/repos/${owner.login}/${name}`,
  url: `${base}/repos/${owner.login}/${name}/pulls/${number}`,
  html: `${origin}/${owner.login}/${name}/pull/${number}`,
})

const presentEnd = ({ ref, sha, owner, repository }: PullEnd, view: View) => ({
  label: `${owner?.login ?? 'unknown'}:${ref}`,
  ref,
  sha,
  user: owner && presentUser(owner, view),
  repo: repository && presentListedRepository(repository, view),
})

export function presentPull(pull: Pull, view: View) {
  const { issue, base, head } = pull
  const { repository, url, html } = pullPlaces(base.repository, issue.number, view)
  // Members of its issue that have the same names, besides links.
  const {
    title,
    user,
    labels,
    state,
    locked,
    active_lock_reason,
    assignees,
    milestone,
    created_at,
    updated_at,
    closed_at,
    author_association,
    body,
  } = presentIssue(issue, base.repository, view)
  const issueUrl = `${repository}/issues/${issue.number}`
  const links = {
    comments: `${issueUrl}/comments`,
    review_comments: `${url}/comments`,
    review_comment: `${repository}/pulls/comments{/number}`,
    commits: `${url}/commits`,
    statuses: `${repository}/statuses/${head.sha}`,
  }
  return {
    url,
    id: issue.id,
    node_id: nodeId('PullRequest', issue.id),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issueUrl,
    commits_url: links.commits,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    comments_url: links.comments,
    statuses_url: links.statuses,
    number: issue.number,
    state,
    locked,
    title,
    user,
    body,
    labels,
    milestone,
    active_lock_reason,
    created_at,
    updated_at,
    closed_at,
    merged_at: pull.mergedAt && formatTime(pull.mergedAt),
    merge_commit_sha: pull.mergeSha,
    // Both versions have `assignee`: the newer one dropped it only from issues.
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: pull.requestedUsers.map((person) => presentUser(person, view)),
    requested_teams: pull.requestedTeams.map((team) => presentTeam(team, view)),
    head: presentEnd(head, view),
    base: presentEnd(base, view),
    _links: {
      self: { href: url },
      html: { href: html },
      issue: { href: issueUrl },
      ...Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
    },
    author_association,
    auto_merge: pull.autoMerge && presentAutoMerge(pull.autoMerge, view),
    draft: pull.isDraft,
  }
}

const presentAutoMerge = ({ by, method, title, message }: AutoMerge, view: View) => ({
  enabled_by: presentUser(by, view),
  merge_method: method,
  commit_title: title ?? '',
  commit_message: message ?? '',
})

export type PullDetails = {
  readonly sizes: Sizes
  readonly mergeability: Mergeability
  readonly reviewCommentCount: number
  /** The result of the base's rules and the head's statuses. */
  readonly standing: MergeStanding
}

export function presentWholePull(pull: Pull, details: PullDetails, view: View) {
  const { sizes, mergeability, reviewCommentCount } = details
  return {
    ...presentPull(pull, view),
    merged: pull.mergedAt !== null,
    mergeable: mergeability.isMergeable,
    rebaseable: mergeability.isRebaseable,
    mergeable_state: nameState(pull, details),
    merged_by: pull.mergedBy && presentUser(pull.mergedBy, view),
    comments: pull.issue.commentCount,
    review_comments: reviewCommentCount,
    maintainer_can_modify: pull.mayMaintainersPush,
    commits: sizes.commits,
    additions: sizes.additions,
    deletions: sizes.deletions,
    changed_files: sizes.changedFiles,
  }
}

function nameState({ isDraft }: Pull, { mergeability, standing }: PullDetails): string {
  if (mergeability.isMergeable === null) return 'unknown'
  if (!mergeability.isMergeable) return 'dirty'
  return isDraft ? 'draft' : standing
}
