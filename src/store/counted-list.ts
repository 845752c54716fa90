/** A list whose length and n-th member cost the same however long it is: users, problems. */
import { blockLevels, findPlace, type PageStart, sumCounts } from './block-counts.ts'
import { prepareQuery } from './prepared.ts'
import type { ListCountTable } from './schema/list-counts.ts'
import type { Store } from './store.ts'

export type CountedList = ReturnType<typeof makeCountedList>

export function makeCountedList({ db }: Store, list: ListCountTable['list']) {
  type Blocks = { ownerId: number; level: number; first: number; last: number }
  const readBlocks = prepareQuery(db, ({ ownerId, level, first, last }: Blocks) =>
    db
      .selectFrom('list_count')
      .select(['block', 'count'])
      .where('list', '=', list)
      .where('owner_id', '=', ownerId)
      .where('level', '=', level)
      .where('block', '>=', first)
      .where('block', '<=', last)
      .orderBy('block', 'desc'),
  )

  const readTop = (ownerId: number) =>
    readBlocks({ ownerId, level: blockLevels[0], first: 0, last: Number.MAX_SAFE_INTEGER })

  return {
    count: async (ownerId: number): Promise<number> => sumCounts(await readTop(ownerId)),

    /** No place if the list is shorter. Changes between the two reads may shift a page by as many rows. */
    async locate(ownerId: number, offset: number): Promise<{ total: number; place: PageStart | undefined }> {
      const blocks = await readTop(ownerId)
      const read = (level: number, first: number, last: number) => readBlocks({ ownerId, level, first, last })
      return { total: sumCounts(blocks), place: await findPlace(blocks, offset, read) }
    },
  }
}

/** The owner id of the list that everyone sees. */
export const everyone = 0
