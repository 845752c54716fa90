/** An issue event as it is shown, with the people and teams that it names. */
import type { Selectable } from 'kysely'
import type { Actor } from '../../../accounts/actor.ts'
import type { IssueEventTable } from '../../../store/schema/issue-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { readSeen } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import { type App, readApps } from '../../apps/app.ts'
import { readPeople } from '../../people/reading.ts'
import { type Team, toTeam } from '../../people/team.ts'
import { keepVisibleTeams } from '../../people/team-visibility.ts'
import { type Person, toPerson } from '../../person.ts'
import type { EventData, EventType } from '../event-recording.ts'

export type EventRow = Selectable<IssueEventTable>

/** The members of all types of events; `EventData` says which members a type has. */
export type IssueEvent = {
  readonly id: number
  readonly issueId: number
  readonly event: EventType
  readonly actor: Person
  /** Null if the actor may not see the commit's repository. */
  readonly commitSha: string | null
  /** The commit's repository; absent if it is the event's own. */
  readonly commitRepository?: Repository | undefined
  /** The app that acted. */
  readonly app: App | null
  readonly createdAt: Date
  readonly label?: EventData['labeled']['label']
  readonly milestone?: EventData['milestoned']['milestone']
  readonly rename?: EventData['renamed']['rename']
  readonly lockReason?: string | null
  readonly stateReason?: string | null
  readonly dismissedReview?: EventData['review_dismissed']['dismissedReview']
  readonly assignee?: Person
  readonly assigner?: Person
  readonly reviewRequester?: Person
  readonly requestedReviewer?: Person
  readonly requestedTeam?: Team
}

/** The stored data: some members are shown unchanged, the ids are resolved. */
type Stored = Pick<IssueEvent, 'label' | 'milestone' | 'rename' | 'lockReason' | 'stateReason' | 'dismissedReview'> & {
  assigneeId?: number
  assignerId?: number
  requesterId?: number
  reviewerId?: number
  teamId?: number
}

/**
 * In the order of the rows, with a few more queries. Leaves out users who are gone, and teams and commits of other
 * repositories that the actor may not see.
 */
export async function completeEvents(db: Db, actor: Actor, rows: readonly EventRow[]): Promise<IssueEvent[]> {
  const parsed = rows.map((row) => ({ row, stored: JSON.parse(row.data) as Stored }))
  const people = await readPeople(
    db,
    parsed.flatMap(({ row, stored: { assigneeId, assignerId, requesterId, reviewerId } }) =>
      [row.actor_id, assigneeId, assignerId, requesterId, reviewerId].filter((id) => id !== undefined),
    ),
  )
  const teams = await readTeams(
    db,
    actor,
    parsed.flatMap(({ stored }) => stored.teamId ?? []),
  )
  const apps = await readApps(
    db,
    rows.flatMap(({ app_id }) => app_id ?? []),
  )
  const elsewhere = await readSeen(db, actor, rows.flatMap(placeElsewhere))
  const person = (name: keyof IssueEvent, id: number | undefined) =>
    id !== undefined && people.has(id) ? { [name]: people.get(id)! } : {}
  return parsed.map(({ row, stored }) => {
    const { assigneeId, assignerId, requesterId, reviewerId, teamId, ...plain } = stored
    const team = teamId === undefined ? undefined : teams.get(teamId)
    const [place] = placeElsewhere(row)
    const commitRepository = place === undefined ? undefined : elsewhere.get(place)
    return {
      id: row.id,
      issueId: row.issue_id,
      event: row.event as EventType,
      actor: people.get(row.actor_id)!,
      commitSha: place === undefined || commitRepository ? row.commit_sha : null,
      commitRepository,
      app: row.app_id === null ? null : (apps.get(row.app_id) ?? null),
      createdAt: new Date(row.created_at),
      ...plain,
      ...person('assignee', assigneeId),
      ...person('assigner', assignerId),
      ...person('reviewRequester', requesterId),
      ...person('requestedReviewer', reviewerId),
      ...(team && { requestedTeam: team }),
    }
  })
}

/** The repository of the event's commit, if it is not the event's own. */
export const placeElsewhere = ({
  commit_sha: sha,
  commit_repository_id: place,
  repository_id: own,
}: Pick<EventRow, 'commit_sha' | 'commit_repository_id' | 'repository_id'>): [] | [number] =>
  sha === null || place === null || place === own ? [] : [place]

async function readTeams(db: Db, actor: Actor, ids: readonly number[]): Promise<Map<number, Team>> {
  if (ids.length === 0) return new Map()
  const named = await db
    .selectFrom('team')
    .innerJoin('account as organisation', 'organisation.id', 'team.organisation_id')
    .selectAll('team')
    .select(['organisation.name as login', 'organisation.kind', 'organisation.role'])
    .where('team.id', 'in', [...new Set(ids)])
    .execute()
  const rows = await keepVisibleTeams(db, actor, named)
  return new Map(
    rows.map((row) => [
      row.id,
      toTeam(toPerson({ id: row.organisation_id, kind: row.kind, name: row.login, role: row.role }), row),
    ]),
  )
}
