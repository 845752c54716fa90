/** Exercise sheets: written by teachers, open to the students of a class from a given time on. */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { ownsProblem } from '../access.ts'
import type { ClassRef } from '../classes/class.ts'
import type { ClassAccess } from '../classes/class-access.ts'
import type { Limits } from '../limits.ts'
import type { Problems } from '../problems/problems.ts'
import { countingSubmissions, countingSubmissionsOfLeft } from './counted-submissions.ts'
import { type Extension, type Sheet, type SheetDraft, type SheetTemplate, toColumns, toSheet } from './sheet.ts'

export type FoundSheet = { readonly sheet: Sheet; readonly inClass: ClassRef; readonly actor: SignedIn }

type Needs = {
  store: Store
  clock: Clock
  access: ClassAccess
  problems: Problems
  /** Demands that the actor may copy the template. */
  demandTemplate(actor: Actor, template: SheetTemplate): Promise<void>
  limits: Pick<Limits, 'classSheets' | 'sheetProblems'>
}

export type Sheets = ReturnType<typeof makeSheets>

export function makeSheets({ store, clock, access, problems, demandTemplate, limits }: Needs) {
  async function read(id: number, inClass: ClassRef, accountId: number, db: Db = store.db): Promise<Sheet> {
    const row = await db.selectFrom('sheet').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const chosen = await db
      .selectFrom('sheet_problem')
      .innerJoin('problem', 'problem.id', 'sheet_problem.problem_id')
      .select(['problem.uuid', 'problem.display_name as displayName', 'sheet_problem.points'])
      .where('sheet_id', '=', id)
      .orderBy('position')
      .execute()
    const extensions = await db
      .selectFrom('sheet_extension')
      .innerJoin('account', 'account.id', 'sheet_extension.account_id')
      .select(['account.name as accountName', 'sheet_extension.due_time as dueTime', 'sheet_extension.note'])
      .where('sheet_id', '=', id)
      .$if(inClass.role === 'student', (query) => query.where('account_id', '=', accountId))
      .orderBy('account.name')
      .execute()
    return { ...toSheet(row), classId: inClass.publicId, problems: chosen, extensions }
  }

  /** For teachers always; for students once it is published and open. For others it does not exist. */
  async function find(actor: Actor, id: number, db: Db = store.db): Promise<FoundSheet> {
    requireSignIn(actor)
    const row = await db
      .selectFrom('sheet')
      .innerJoin('class', 'class.id', 'sheet.class_id')
      .select(['class.public_id', 'sheet.is_published', 'sheet.open_time'])
      .where('sheet.id', '=', id)
      .executeTakeFirst()
    const inClass = row && (await access.find(actor, row.public_id, db).catch(ignoreUnknown))
    const isOpen = row?.is_published === 1 && row.open_time <= clock.now()
    if (!inClass || (inClass.role === 'student' && !isOpen)) throw unknownSheet(id)
    return { sheet: await read(id, inClass, actor.account.id, db), inClass, actor }
  }

  async function teach(actor: Actor, id: number, db?: Db): Promise<FoundSheet> {
    const found = await find(actor, id, db)
    const message = 'Only the teachers of this class may do that.'
    demand(found.inClass.role === 'teacher', 'forbidden', 'not-a-teacher', message)
    return found
  }

  /**
   * Only owners may add a held problem: its place in one sheet opens it to no other class. The same holds if it is held
   * later.
   */
  async function putProblems(
    trx: Db,
    actor: SignedIn,
    id: number,
    chosen: SheetDraft['problems'],
    before: Set<string>,
  ) {
    const most = `A sheet has at most ${limits.sheetProblems} problems.`
    demand(chosen.length <= limits.sheetProblems, 'limited', 'sheet-full', most)
    const opened = await trx
      .selectFrom('sheet_problem')
      .select('problem_id')
      .where('sheet_id', '=', id)
      .where('opens_held', '=', 1)
      .execute()
    const openedIds = new Set(opened.map(({ problem_id }) => problem_id))
    const rows = []
    for (const [position, { uuid, points }] of chosen.entries()) {
      const problem = await problems.find(actor, uuid)
      const isByOwner = ownsProblem(actor, problem)
      const mayOpen = !problem.isHeld || isByOwner || before.has(problem.uuid)
      demand(mayOpen, 'not-found', 'problem-unknown', `There is no problem ${uuid}.`)
      const opens_held = Number(isByOwner || openedIds.has(problem.id))
      rows.push({ sheet_id: id, problem_id: problem.id, position, points, opens_held })
    }
    const isTwice = new Set(rows.map(({ problem_id }) => problem_id)).size < rows.length
    if (isTwice) throw invalidSheet('ProblemList', 'names a problem twice')
    await trx.deleteFrom('sheet_problem').where('sheet_id', '=', id).execute()
    if (rows.length > 0) await trx.insertInto('sheet_problem').values(rows).execute()
  }

  return {
    find,
    teach,

    async create(actor: Actor, classId: string, draft: SheetDraft): Promise<Sheet> {
      demandTimes(draft)
      if (draft.template) {
        await access.teach(actor, classId)
        await demandTemplate(actor, draft.template)
      }
      return store.write(async (trx) => {
        const taught = await access.teach(actor, classId, trx)
        const { count } = await trx
          .selectFrom('sheet')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('class_id', '=', taught.id)
          .executeTakeFirstOrThrow()
        const most = `A class has at most ${limits.classSheets} sheets.`
        demand(Number(count) < limits.classSheets, 'limited', 'too-many-sheets', most)
        const { id } = await trx
          .insertInto('sheet')
          .values({
            ...toColumns(draft),
            class_id: taught.id,
            template_set_by: draft.template && taught.actor.account.id,
            created_at: clock.now(),
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        await putProblems(trx, taught.actor, id, draft.problems, new Set())
        return read(id, taught, taught.actor.account.id, trx)
      })
    },

    async get(actor: Actor, id: number): Promise<Sheet> {
      return (await find(actor, id)).sheet
    },

    /** Sheets that open first come first. */
    async list(actor: Actor, classId: string): Promise<Sheet[]> {
      requireSignIn(actor)
      const inClass = await access.find(actor, classId)
      const rows = await store.db
        .selectFrom('sheet')
        .select('id')
        .where('class_id', '=', inClass.id)
        .$if(inClass.role === 'student', (query) =>
          query.where('is_published', '=', 1).where('open_time', '<=', clock.now()),
        )
        .orderBy('open_time')
        .orderBy('id')
        .execute()
      return Promise.all(rows.map(({ id }) => read(id, inClass, actor.account.id)))
    },

    /** The template is copied with the rights of the teacher who last changed it. */
    async update(actor: Actor, id: number, change: Partial<SheetDraft>): Promise<Sheet> {
      const present = (await teach(actor, id)).sheet.template
      const isOther = change.template !== undefined && !isSameTemplate(change.template, present)
      if (isOther && change.template) await demandTemplate(actor, change.template)
      return store.write(async (trx) => {
        const { sheet, inClass, actor: teacher } = await teach(actor, id, trx)
        demandTimes({ ...sheet, ...change })
        await trx
          .updateTable('sheet')
          .set(toColumns({ ...sheet, ...change }))
          .$if(isOther, (query) => query.set({ template_set_by: change.template ? teacher.account.id : null }))
          .where('id', '=', id)
          .execute()
        const before = new Set(sheet.problems.map(({ uuid }) => uuid))
        if (change.problems) await putProblems(trx, teacher, id, change.problems, before)
        return read(id, inClass, teacher.account.id, trx)
      })
    },

    async delete(actor: Actor, id: number, isForced: boolean): Promise<void> {
      await store.write(async (trx) => {
        await teach(actor, id, trx)
        if (!isForced) {
          const counted =
            (await countingSubmissions(trx, id).select('submission.id').limit(1).executeTakeFirst()) ??
            (await countingSubmissionsOfLeft(trx, id).select('submission.id').limit(1).executeTakeFirst())
          const message = 'Submissions count in this sheet: unpublish it, or delete it with IsForced.'
          demand(!counted, 'precondition', 'sheet-counts', message)
        }
        await trx.deleteFrom('sheet').where('id', '=', id).execute()
      })
    },

    async putExtension(actor: Actor, id: number, { accountName, dueTime, note }: Extension): Promise<Extension> {
      return store.write(async (trx) => {
        const found = await teach(actor, id, trx)
        const student = await findStudent(trx, found.inClass, accountName)
        const entry = { due_time: dueTime, note, set_by: found.actor.account.id, set_at: clock.now() }
        await trx
          .insertInto('sheet_extension')
          .values({ sheet_id: id, account_id: student.id, ...entry })
          .onConflict((conflict) => conflict.columns(['sheet_id', 'account_id']).doUpdateSet(entry))
          .execute()
        return { accountName: student.name, dueTime, note }
      })
    },

    async deleteExtension(actor: Actor, id: number, accountName: string): Promise<void> {
      await store.write(async (trx) => {
        const { inClass } = await teach(actor, id, trx)
        const student = await findStudent(trx, inClass, accountName)
        const { numDeletedRows } = await trx
          .deleteFrom('sheet_extension')
          .where('sheet_id', '=', id)
          .where('account_id', '=', student.id)
          .executeTakeFirstOrThrow()
        demand(numDeletedRows > 0n, 'not-found', 'extension-unknown', `${accountName} has no extension.`)
      })
    },
  }
}

export async function findStudent(
  db: Db,
  { id }: ClassRef,
  accountName: string,
): Promise<{ id: number; name: string }> {
  const row = await db
    .selectFrom('class_member')
    .innerJoin('account', 'account.id', 'class_member.account_id')
    .select(['account.id', 'account.name'])
    .where('class_member.class_id', '=', id)
    .where('class_member.role', '=', 'student')
    .where('account.name_key', '=', accountName.toLowerCase())
    .executeTakeFirst()
  demand(row, 'not-found', 'student-unknown', `${accountName} is not a student of this class.`)
  return row
}

const isSameTemplate = (one: SheetTemplate | null, other: SheetTemplate | null): boolean =>
  one?.repository === other?.repository && one?.organisation === other?.organisation

function demandTimes({ openTime, dueTime, lateUntil }: Pick<SheetDraft, 'openTime' | 'dueTime' | 'lateUntil'>): void {
  if (dueTime !== null && dueTime < openTime) throw invalidSheet('DueTime', 'must not be before OpenTime')
  if (lateUntil === null) return
  if (dueTime === null) throw invalidSheet('LateUntil', 'needs a DueTime')
  if (lateUntil < dueTime) throw invalidSheet('LateUntil', 'must not be before DueTime')
}

const invalidSheet = (field: string, reason: string) =>
  new Failure('invalid', 'invalid-sheet', `${field} ${reason}.`, { faults: [{ field, reason }] })

const unknownSheet = (id: number) => new Failure('not-found', 'sheet-unknown', `There is no sheet ${id}.`)

function ignoreUnknown(error: unknown): undefined {
  if (!(error instanceof Failure) || error.kind !== 'not-found') throw error
}
