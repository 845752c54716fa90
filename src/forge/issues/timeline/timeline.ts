/** The timeline of an issue: its events, merged with the items of other sources. */
import type { Actor } from '../../../accounts/actor.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { Store } from '../../../store/store.ts'
import type { OpenRepository } from '../../access/repository.ts'
import { completeEvents, type IssueEvent } from '../events/issue-event.ts'
import { demandReadable } from '../issue-rights.ts'
import { findIssue, type IssueCore } from '../issue-row.ts'

/** The kinds of items. A source declares its items by module augmentation, and the interface must present them. */
export interface TimelineItems {
  readonly event: IssueEvent
}
export type TimelineKind = keyof TimelineItems
export type TimelineItem = {
  [K in TimelineKind]: { readonly kind: K; readonly at: Date; readonly item: TimelineItems[K] }
}[TimelineKind]

/** The sort key of an item: items of one source and the same time are ordered by id. */
export type TimelineKey = { readonly at: number; readonly id: number }

export type TimelineSource<K extends TimelineKind> = {
  readonly kind: K
  /** The keys of all items that the actor may see. */
  listKeys(actor: Actor, issue: IssueCore, repository: OpenRepository): Promise<readonly TimelineKey[]>
  /** The items of one page. */
  read(
    actor: Actor,
    issue: IssueCore,
    ids: readonly number[],
    repository: OpenRepository,
  ): Promise<ReadonlyMap<number, TimelineItems[K]>>
}

export type Timeline = ReturnType<typeof makeTimeline>

export function makeTimeline({ store: { db } }: { store: Store }) {
  const events: TimelineSource<'event'> = {
    kind: 'event',
    async listKeys(_viewer, issue) {
      const rows = await db
        .selectFrom('issue_event')
        .select(['id', 'created_at as at'])
        .where('issue_id', '=', issue.id)
        .orderBy('id')
        .execute()
      return rows
    },
    async read(actor, _issue, ids) {
      const rows = await db.selectFrom('issue_event').selectAll().where('id', 'in', ids).execute()
      return new Map((await completeEvents(db, actor, rows)).map((event) => [event.id, event]))
    },
  }
  const sources: TimelineSource<TimelineKind>[] = [events as TimelineSource<TimelineKind>]

  return {
    /** Call before the first request. */
    add<K extends TimelineKind>(source: TimelineSource<K>): void {
      sources.push(source as unknown as TimelineSource<TimelineKind>)
    },

    async list(
      actor: Actor,
      repository: OpenRepository,
      number: number,
      { offset, limit }: PageRequest,
    ): Promise<Page<TimelineItem>> {
      const issue = await findIssue(db, repository.id, number)
      demandReadable(actor, repository, issue)
      const lists = await Promise.all(
        sources.map(async (source) =>
          (await source.listKeys(actor, issue, repository)).map((key) => ({ ...key, source })),
        ),
      )
      // The sort is stable: at the same time, sources keep their order.
      const keys = lists.flat().sort((a, b) => a.at - b.at)
      const page = keys.slice(offset, offset + limit)
      const found = new Map<TimelineSource<TimelineKind>, ReadonlyMap<number, TimelineItems[TimelineKind]>>()
      for (const [source, part] of Map.groupBy(page, (key) => key.source)) {
        const ids = part.map(({ id }) => id)
        found.set(source, await source.read(actor, issue, ids, repository))
      }
      const items = page.flatMap(({ source, at, id }) => {
        const item = found.get(source)?.get(id)
        return item ? [{ kind: source.kind, at: new Date(at), item } as TimelineItem] : []
      })
      return { total: keys.length, items }
    },
  }
}
