/** Mentions, connections and former places of issues. Things outside the export are left out. */
import { formatTime } from './addresses.ts'
import type { ExportContext } from './export-context.ts'
import { groupBy } from './keyed-pages.ts'

export type Relations = (issueId: number) => object

export async function readRelations(context: ExportContext, ids: readonly number[]): Promise<Relations> {
  const [mentions, references, connections, places] = [
    await readUsers(context, 'issue_mention', ids),
    await readReferences(context, ids),
    await readConnections(context, ids),
    await readFormerPlaces(context, ids),
  ]
  return (id) => ({
    mentions: mentions(id),
    cross_references: references(id),
    connected_pulls: connections(id),
    former_places: places(id),
  })
}

/** The users of each of these issues, in the order in which they were added. */
export async function readUsers(
  { db, people }: ExportContext,
  table: 'issue_assignee' | 'issue_mention',
  ids: readonly number[],
) {
  const rows = await db
    .selectFrom(table)
    .select(['issue_id', 'user_id'])
    .where('issue_id', 'in', ids)
    .orderBy('created_at')
    .orderBy('user_id')
    .execute()
  await people.look(rows.map(({ user_id }) => user_id))
  const ofIssue = groupBy(rows, ({ issue_id }) => issue_id)
  return (id: number) => ofIssue(id).map(({ user_id }) => people.address(user_id))
}

/** The issues and pulls that name each issue. */
async function readReferences(context: ExportContext, ids: readonly number[]) {
  const { db, people, repositories } = context
  const rows = await db
    .selectFrom('cross_reference')
    .innerJoin('issue', 'issue.id', 'cross_reference.source_id')
    .select(['target_id', 'actor_id', 'cross_reference.created_at', 'repository_id', 'number', 'is_pull'])
    .where('target_id', 'in', ids)
    .where('issue.deleted_at', 'is', null)
    .where(
      'repository_id',
      'in',
      repositories.map(({ id }) => id),
    )
    .orderBy('cross_reference.id')
    .execute()
  await people.look(rows.map(({ actor_id }) => actor_id))
  const ofIssue = groupBy(rows, ({ target_id }) => target_id)
  const address = makeAddress(context)
  return (id: number) =>
    ofIssue(id).map((row) => ({
      source: address(row),
      actor: people.address(row.actor_id),
      created_at: formatTime(row.created_at),
    }))
}

/** The pulls that close each issue when they are merged. */
async function readConnections(context: ExportContext, ids: readonly number[]) {
  const { db, repositories } = context
  const rows = await db
    .selectFrom('issue_connection')
    .innerJoin('issue', 'issue.id', 'issue_connection.pull_id')
    .select(['issue_id', 'repository_id', 'number', 'is_pull'])
    .where('issue_id', 'in', ids)
    .where('issue.deleted_at', 'is', null)
    .where(
      'repository_id',
      'in',
      repositories.map(({ id }) => id),
    )
    .orderBy('repository_id')
    .orderBy('number')
    .execute()
  const ofIssue = groupBy(rows, ({ issue_id }) => issue_id)
  const address = makeAddress(context)
  return (id: number) => ofIssue(id).map(address)
}

/** The former numbers of a transferred issue, under which it is still found. */
async function readFormerPlaces({ db, addresses, repositories }: ExportContext, ids: readonly number[]) {
  const places = new Map(repositories.map((repository) => [repository.id, repository]))
  const rows = await db
    .selectFrom('issue_former_place')
    .selectAll()
    .where('issue_id', 'in', ids)
    .where('repository_id', 'in', [...places.keys()])
    .orderBy('repository_id')
    .orderBy('number')
    .execute()
  const ofIssue = groupBy(rows, ({ issue_id }) => issue_id)
  return (id: number) =>
    ofIssue(id).map(({ repository_id, number }) => ({
      repository: addresses.repository(places.get(repository_id)!),
      number,
    }))
}

type Named = { readonly repository_id: number; readonly number: number; readonly is_pull: number }

function makeAddress({ addresses, repositories }: ExportContext) {
  const places = new Map(repositories.map((repository) => [repository.id, repository]))
  return ({ repository_id, number, is_pull }: Named): string =>
    addresses.issue(places.get(repository_id)!, number, is_pull === 1)
}
