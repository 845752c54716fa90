/** Review requests to collaborators, members and teams of the repository, never to the pull's author. */
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Access } from '../../access/opening.ts'
import type { OpenRepository } from '../../access/repository.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { listAssignable } from '../../issues/assignees/assignable.ts'
import { recordEvent } from '../../issues/event-recording.ts'
import { actOf, type IssueAct, placeOf, withIssueLocks } from '../../issues/issue-act.ts'
import { demandMayChange } from '../../issues/issue-rights.ts'
import { touchIssue } from '../../issues/issue-row.ts'
import { subjectOf } from '../../issues/issue-state.ts'
import { refuse } from '../pull-opening.ts'
import { findPull } from '../pull-row.ts'

export type Reviewers = { readonly users: readonly string[]; readonly teams: readonly string[] }

/** The public platform's bound for users and teams together. */
export const maxReviewers = 15

type Subject = { readonly userId: number } | { readonly teamId: number }
type Named = { readonly userId: number; readonly login: string }

type Needs = { store: Store; clock: Clock; activity: ActivityRecord }

export type ReviewRequests = ReturnType<typeof makeReviewRequests>

export function makeReviewRequests({ store, clock, activity }: Needs) {
  async function findUsers(trx: Db, logins: readonly string[]): Promise<Named[]> {
    const found: Named[] = []
    for (const login of logins) {
      const user = await trx
        .selectFrom('account')
        .select(['id', 'name'])
        .where('name_key', '=', login.toLowerCase())
        .where('kind', '=', 'user')
        .executeTakeFirst()
      if (!user) throw refuseOutsider(login)
      found.push({ userId: user.id, login: user.name })
    }
    return found
  }

  /** Users who may be assigned may be requested. Earlier requests to others can still be withdrawn. */
  async function demandMayReview(trx: Db, repository: OpenRepository, authorId: number, users: readonly Named[]) {
    if (users.some(({ userId }) => userId === authorId))
      throw refuse('Review cannot be requested from pull request author.')
    const logins = users.map(({ login }) => login)
    const near = new Set((await listAssignable(trx, repository, { logins })).map(({ id }) => id))
    const outsider = users.find(({ userId }) => !near.has(userId))
    if (outsider) throw refuseOutsider(outsider.login)
  }

  /** Teams of the owning organisation, by slug. */
  async function findTeams(trx: Db, { id, owner }: OpenRepository, slugs: readonly string[]): Promise<Subject[]> {
    const subjects: Subject[] = []
    for (const slug of slugs) {
      const team = await trx
        .selectFrom('team')
        .innerJoin('team_ancestor', 'team_ancestor.team_id', 'team.id')
        .innerJoin('team_repository', 'team_repository.team_id', 'team_ancestor.ancestor_id')
        .select('team.id')
        .where('team.organisation_id', '=', owner.id)
        .where('team.slug', '=', slug.toLowerCase())
        .where('team_repository.repository_id', '=', id)
        .executeTakeFirst()
      if (!team) throw refuse('Reviews may only be requested from teams of the repository.')
      subjects.push({ teamId: team.id })
    }
    return subjects
  }

  const find = (trx: Db, issueId: number, subject: Subject) => {
    const query = trx.selectFrom('review_request').select('id').where('issue_id', '=', issueId)
    return 'userId' in subject
      ? query.where('user_id', '=', subject.userId).executeTakeFirst()
      : query.where('team_id', '=', subject.teamId).executeTakeFirst()
  }

  async function request(trx: Db, by: IssueAct, issueId: number, subject: Subject): Promise<void> {
    if (await find(trx, issueId, subject)) return
    const named =
      'userId' in subject ? { user_id: subject.userId, team_id: null } : { user_id: null, team_id: subject.teamId }
    await trx
      .insertInto('review_request')
      .values({ ...named, issue_id: issueId, created_at: by.now })
      .execute()
    await recordEvent(trx, placeOf(by, issueId), 'review_requested', {
      requesterId: by.actorId,
      ...nameInEvent(subject),
    })
    await activity.record(trx, { kind: 'review-requested', ...subjectOf(by, issueId), data: nameInEvent(subject) })
  }

  async function withdraw(trx: Db, by: IssueAct, issueId: number, subject: Subject): Promise<void> {
    const known = await find(trx, issueId, subject)
    if (!known) return
    await trx.deleteFrom('review_request').where('id', '=', known.id).execute()
    const data = { requesterId: by.actorId, ...nameInEvent(subject) }
    await recordEvent(trx, placeOf(by, issueId), 'review_request_removed', data)
    await activity.record(trx, {
      kind: 'issue-changed',
      ...subjectOf(by, issueId),
      data: { action: 'review_request_removed', ...nameInEvent(subject) },
    })
  }

  /** Allowed for the pull's author and for triage access. */
  const change = (
    access: Access<'read'>,
    number: number,
    { users, teams }: Reviewers,
    act: (trx: Db, by: IssueAct, issueId: number, subject: Subject) => Promise<void>,
    isAsking: boolean,
  ): Promise<number> =>
    store.write(async (trx) => {
      const { repository } = access
      const { issue } = await findPull(trx, repository.id, number)
      demandMayChange(access, issue, 'triage', { orAuthor: true })
      const named = await findUsers(trx, users)
      if (isAsking) await demandMayReview(trx, repository, issue.author_id, named)
      const subjects = [...named, ...(await findTeams(trx, repository, teams))]
      const by = actOf(access, clock.now())
      for (const subject of subjects) await act(trx, by, issue.id, subject)
      if (isAsking) await demandFew(trx, issue.id)
      await touchIssue(trx, issue.id, by.now)
      return issue.id
    }, withIssueLocks(access.repository.id))

  return {
    /** For what follows from an act: whom it names may be asked. */
    requestWithin: request,

    /** Answers the issue's id. */
    request: (access: Access<'read'>, number: number, reviewers: Reviewers) =>
      change(access, number, reviewers, request, true),

    withdraw: (access: Access<'read'>, number: number, reviewers: Reviewers) =>
      change(access, number, reviewers, withdraw, false),
  }
}

const refuseOutsider = (login: string) =>
  refuse(`Reviews may only be requested from collaborators. ${login} is not one of the repository’s.`)

const nameInEvent = (subject: Subject) =>
  'userId' in subject ? { reviewerId: subject.userId } : { teamId: subject.teamId }

async function demandFew(trx: Db, issueId: number): Promise<void> {
  const { count } = await trx
    .selectFrom('review_request')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('issue_id', '=', issueId)
    .executeTakeFirstOrThrow()
  if (Number(count) > maxReviewers) throw refuse(`Reviews are requested from ${maxReviewers} at most.`)
}
