/** The rights on an issue: by level on the repository, by authorship, and by a token's permissions. */
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { type Level, reaches } from '../access/level.ts'
import type { Access, HeldLevel } from '../access/opening.ts'
import type { OpenRepository, Repository } from '../access/repository.ts'
import { demandGrant, isGrantedTo } from '../access/required-grant.ts'
import { notFound } from '../failures.ts'
import type { IssueCore } from './issue-row.ts'

type Kind = Pick<IssueCore, 'is_pull'>

/** Issues may be switched off; pulls stay. */
export function demandIssuesOn({ options }: Repository): void {
  if (!options.hasIssues) throw new Failure('not-found', 'gone', 'Issues are disabled for this repo')
}

const permissionFor = ({ is_pull }: Kind) => (is_pull === 1 ? 'pull_requests' : 'issues')

/** Routes serve both kinds, so they admit tokens for either: private things of the other kind answer "not found". */
export function demandReadable(actor: Actor, repository: OpenRepository, issue: Kind): void {
  if (issue.is_pull === 0) demandIssuesOn(repository)
  const permissions = [{ name: permissionFor(issue), level: 'read' as const }]
  if (repository.isPrivate && !isGrantedTo(actor, { scopes: [], permissions }, repository.owner)) throw notFound()
}

/** The token must cover this kind, and the account must have the level, or be the author if that is enough. */
export function demandMayChange(
  { actor, repository }: Access<HeldLevel>,
  issue: Kind & Pick<IssueCore, 'author_id'>,
  level: Level,
  { orAuthor = false } = {},
): void {
  if (issue.is_pull === 0) demandIssuesOn(repository)
  demandKind(actor, repository, issue)
  const isAuthor = issue.author_id === actor.account.id
  demand(
    reaches(repository.level, level) || (orAuthor && isAuthor),
    'forbidden',
    'level-missing',
    orAuthor
      ? `Must be its author, or have ${level} rights to Repository.`
      : `Must have ${level} rights to Repository.`,
  )
}

function demandKind(actor: SignedIn, { owner }: OpenRepository, issue: Kind): void {
  const permissions = [{ name: permissionFor(issue), level: 'write' as const }]
  demandGrant(actor, { tokens: [], scopes: [], permissions }, [], owner)
}

/** In a locked conversation only users with write rights may comment or edit comments. */
export function demandUnlocked({ repository }: Access<HeldLevel>, issue: Pick<IssueCore, 'is_locked'>): void {
  demand(
    issue.is_locked === 0 || reaches(repository.level, 'write'),
    'forbidden',
    'issue-locked',
    'Unable to create comment because issue is locked.',
  )
}
