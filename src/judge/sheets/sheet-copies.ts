/**
 * Students' copies of a sheet's template: each is created once and completely, with the rights of the teacher who set
 * the template.
 */

import type { Accounts } from '../../accounts/accounts.ts'
import { type Actor, actingFor, type SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { ClassAccess } from '../classes/class-access.ts'
import { acceptWithin } from '../classes/classes.ts'
import type { CodeHost, CopyWish, HostedRepository } from '../problem-links/code-host.ts'
import type { ProblemLinks } from '../problem-links/problem-links.ts'
import { listCopyNames } from './repository-names.ts'
import type { FoundSheet, Sheets } from './sheets.ts'

export type SheetCopy = { readonly accountName: string; readonly rosterName: string; readonly repository: string }

type Needs = {
  store: Store
  clock: Clock
  sheets: Pick<Sheets, 'find'>
  access: ClassAccess
  accounts: Pick<Accounts, 'findById'>
  links: Pick<ProblemLinks, 'copyWithin'>
  host: CodeHost
}

export type SheetCopies = ReturnType<typeof makeSheetCopies>

export function makeSheetCopies({ store, clock, sheets, access, accounts, links, host }: Needs) {
  async function findOwn(sheetId: number, accountId: number): Promise<HostedRepository | undefined> {
    const row = await store.db
      .selectFrom('sheet_copy')
      .select('repository_id')
      .where('sheet_id', '=', sheetId)
      .where('account_id', '=', accountId)
      .executeTakeFirst()
    const name = row && (await host.nameMany([row.repository_id])).get(row.repository_id)
    return name === undefined ? undefined : { id: row!.repository_id, fullName: name }
  }

  /** The teacher who set the template, if they still teach the class; otherwise undefined. */
  async function findTemplateReader({ sheet }: FoundSheet): Promise<SignedIn | undefined> {
    const row = await store.db
      .selectFrom('sheet')
      .select('template_set_by')
      .where('id', '=', sheet.id)
      .executeTakeFirst()
    const setter = row?.template_set_by && (await accounts.findById(row.template_set_by))
    if (!setter || setter.isSuspended) return undefined
    const inClass = await access.find(actingFor(setter), sheet.classId).catch(() => undefined)
    return inClass?.role === 'teacher' ? actingFor(setter) : undefined
  }

  async function listTeachers({ inClass }: FoundSheet): Promise<number[]> {
    const rows = await store.db
      .selectFrom('class_member')
      .select('account_id')
      .where('class_id', '=', inClass.id)
      .where('role', '=', 'teacher')
      .orderBy('account_id')
      .execute()
    return rows.map(({ account_id }) => account_id)
  }

  type Copy = { readonly accountId: number; readonly repositoryId: number; readonly commit: string }

  async function insertRow(trx: Db, sheetId: number, { accountId, repositoryId, commit }: Copy): Promise<void> {
    const ids = { sheet_id: sheetId, account_id: accountId, repository_id: repositoryId }
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('sheet_copy')
      .values({ ...ids, created_at: clock.now(), first_commit: commit })
      .onConflict((conflict) => conflict.columns(['sheet_id', 'account_id']).doNothing())
      .executeTakeFirstOrThrow()
    demand(numInsertedOrUpdatedRows === 1n, 'conflict', 'accepted-already', 'You have already accepted this sheet.')
  }

  async function make(found: FoundSheet, setter: SignedIn): Promise<HostedRepository> {
    const { sheet, inClass, actor } = found
    const { id: studentId, name: login } = actor.account
    const wish: Omit<CopyWish, 'name'> = {
      template: sheet.template!,
      description: `${sheet.title}: ${inClass.name}`.slice(0, 350),
      writerId: studentId,
      adminIds: await listTeachers(found),
      async within(trx, made) {
        await insertRow(trx, sheet.id, { accountId: studentId, repositoryId: made.id, commit: made.commit })
        if (inClass.isInvited) await acceptWithin(trx, inClass.id, found.actor)
        await links.copyWithin(trx, made.templateId, made.id)
      },
    }
    for (const name of listCopyNames(inClass.publicId, sheet, login)) {
      try {
        return await host.copyTemplate(setter, { ...wish, name })
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'conflict') throw error
        // A concurrent call of the same student may have created it.
        const own = await findOwn(sheet.id, studentId)
        if (own) return own
      }
    }
    throw new Failure(
      'precondition',
      'names-taken',
      'Every name of your copy is taken in the organisation: ask a teacher.',
    )
  }

  return {
    findTemplateReader,

    async accept(actor: Actor, sheetId: number): Promise<HostedRepository> {
      const found = await sheets.find(actor, sheetId)
      const isStudent = found.inClass.role === 'student'
      demand(isStudent, 'forbidden', 'not-a-student', 'Only students of the class can accept a sheet.')
      demand(found.sheet.template, 'precondition', 'no-template', 'This sheet has no template to be copied.')
      const own = await findOwn(sheetId, found.actor.account.id)
      if (own) return own
      const setter = await findTemplateReader(found)
      if (!setter) throw templateAway()
      return make(found, setter).catch((error) => {
        // A student can't fix missing rights of the teacher.
        const isTeachers = error instanceof Failure && isRefusal(error) && error.code !== 'blocked'
        throw isTeachers ? templateAway() : error
      })
    },

    /** Teachers see all; a student only their own. */
    async list(actor: Actor, sheetId: number): Promise<SheetCopy[]> {
      const { inClass, actor: reader } = await sheets.find(actor, sheetId)
      const rows = await store.db
        .selectFrom('sheet_copy')
        .innerJoin('account', 'account.id', 'sheet_copy.account_id')
        .leftJoin('class_member', (join) =>
          join.onRef('class_member.account_id', '=', 'account.id').on('class_member.class_id', '=', inClass.id),
        )
        .select(['account.name', 'class_member.roster_name', 'sheet_copy.repository_id'])
        .where('sheet_copy.sheet_id', '=', sheetId)
        .$if(inClass.role === 'student', (query) => query.where('account.id', '=', reader.account.id))
        .orderBy('account.id')
        .execute()
      const names = await host.nameMany(rows.map(({ repository_id }) => repository_id))
      return rows.flatMap(({ name, roster_name, repository_id }) => {
        const repository = names.get(repository_id)
        return repository === undefined ? [] : [{ accountName: name, rosterName: roster_name ?? name, repository }]
      })
    },
  }
}

const isRefusal = ({ kind }: Failure): boolean =>
  kind === 'forbidden' || kind === 'not-found' || kind === 'unauthenticated'

const templateAway = () =>
  new Failure(
    'precondition',
    'template-away',
    'The template can’t be copied: the teacher who set it can no longer read it, or no longer create repositories in the organisation.',
  )
