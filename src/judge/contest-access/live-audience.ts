/**
 * Live updates on a contest's submission go only to those who may know its verdict: the time of an update alone reveals
 * something.
 */
import { type Actor, isAdmin, type SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import { isWorker, ownsProblem } from '../access.ts'
import { toContest } from './contest.ts'
import { exposureTo } from './shown-submissions.ts'

/** For contest submissions with these ids: returns a function that decides whether an actor gets updates of it. */
export type FindContestAudience = (
  ids: readonly number[],
) => Promise<(actor: Actor & { account: { id: number; role: string } }, id: number) => boolean>

export function makeLiveAudience({
  store: { db },
  clock,
}: {
  store: Pick<Store, 'db'>
  clock: Clock
}): FindContestAudience {
  return async (ids) => {
    if (ids.length === 0) return () => false
    const rows = await db
      .selectFrom('contest_submission')
      .innerJoin('contest', 'contest.id', 'contest_submission.contest_id')
      .innerJoin('contest_team', 'contest_team.id', 'contest_submission.team_id')
      .innerJoin('submission', 'submission.id', 'contest_submission.submission_id')
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .leftJoin('present_result', 'present_result.submission_id', 'contest_submission.submission_id')
      .selectAll('contest')
      .select(['contest_submission.submission_id', 'contest_submission.team_id', 'contest_submission.handed_in_at'])
      .select(['contest_team.is_hidden', 'present_result.submission_id as judged_again'])
      .select('problem.author_id')
      .where('contest_submission.submission_id', 'in', ids)
      .execute()
    const contestIds = [...new Set(rows.map((row) => row.id))]
    if (contestIds.length === 0) return () => false
    const people = await db.selectFrom('contest_person').selectAll().where('contest_id', 'in', contestIds).execute()
    const members = await db.selectFrom('contest_member').selectAll().where('contest_id', 'in', contestIds).execute()
    const roleOf = new Map(people.map((one) => [`${one.contest_id} ${one.account_id}`, one.role]))
    const teamOf = new Map(members.map((one) => [`${one.contest_id} ${one.account_id}`, one.team_id]))
    const found = new Map(rows.map((row) => [row.submission_id, row]))
    const now = clock.now()
    return (actor, id) => {
      const row = found.get(id)
      if (!row) return false
      const contest = toContest(row)
      const key = `${row.id} ${actor.account.id}`
      const isOwner = contest.ownerId === actor.account.id && actor.account.role === 'problem_setter'
      const isJury = isAdmin(actor) || isOwner || roleOf.get(key) === 'jury'
      // A rejudging is hidden until it is applied.
      if (row.judged_again !== null) return false
      if (isWorker(actor as Parameters<typeof isWorker>[0])) return true
      const standing = {
        contest,
        isJury,
        isStaff: roleOf.get(key) === 'staff',
        teamId: teamOf.get(key) ?? null,
        ownsProblemsOf: (authorId: number) => ownsProblem(actor as SignedIn, { authorId }),
      }
      const submission = {
        id,
        teamId: row.team_id,
        isHiddenTeam: row.is_hidden === 1,
        handedInAt: row.handed_in_at,
        problemAuthorId: row.author_id,
      }
      const exposure = exposureTo(standing, submission, now)
      return exposure !== 'nothing' && exposure !== 'existence'
    }
  }
}
