/** Events of feeds in the public platform's format. */
import type { OpenRepository, Repository } from '../../../forge/access/repository.ts'
import type { FeedEvent, FeedPayloads, FeedType, PullBrief, PullBriefEnd } from '../../../forge/feeds/feed-event.ts'
import type { Person } from '../../../forge/person.ts'
import { presentCommitComment } from '../commits/commit-comment-routes.ts'
import { presentComment } from '../issues/comment-routes.ts'
import { presentIssue } from '../issues/present-issue.ts'
import { avatarUrl, presentUser } from '../people/present-people.ts'
import { presentReview, presentReviewComment } from '../pulls/present-review.ts'
import { presentRelease } from '../releases/present-release.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import { formatTime, type View } from '../view.ts'

type Present<T extends FeedType> = (payload: FeedPayloads[T], repository: OpenRepository, view: View) => object

const shortOf = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')
const kindOf = (ref: string): string => (ref.startsWith('refs/tags/') ? 'tag' : 'branch')

const briefRepository = ({ id, name, owner }: Repository, { base }: View) => ({
  id,
  url: `${base}/repos/${owner.login}/${name}`,
  name,
})

const presentEnd = ({ ref, sha, repository }: PullBriefEnd, view: View) => ({
  ref,
  sha,
  repo: repository && briefRepository(repository, view),
})

const presentBrief = ({ issue, base, head }: PullBrief, repository: Repository, view: View) => ({
  url: `${briefRepository(repository, view).url}/pulls/${issue.number}`,
  id: issue.id,
  number: issue.number,
  head: presentEnd(head, view),
  base: presentEnd(base, view),
})

const presenters: { readonly [T in FeedType]: Present<T> } = {
  PushEvent: ({ ref, before, after, pushId }, { id }) => ({
    repository_id: id,
    push_id: pushId,
    ref,
    head: after,
    before,
  }),
  CreateEvent: (made, { defaultBranch, description, name }) => ({
    ref: made ? shortOf(made.ref) : name,
    ref_type: made ? kindOf(made.ref) : 'repository',
    full_ref: made?.ref ?? `refs/heads/${defaultBranch}`,
    master_branch: defaultBranch,
    description,
    pusher_type: 'user',
  }),
  DeleteEvent: ({ ref }) => ({ ref: shortOf(ref), ref_type: kindOf(ref), full_ref: ref, pusher_type: 'user' }),
  ForkEvent: (fork, _, view) => ({ forkee: { ...presentListedRepository(fork, view), public: !fork.isPrivate } }),
  WatchEvent: () => ({}),
  PublicEvent: () => ({}),
  MemberEvent: (member, _, view) => ({ member: presentUser(member, view) }),
  IssuesEvent: (issue, repository, view) => ({ issue: presentIssue(issue, repository, view) }),
  IssueCommentEvent: ({ issue, comment }, repository, view) => ({
    issue: presentIssue(issue, repository, view),
    comment: presentComment(comment, repository, view),
  }),
  PullRequestEvent: (pull, repository, view) => ({
    number: pull.issue.number,
    pull_request: presentBrief(pull, repository, view),
  }),
  PullRequestReviewEvent: ({ pull, review }, repository, view) => ({
    review: presentReview(review, repository, pull.issue.number, view),
    pull_request: presentBrief(pull, repository, view),
  }),
  PullRequestReviewCommentEvent: ({ pull, comment }, repository, view) => ({
    pull_request: presentBrief(pull, repository, view),
    comment: presentReviewComment(comment, repository, view),
  }),
  ReleaseEvent: (release, repository, view) => ({ release: presentRelease(repository, release, view) }),
  CommitCommentEvent: (comment, repository, view) => ({ comment: presentCommitComment(repository, comment, view) }),
}

const presentActor = (person: Person, { base, origin }: View) => ({
  id: person.id,
  login: person.login,
  display_login: person.login,
  gravatar_id: '',
  url: `${base}/users/${person.login}`,
  avatar_url: avatarUrl(person, { origin }),
})

export function presentFeedEvent(event: FeedEvent, view: View) {
  const { repository } = event
  const present = presenters[event.type] as Present<FeedType>
  return {
    id: String(event.id),
    type: event.type,
    actor: presentActor(event.actor, view),
    repo: {
      id: repository.id,
      name: `${repository.owner.login}/${repository.name}`,
      url: briefRepository(repository, view).url,
    },
    payload: { ...(event.action && { action: event.action }), ...present(event.payload, repository, view) },
    public: event.isPublic,
    created_at: formatTime(event.createdAt),
    ...(repository.owner.kind === 'organisation' && { org: presentActor(repository.owner, view) }),
  }
}
