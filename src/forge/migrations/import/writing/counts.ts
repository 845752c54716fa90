/** Writes the counters of imported rows: comments, open issues, and the next numbers. */
import { sql } from 'kysely'
import type { WriteContext } from './write-context.ts'

export async function writeCounts({ trx, made }: WriteContext): Promise<void> {
  for (const { id } of made.values()) {
    await sql`update issue set comment_count = (select count(*) from issue_comment c where c.issue_id = issue.id)
      where repository_id = ${id}`.execute(trx)
    await sql`update milestone set
      open_issue_count = (select count(*) from issue i where i.milestone_id = milestone.id and i.state = 'open'),
      closed_issue_count = (select count(*) from issue i where i.milestone_id = milestone.id and i.state = 'closed')
      where repository_id = ${id}`.execute(trx)
    const { open, last } = await trx
      .selectFrom('issue')
      .select((eb) => [
        eb.fn.max<number | null>('number').as('last'),
        eb.fn.sum<number | null>(eb.case().when('state', '=', 'open').then(1).else(0).end()).as('open'),
      ])
      .where('repository_id', '=', id)
      .executeTakeFirstOrThrow()
    const { last: lastFormer } = await trx
      .selectFrom('issue_former_place')
      .select((eb) => eb.fn.max<number | null>('number').as('last'))
      .where('repository_id', '=', id)
      .executeTakeFirstOrThrow()
    const { last: lastMilestone } = await trx
      .selectFrom('milestone')
      .select((eb) => eb.fn.max<number | null>('number').as('last'))
      .where('repository_id', '=', id)
      .executeTakeFirstOrThrow()
    const told = await trx
      .selectFrom('repository')
      .select(['last_issue_number', 'last_milestone_number'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await trx
      .updateTable('repository')
      .set({
        open_issue_count: Number(open ?? 0),
        last_issue_number: Math.max(told.last_issue_number, Number(last ?? 0), Number(lastFormer ?? 0)),
        last_milestone_number: Math.max(told.last_milestone_number, Number(lastMilestone ?? 0)),
      })
      .where('id', '=', id)
      .execute()
  }
}
