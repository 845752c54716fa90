/** The rules of a student's sheets for a submission: in time, in an allowed language, and within the limit. */
import { Failure } from '../../lib/failure.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { ProblemRef } from '../problems/problems.ts'
import type { OpenSheet, SheetAccess } from '../sheet-access/sheet-access.ts'
import { judgeFailure } from './status.ts'

type Needs = {
  store: Store
  sheetAccess: Pick<SheetAccess, 'listOpen' | 'countedBeforeLeaving'>
  lockAuthor(trx: Db, id: number): Promise<void>
}
type Wish = { readonly authorId: number; readonly problem: ProblemRef; readonly language: string; readonly now: number }
type Counting = {
  readonly id: number
  readonly authorId: number
  readonly problemId: number
  readonly createdAt: number
}

export type SheetRules = ReturnType<typeof makeSheetRules>

export function makeSheetRules({ store: { db }, sheetAccess, lockAuthor }: Needs) {
  const countSince = prepareQuery(
    db,
    ({ authorId, problemId, since }: { authorId: number; problemId: number; since: number }) =>
      db
        .selectFrom('submission')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('author_id', '=', authorId)
        .where('problem_id', '=', problemId)
        .where('created_at', '>=', since)
        // Of these nothing is known but that the judge failed.
        .where('result', '!=', judgeFailure),
  )

  async function findFault(
    trx: Db,
    { authorId, problem, language }: Wish,
    sheet: OpenSheet,
  ): Promise<string | undefined> {
    const { languages, submissionLimit, title } = sheet
    if (languages && !languages.includes(language)) return `The sheet ${title} takes only ${languages.join(', ')}.`
    if (submissionLimit === null) return undefined
    await lockAuthor(trx, authorId)
    const [made] = await countSince({ authorId, problemId: problem.id, since: sheet.openTime }, trx)
    if (made!.count < submissionLimit) return undefined
    return `The sheet ${title} allows ${submissionLimit} submissions per problem: you have none left.`
  }

  return {
    /**
     * Refuses a submission that no sheet accepts. If several sheets have the problem, one that accepts suffices. A
     * public problem stays open after its sheets; one that only sheets open closes with them.
     */
    async demand(trx: Db, wish: Wish, isOpenToAll: boolean): Promise<void> {
      const sheets = await sheetAccess.listOpen(wish.authorId, wish.problem.id, wish.now, trx)
      const running = sheets.filter(({ lastMoment }) => lastMoment === null || wish.now <= lastMoment)
      if (running.length === 0) {
        if (isOpenToAll) return
        throw new Failure('precondition', 'sheet-closed', 'The deadline for this problem has passed.')
      }
      let first: string | undefined
      for (const sheet of running) {
        const fault = await findFault(trx, wish, sheet)
        if (fault === undefined) return
        first ??= fault
      }
      throw new Failure('precondition', 'sheet-refuses', first!)
    },

    /** Whether a submission counts in a sheet, so that its author can't delete it. */
    async counts(trx: Db, { id, authorId, problemId, createdAt }: Counting): Promise<boolean> {
      const sheets = await sheetAccess.listOpen(authorId, problemId, Number.MAX_SAFE_INTEGER, trx)
      const isCounted = sheets.some(
        ({ openTime, lastMoment }) => createdAt >= openTime && (lastMoment === null || createdAt <= lastMoment),
      )
      return isCounted || sheetAccess.countedBeforeLeaving(id, trx)
    },
  }
}
