/** References from other issues as items of the timeline. Only those that the actor may see are shown. */
import type { ExpressionBuilder } from 'kysely'
import type { Actor } from '../../../accounts/actor.ts'
import type { Schema } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { type OpenRepository, readRepositories } from '../../access/repository.ts'
import { readPeople } from '../../people/reading.ts'
import type { Person } from '../../person.ts'
import { visibleTo } from '../../repositories/repository-lists.ts'
import type { Issue } from '../issue.ts'
import type { IssueReading } from '../issue-reading.ts'
import type { IssueCore } from '../issue-row.ts'
import type { TimelineSource } from './timeline.ts'

declare module './timeline.ts' {
  interface TimelineItems {
    readonly 'cross-reference': CrossReference
  }
}

export type CrossReference = {
  readonly actor: Person
  readonly source: Issue
  readonly repository: OpenRepository
  readonly createdAt: Date
}

type Needs = { store: Store; reading: IssueReading }

export function makeCrossReferences({ store: { db }, reading }: Needs): TimelineSource<'cross-reference'> {
  const visible = (actor: Actor, issue: IssueCore) =>
    db
      .selectFrom('cross_reference')
      .innerJoin('issue', 'issue.id', 'cross_reference.source_id')
      .innerJoin('repository', 'repository.id', 'issue.repository_id')
      .where('cross_reference.target_id', '=', issue.id)
      .where('issue.deleted_at', 'is', null)
      .where((eb) => visibleTo(actor)(eb as unknown as ExpressionBuilder<Schema, 'repository'>))

  return {
    kind: 'cross-reference',
    listKeys: (actor, issue) =>
      visible(actor, issue)
        .select(['cross_reference.id', 'cross_reference.created_at as at'])
        .orderBy('cross_reference.id')
        .execute(),
    async read(actor, issue, ids) {
      const rows = await visible(actor, issue)
        .select(['cross_reference.id', 'cross_reference.actor_id', 'cross_reference.created_at'])
        .select(['cross_reference.source_id', 'issue.repository_id'])
        .where('cross_reference.id', 'in', ids)
        .execute()
      if (rows.length === 0) return new Map()
      const sources = await reading.readByIds(rows.map(({ source_id }) => source_id))
      const people = await readPeople(
        db,
        rows.map(({ actor_id }) => actor_id),
      )
      const repositoryIds = rows.map(({ repository_id }) => repository_id)
      const repositoryById = await readRepositories(db, actor, repositoryIds)
      return new Map(
        rows.flatMap((row) => {
          const [source, repository] = [sources.get(row.source_id), repositoryById.get(row.repository_id)]
          if (!source || !repository) return []
          const createdAt = new Date(row.created_at)
          return [[row.id, { actor: people.get(row.actor_id)!, source, repository, createdAt }]]
        }),
      )
    },
  }
}
