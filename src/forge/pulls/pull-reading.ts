/** Reads a page of pulls with their ends and requested reviewers in a fixed number of queries. */
import type { Actor } from '../../accounts/actor.ts'
import { prepareFor } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { OpenRepository } from '../access/repository.ts'
import { notFound } from '../failures.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import type { IssueReading } from '../issues/issue-reading.ts'
import { readPeople } from '../people/reading.ts'
import { type TeamRow, type TeamWithParent, toTeam } from '../people/team.ts'
import { keepVisibleTeams } from '../people/team-visibility.ts'
import { type Person, toPerson } from '../person.ts'
import type { AutoMerge, MergeMethod, Pull } from './pull.ts'
import type { PullEnds } from './pull-ends.ts'
import type { PullRow } from './pull-row.ts'

type Needs = { store: Store; reading: GitReading; issueReading: IssueReading; ends: PullEnds }

export type PullReading = ReturnType<typeof makePullReading>

export function makePullReading({ store, reading, issueReading, ends }: Needs) {
  /** For open pulls, the base branch's present commit. If closed, or the branch is gone, the stored one is used. */
  async function findBaseShas(repository: OpenRepository, refs: readonly string[]): Promise<Map<string, string>> {
    const found = await Promise.all(
      refs.map(async (ref) => [ref, (await reading.head(repository, `refs/heads/${ref}^{commit}`))?.sha] as const),
    )
    return new Map(found.flatMap(([ref, sha]) => (sha ? [[ref, sha]] : [])))
  }

  return {
    /** In the order of the ids; deleted pulls are left out. */
    async readByIds(
      actor: Actor,
      repository: OpenRepository,
      ids: readonly number[],
      on: Db = store.db,
      withTexts = true,
    ): Promise<Pull[]> {
      if (ids.length === 0) return []
      const issues = await issueReading.readByIds(ids, on, withTexts)
      const rows = await pullsOf(on, { ids })
      const byId = new Map(rows.map((row) => [row.issue_id, row]))
      const isLive = (row: PullRow) => issues.get(row.issue_id)?.state === 'open'
      const bases = await findBaseShas(repository, [...new Set(rows.filter(isLive).map(({ base_ref }) => base_ref))])
      const headIds = [...new Set(rows.flatMap(({ head_repository_id: id }) => id ?? []))]
      const heads = new Map(
        await Promise.all(headIds.map(async (id) => [id, await ends.findVisible(actor, id)] as const)),
      )
      const people = await readPeople(
        on,
        rows.flatMap(({ head_owner_id, merged_by_id }) => [head_owner_id, merged_by_id].filter((id) => id !== null)),
      )
      const requests = await readRequests(on, actor, ids)
      const autoMerges = await readAutoMerges(on, ids)
      return ids.flatMap((id) => {
        const [issue, row] = [issues.get(id), byId.get(id)]
        if (!issue || !row) return []
        const person = (personId: number | null) => (personId === null ? null : (people.get(personId) ?? null))
        const head = row.head_repository_id === null ? undefined : heads.get(row.head_repository_id)
        const baseSha = (isLive(row) && bases.get(row.base_ref)) || row.base_sha
        const isTested = isLive(row) && row.test_base_sha === baseSha && row.test_head_sha === row.head_sha
        return {
          issue,
          base: {
            ref: row.base_ref,
            sha: baseSha,
            owner: repository.owner,
            repository,
          },
          head: {
            ref: row.head_ref,
            sha: row.head_sha,
            owner: person(row.head_owner_id),
            repository: head ?? null,
          },
          forkSha: row.fork_sha,
          isDraft: row.is_draft === 1,
          mayMaintainersPush: row.may_maintainers_push === 1 && row.owner_of_head === issue.author.id,
          mergedAt: row.merged_at === null ? null : new Date(row.merged_at),
          mergedBy: person(row.merged_by_id),
          mergeSha: row.merge_sha ?? (isTested ? row.test_merge_sha : null),
          isTested,
          autoMerge: autoMerges.get(id) ?? null,
          requestedUsers: requests.users.get(id) ?? [],
          requestedTeams: requests.teams.get(id) ?? [],
        }
      })
    },

    async readById(actor: Actor, repository: OpenRepository, id: number): Promise<Pull> {
      const [pull] = await this.readByIds(actor, repository, [id])
      if (!pull) throw notFound()
      return pull
    },
  }
}

type Ids = { readonly ids: readonly number[] }

const pullsOf = prepareFor((db, { ids }: Ids) =>
  db
    .selectFrom('pull')
    .leftJoin('repository as head', 'head.id', 'pull.head_repository_id')
    .selectAll('pull')
    .select('head.owner_id as owner_of_head')
    .where('pull.issue_id', 'in', ids),
)
const usersAsked = prepareFor((db, { ids }: Ids) =>
  db
    .selectFrom('review_request')
    .innerJoin('account', 'account.id', 'review_request.user_id')
    .select(['review_request.issue_id', 'account.id', 'account.kind', 'account.name', 'account.role'])
    .where('review_request.issue_id', 'in', ids)
    .orderBy('review_request.id'),
)
const teamsAsked = prepareFor((db, { ids }: Ids) =>
  db
    .selectFrom('review_request')
    .innerJoin('team', 'team.id', 'review_request.team_id')
    .selectAll('team')
    .select('review_request.issue_id')
    .where('review_request.issue_id', 'in', ids)
    .orderBy('review_request.id'),
)

const autoMergesOf = prepareFor((db, { ids }: Ids) =>
  db
    .selectFrom('pull_auto_merge')
    .innerJoin('account', 'account.id', 'pull_auto_merge.actor_id')
    .select(['issue_id', 'method', 'title', 'message', 'pull_auto_merge.created_at'])
    .select(['account.id', 'account.kind', 'account.name', 'account.role'])
    .where('issue_id', 'in', ids),
)

async function readAutoMerges(db: Db, ids: readonly number[]): Promise<Map<number, AutoMerge>> {
  const rows = await autoMergesOf(db, { ids })
  return new Map(
    rows.map(({ issue_id, method, title, message, created_at, ...account }) => [
      issue_id,
      {
        ...{ title, message, by: toPerson(account) },
        method: method as MergeMethod,
        enabledAt: new Date(created_at),
      },
    ]),
  )
}

type Requests = { readonly users: Map<number, Person[]>; readonly teams: Map<number, TeamWithParent[]> }

async function readRequests(db: Db, actor: Actor, issueIds: readonly number[]): Promise<Requests> {
  const users = await usersAsked(db, { ids: issueIds })
  const asked = await teamsAsked(db, { ids: issueIds })
  const teams = await keepVisibleTeams(db, actor, asked)
  const organisations = await readPeople(
    db,
    teams.map(({ organisation_id }) => organisation_id),
  )
  const parents = await readParents(db, teams)
  return {
    users: group(users, toPerson),
    teams: group(teams, (row) => {
      const organisation = organisations.get(row.organisation_id)!
      const parent = row.parent_id === null ? undefined : parents.get(row.parent_id)
      return { ...toTeam(organisation, row), parent: parent && toTeam(organisation, parent) }
    }),
  }
}

async function readParents(db: Db, teams: readonly TeamRow[]): Promise<Map<number, TeamRow>> {
  const ids = [...new Set(teams.flatMap(({ parent_id }) => parent_id ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('team').selectAll().where('id', 'in', ids).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

function group<R extends { issue_id: number }, T>(rows: readonly R[], toItem: (row: R) => T): Map<number, T[]> {
  return new Map([...Map.groupBy(rows, ({ issue_id }) => issue_id)].map(([id, found]) => [id, found.map(toItem)]))
}
