/** The reasons and kinds of notifications in words. */
import type { Reason } from '../../src/forge/notifications/delivery/reasons.ts'

const words: Readonly<Record<Reason, string>> = {
  approval_requested: 'Your approval was requested',
  assign: 'You are assigned',
  author: 'You opened it',
  ci_activity: 'A run has finished',
  comment: 'You commented',
  invitation: 'You are invited',
  manual: 'You follow it',
  member_feature_requested: 'Members requested a feature',
  mention: 'You were mentioned',
  review_requested: 'Your review was requested',
  security_advisory_credit: 'You are credited',
  security_alert: 'Security alert',
  state_change: 'You changed its state',
  subscribed: 'You watch the repository',
  team_mention: 'Your team was mentioned',
}

/** A server may be newer than the page. */
export const reasonWords: Readonly<Record<string, string>> = words

/** The names of kinds in filters, and of subject types. */
export const typeChoices = [
  ['issue', 'Issues'],
  ['pull', 'Pull requests'],
  ['commit', 'Commits'],
  ['release', 'Releases'],
  ['invitation', 'Invitations'],
  ['external', 'Verdicts, runs and alerts'],
] as const

const typeWords: Readonly<Record<string, string>> = {
  Issue: 'Issue',
  PullRequest: 'Pull request',
  Commit: 'Commit',
  Release: 'Release',
  RepositoryInvitation: 'Invitation',
  CheckSuite: 'Run',
}

export const isVerdict = ({ html_url }: { html_url: string }): boolean =>
  new URL(html_url).pathname.startsWith('/-/judge/submissions/')

export function describeKind(thread: { html_url: string; subject: { type: string; url: string } }): string {
  if (isVerdict(thread)) return 'Verdict'
  const { type, url } = thread.subject
  const number = /\/(?:issues|pulls)\/(\d+)$/.exec(url)?.[1]
  return `${typeWords[type] ?? type}${number ? ` #${number}` : ''}`
}
