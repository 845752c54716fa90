/** Threads, subscriptions and marks in this API's format. */
import type { Mark } from '../../../forge/notifications/inbox/marking.ts'
import type { InboxState } from '../../../forge/notifications/inbox/streams.ts'
import type { ThreadSubscription } from '../../../forge/notifications/inbox/subscriptions.ts'
import type { ChangedThread } from '../../../forge/notifications/inbox/thread-changes.ts'
import type { Thread, ThreadSubject } from '../../../forge/notifications/inbox/threads.ts'
import { presentRepository } from '../repositories/present-repository.ts'
import { formatTime, type View } from '../view.ts'

export function presentThread(thread: Thread, view: View) {
  const { id, repository, reason, isUnread, updatedAt, lastReadAt } = thread
  const url = `${view.base}/notifications/threads/${id}`
  return {
    id: String(id),
    repository: presentRepository(repository, view),
    subject: presentSubject(thread.subject, `${view.base}/repos/${repository.owner.login}/${repository.name}`, view),
    reason,
    unread: isUnread,
    updated_at: formatTime(updatedAt),
    last_read_at: lastReadAt && formatTime(lastReadAt),
    url,
    subscription_url: `${url}/subscription`,
  }
}

/** Includes the address of its page, for callers that request it. */
export const presentThreadWithPage = (thread: Thread, view: View) => ({
  ...presentThread(thread, view),
  html_url: writePageAddress(thread, view),
})

function writePageAddress({ subject, repository: { owner, name } }: Thread, { origin }: View): string {
  const repository = `${origin}/${owner.login}/${name}`
  switch (subject.kind) {
    case 'issue':
      return `${repository}/${subject.isPull ? 'pull' : 'issues'}/${subject.number}`
    case 'commit':
      return `${repository}/commit/${subject.sha}`
    case 'release':
      return `${repository}/releases`
    case 'invitation':
      return `${repository}/invitations`
    case 'external':
      return subject.submissionId === undefined ? repository : `${origin}/-/judge/submissions/${subject.submissionId}`
  }
}

export const presentChangedThread = ({ id, before, now }: ChangedThread) => ({ id: String(id), ...now, before })

function presentSubject(subject: ThreadSubject, repository: string, { base }: View) {
  const { title } = subject
  const present = (type: string, url: string, latest: string | null = null) => ({
    title,
    url,
    latest_comment_url: latest ?? url,
    type,
  })
  switch (subject.kind) {
    case 'issue': {
      const { latestComment: comment } = subject
      const latest = comment && `${repository}/${comment.isOfReview ? 'pulls' : 'issues'}/comments/${comment.id}`
      return subject.isPull
        ? present('PullRequest', `${repository}/pulls/${subject.number}`, latest)
        : present('Issue', `${repository}/issues/${subject.number}`, latest)
    }
    case 'commit': {
      const { latestCommentId: comment } = subject
      const latest = comment === null ? null : `${repository}/comments/${comment}`
      return present('Commit', `${repository}/commits/${subject.sha}`, latest)
    }
    case 'release':
      return present('Release', `${repository}/releases/${subject.id}`)
    case 'invitation':
      return present('RepositoryInvitation', `${base}/user/repository_invitations/${subject.id}`)
    case 'external':
      return present(
        subject.type,
        subject.url?.startsWith('/') ? repository + subject.url : (subject.url ?? repository),
        subject.latestCommentUrl,
      )
  }
}

export function presentSubscription(subscription: ThreadSubscription, { base }: View) {
  const url = `${base}/notifications/threads/${subscription.threadId}`
  return {
    subscribed: subscription.isSubscribed,
    ignored: subscription.isIgnored,
    reason: subscription.reason,
    created_at: subscription.createdAt && formatTime(subscription.createdAt),
    url: `${url}/subscription`,
    thread_url: url,
  }
}

export const markUrl = ({ id }: Mark, { base }: View): string => `${base}/notifications/marks/${id}`

export const presentMark = (mark: Mark, view: View) => ({
  id: mark.id,
  state: mark.finishedAt ? 'finished' : 'running',
  total: mark.total,
  marked: mark.marked,
  created_at: formatTime(mark.createdAt),
  finished_at: mark.finishedAt && formatTime(mark.finishedAt),
  url: markUrl(mark, view),
})

export const presentInbox = ({ change, modifiedAt, unread }: InboxState) => ({
  change,
  last_modified: formatTime(modifiedAt),
  unread,
})
