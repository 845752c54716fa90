/** The services of contests, made once and connected. */
import type { Accounts } from '../../accounts/accounts.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { PasswordRights } from '../account-access/created-accounts.ts'
import type { ContestAccess } from '../contest-access/contest-access.ts'
import type { Limits } from '../limits.ts'
import type { Problems } from '../problems/problems.ts'
import { releaseProblems } from '../problems/releasing.ts'
import type { StoreSheet } from '../results/grade-sheet.ts'
import type { FinishedSubmissions } from '../submissions/finished-submissions.ts'
import type { SubmissionEventPublisher } from '../submissions/submission-events.ts'
import type { Submissions } from '../submissions/submissions.ts'
import { makeBalloons } from './balloons.ts'
import { makeBoardReaders } from './board/board-readers.ts'
import { makeBoards } from './board/boards.ts'
import { makeCertificates } from './certificates.ts'
import { makeClarifications } from './clarifications.ts'
import { makeContestDoors } from './contest-doors.ts'
import { makeContestParts } from './contest-parts.ts'
import { makeContestPhases } from './contest-phases.ts'
import { makeContestReading } from './contest-reading.ts'
import { makeContestSubmissions } from './contest-submissions.ts'
import { makeContestTeams } from './contest-teams.ts'
import { makeContests } from './contests.ts'
import { makeRejudgings } from './rejudgings.ts'
import { makeScoreboards } from './scoreboards.ts'
import { makeSeries } from './series.ts'

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  limits: Limits
  switches: Switches
  accounts: Pick<Accounts, 'findByName' | 'demandOwnPassword'>
  events: SubmissionEventPublisher
  problems: Problems
  submissions: Submissions
  contestAccess: ContestAccess
  passwordRights: PasswordRights
  finishedSubmissions: FinishedSubmissions
  storeSheet: StoreSheet
}

export type ContestServices = ReturnType<typeof makeContestServices>

export function makeContestServices(needs: Needs) {
  const { store, clock, jobs, limits, switches, accounts, events, problems, submissions, contestAccess } = needs
  const { passwordRights } = needs
  const findAccount = accounts.findByName
  const doors = makeContestDoors(contestAccess)
  const phases = makeContestPhases({ store, clock, jobs, releaseProblems })
  const boards = makeBoards({ store, clock, contestAccess })
  const contestSubmissions = makeContestSubmissions({
    store,
    clock,
    limits,
    switches,
    doors,
    contestAccess,
    submissions,
    events,
    finishedSubmissions: needs.finishedSubmissions,
    demandPassword: accounts.demandOwnPassword,
    record: (trx, actor, action, data) => recordAudit(trx, clock.now(), actor, { action, data }),
  })
  const contestTeams = makeContestTeams({ store, clock, limits, doors, findAccount, passwordRights })
  const scoreboards = makeScoreboards({ readers: makeBoardReaders({ store, clock, contestAccess }), boards, clock })
  return {
    contestAccess,
    contestDoors: doors,
    contests: makeContests({ store, clock, limits, findAccount, contestAccess, doors, phases }),
    contestParts: makeContestParts({ store, clock, limits, doors, contestAccess, problems }),
    contestTeams,
    contestReading: makeContestReading({ store, clock, contestTeams }),
    contestSubmissions,
    clarifications: makeClarifications({ store, clock, limits, doors }),
    balloons: makeBalloons({ store, doors, boards }),
    rejudgings: makeRejudgings({ store, clock, limits, doors, phases, contestSubmissions, events }),
    scoreboards,
    series: makeSeries({ scoreboards, storeSheet: needs.storeSheet }),
    certificates: makeCertificates({ store, clock, doors, scoreboards }),
    contestPhases: phases,
  }
}
