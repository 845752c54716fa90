/** Reading issues: a page of them with labels, people, milestones and reactions in a fixed number of queries. */
import { sql } from 'kysely'
import { prepareFor } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { readApps } from '../apps/app.ts'
import { readPeople } from '../people/reading.ts'
import type { Person } from '../person.ts'
import type { Association, Issue, Label, Milestone, PullFacts, ReactionContent, ReactionCounts } from './issue.ts'
import { toLabel } from './labels/label-rows.ts'
import { toMilestone } from './milestones/milestone-rows.ts'

/** What pulls have beside their issue. Pulls stand above issues, so the forge passes their reader in. */
export type ReadPullFacts = (db: Db, issueIds: readonly number[]) => Promise<ReadonlyMap<number, PullFacts>>

/** Issues that were not deleted, with what their authors are to the repository. */
export const selectIssues = (db: Db) =>
  db
    .selectFrom('issue')
    .innerJoin('repository', 'repository.id', 'issue.repository_id')
    .selectAll('issue')
    .select('repository.owner_id as owner_id')
    .select(isCollaborator('issue.author_id').as('is_collaborator'))
    .select(isMember('issue.author_id').as('is_member'))
    .select(hasContributed('issue.author_id').as('has_contributed'))
    .where('issue.deleted_at', 'is', null)

/** For queries that join `repository`. */
export const isCollaborator = (userColumn: string) =>
  sql<number>`(select count(*) from collaborator c
    where c.repository_id = repository.id and c.user_id = ${sql.ref(userColumn)})`
export const isMember = (userColumn: string) =>
  sql<number>`(select count(*) from organisation_member m
    where m.organisation_id = repository.owner_id and m.user_id = ${sql.ref(userColumn)} and m.state = 'active')`

/** Whether a pull of theirs was merged, which is how strangers contribute. */
export const hasContributed = (userColumn: string) =>
  sql<number>`(select count(*) from (select 1 from issue ci join pull cp on cp.issue_id = ci.id
    where ci.repository_id = repository.id and ci.author_id = ${sql.ref(userColumn)} and ci.is_pull = 1
    and cp.merged_at is not null limit 1) contribution)`

export type IssueRow = Awaited<ReturnType<ReturnType<typeof selectIssues>['executeTakeFirstOrThrow']>>

export type IssueReading = ReturnType<typeof makeIssueReading>

export function makeIssueReading({ store, readPullFacts }: { store: Store; readPullFacts: ReadPullFacts }) {
  /** In the order of the rows. */
  async function complete(rows: readonly IssueRow[], db: Db = store.db): Promise<Issue[]> {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const milestoneIds = [...new Set(rows.flatMap(({ milestone_id }) => milestone_id ?? []))]
    const pullIds = rows.filter(({ is_pull }) => is_pull === 1).map(({ id }) => id)
    const labels = await readLabels(db, ids)
    const assignees = await readAssignees(db, ids)
    const milestones = milestoneIds.length > 0 ? await readMilestones(db, { ids: milestoneIds }) : []
    const reactions = await readReactionCounts(db, 'issue', ids)
    const pulls: ReadonlyMap<number, PullFacts> = pullIds.length > 0 ? await readPullFacts(db, pullIds) : new Map()
    const apps = await readApps(
      db,
      rows.flatMap(({ app_id }) => app_id ?? []),
    )
    const people = await readPeople(db, [
      ...rows.flatMap(({ author_id, closed_by_id }) =>
        closed_by_id === null ? [author_id] : [author_id, closed_by_id],
      ),
      ...[...assignees.values()].flat(),
      ...milestones.map(({ creator_id }) => creator_id),
    ])
    const milestoneById = new Map(milestones.map((row) => [row.id, toMilestone(row, people.get(row.creator_id)!)]))
    return rows.map((row) =>
      toIssue(row, {
        labels: labels.get(row.id) ?? [],
        assignees: (assignees.get(row.id) ?? []).map((id) => people.get(id)!),
        milestone: row.milestone_id === null ? null : (milestoneById.get(row.milestone_id) ?? null),
        reactions: reactions.get(row.id) ?? {},
        pull: row.is_pull === 1 ? (pulls.get(row.id) ?? { isDraft: false, mergedAt: null }) : null,
        app: row.app_id === null ? null : (apps.get(row.app_id) ?? null),
        people,
      }),
    )
  }

  return {
    complete,

    /** Deleted ones are left out. */
    async readByIds(ids: readonly number[], db: Db = store.db): Promise<Map<number, Issue>> {
      if (ids.length === 0) return new Map()
      const rows = await issuesByIds(db, { ids: [...new Set(ids)] })
      return new Map((await complete(rows, db)).map((issue) => [issue.id, issue]))
    },

    async readById(id: number, db: Db = store.db): Promise<Issue | undefined> {
      const [issue] = await complete(await issuesByIds(db, { ids: [id] }), db)
      return issue
    },
  }
}

type Ids = { readonly ids: readonly number[] }

const issuesByIds = prepareFor((db, { ids }: Ids) => selectIssues(db).where('issue.id', 'in', ids))

const labelsOf = prepareFor((db, { ids }: Ids) =>
  db
    .selectFrom('issue_label')
    .innerJoin('label', 'label.id', 'issue_label.label_id')
    .selectAll('label')
    .select('issue_label.issue_id')
    .where('issue_label.issue_id', 'in', ids)
    .orderBy('label.name_key'),
)

async function readLabels(db: Db, issueIds: readonly number[]): Promise<Map<number, Label[]>> {
  const rows = await labelsOf(db, { ids: issueIds })
  const found = Map.groupBy(rows, ({ issue_id }) => issue_id)
  return new Map([...found].map(([id, group]) => [id, group.map(toLabel)]))
}

/** Whoever was assigned first is named first. */
const assigneesOf = prepareFor((db, { ids }: Ids) =>
  db
    .selectFrom('issue_assignee')
    .select(['issue_id', 'user_id'])
    .where('issue_id', 'in', ids)
    .orderBy('created_at')
    .orderBy('user_id'),
)

async function readAssignees(db: Db, issueIds: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await assigneesOf(db, { ids: issueIds })
  const found = Map.groupBy(rows, ({ issue_id }) => issue_id)
  return new Map([...found].map(([id, group]) => [id, group.map(({ user_id }) => user_id)]))
}

const readMilestones = prepareFor((db, { ids }: Ids) => db.selectFrom('milestone').selectAll().where('id', 'in', ids))

type Subjects = Ids & { readonly kind: 'issue' | 'issue-comment' | 'commit-comment' | 'review-comment' | 'release' }

const reactionsTo = prepareFor((db, { kind, ids }: Subjects) =>
  db
    .selectFrom('reaction')
    .select((eb) => ['subject_id', 'content', eb.fn.countAll<number>().as('count')])
    .where('subject_kind', '=', kind)
    .where('subject_id', 'in', ids)
    .groupBy(['subject_id', 'content']),
)

export async function readReactionCounts(
  db: Db,
  kind: Subjects['kind'],
  ids: readonly number[],
): Promise<Map<number, ReactionCounts>> {
  if (ids.length === 0) return new Map()
  const rows = await reactionsTo(db, { kind, ids })
  const found = Map.groupBy(rows, ({ subject_id }) => subject_id)
  return new Map(
    [...found].map(([id, group]) => [
      id,
      Object.fromEntries(group.map(({ content, count }) => [content as ReactionContent, Number(count)])),
    ]),
  )
}

type AssociationRow = { owner_id: number; is_collaborator: number; is_member: number; has_contributed: number }

export function associationOf(userId: number, row: AssociationRow): Association {
  if (row.owner_id === userId) return 'OWNER'
  if (Number(row.is_member) > 0) return 'MEMBER'
  if (Number(row.is_collaborator) > 0) return 'COLLABORATOR'
  return Number(row.has_contributed) > 0 ? 'CONTRIBUTOR' : 'NONE'
}

/** A pull is what makes a stranger a contributor, and says so beforehand. */
function associationOfAuthor(row: IssueRow): Association {
  const association = associationOf(row.author_id, row)
  return association === 'NONE' && row.is_pull === 1 ? 'FIRST_TIME_CONTRIBUTOR' : association
}

type Parts = Pick<Issue, 'labels' | 'assignees' | 'reactions' | 'pull' | 'app'> & {
  milestone: Milestone | null
  people: ReadonlyMap<number, Person>
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

const toIssue = (row: IssueRow, { people, ...parts }: Parts): Issue => ({
  id: row.id,
  repositoryId: row.repository_id,
  number: row.number,
  isPull: row.is_pull === 1,
  state: row.state,
  stateReason: row.state_reason,
  title: row.title,
  body: row.body,
  author: people.get(row.author_id)!,
  association: associationOfAuthor(row),
  isLocked: row.is_locked === 1,
  lockReason: row.lock_reason,
  pinnedAt: toDate(row.pinned_at),
  commentCount: row.comment_count,
  closedBy: row.closed_by_id === null ? null : (people.get(row.closed_by_id) ?? null),
  closedAt: toDate(row.closed_at),
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
  ...parts,
})
