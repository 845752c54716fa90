/** JSON-RPC methods of classes, their members and rosters. */
import { Type } from 'typebox'
import { type Class, type ClassRole, classIdPattern, type ListedMember } from '../../../judge/classes/class.ts'
import type { ClassServices } from '../../../judge/classes/class-services.ts'
import { type ColumnFields, rosterFields } from '../../../judge/classes/roster/column-fields.ts'
import type { KnownBy, KnownStudent } from '../../../judge/classes/roster/known-students.ts'
import type { ImportedRow } from '../../../judge/classes/roster/roster-import.ts'
import type { UndoneRow } from '../../../judge/classes/roster/roster-undo.ts'
import { defineMethod, type Method } from '../method.ts'
import { AccountName, Empty, oneOf, orNull, PageParams, Text, Uint64 } from '../shapes/basic-shapes.ts'

const ID = Type.String({ pattern: classIdPattern })
const Name = Text(1, 256)
const RosterName = Text(1, 64)
const Role = oneOf<ClassRole>(['teacher', 'student'])
const HasJoinCode = Type.Boolean()
/** Without a page the whole list is returned. */
const OptionalPage = Type.Partial(Type.Object(PageParams)).properties
const toOptionalPage = ({ Offset = 0, Limit = 100 }: { Offset?: number; Limit?: number }) => ({
  offset: Offset,
  limit: Limit,
})

const ClassSchema = Type.Object({
  ID,
  Name,
  TeacherList: Type.Array(AccountName),
  /** The names that the teachers show, in the same order. */
  TeacherNameList: Type.Array(Type.String()),
  StudentCount: Uint64,
  JoinCode: orNull<string>({ type: 'string' }),
  IsArchived: Type.Boolean(),
  /** Whether a teacher added the caller, who has not accepted yet. */
  IsInvited: Type.Boolean(),
})

const presentClass = (one: Class) => ({
  ID: one.publicId,
  Name: one.name,
  TeacherList: one.teachers.map(({ name }) => name),
  TeacherNameList: one.teachers.map(({ displayName }) => displayName),
  StudentCount: one.studentCount,
  JoinCode: one.joinCode,
  IsArchived: one.isArchived,
  IsInvited: one.isInvited,
})

const MemberSchema = Type.Object({
  AccountID: Uint64,
  AccountName,
  DisplayName: Type.String(),
  RosterName,
  Role,
  /** Whether a roster of this class created the account. */
  IsCreatedHere: Type.Boolean(),
  /** Whether the caller may set a new password for the account. */
  MaySetPassword: Type.Boolean(),
  /** Whether a teacher added this student, who has not accepted yet. */
  IsInvited: Type.Boolean(),
})

const presentMember = ({ account, role, rosterName, isCreatedHere, isInvited, maySetPassword }: ListedMember) => ({
  AccountID: account.id,
  AccountName: account.name,
  DisplayName: account.displayName,
  RosterName: rosterName,
  Role: role,
  IsCreatedHere: isCreatedHere && account.role === 'contestant',
  MaySetPassword: maySetPassword,
  IsInvited: isInvited,
})

const Field = oneOf(rosterFields)

type PresentedKnown = { AccountName: string; ClassName: string; By: KnownBy }

const KnownSchema = Type.Object({
  AccountName,
  ClassName: Type.String(),
  By: oneOf<KnownBy>(['number', 'email', 'name']),
})
const presentKnown = ({ accountName, className, by }: KnownStudent): PresentedKnown => ({
  AccountName: accountName,
  ClassName: className,
  By: by,
})

const RowSchema = Type.Object({
  Line: Uint64,
  AccountName: Type.String(),
  RosterName: Type.String(),
  Act: oneOf<ImportedRow['act']>(['create', 'join', 'refuse']),
  Reason: Type.String(),
  Password: Type.Optional(Type.String()),
  /** A student of another class of the caller who may be the same person. */
  Known: orNull<PresentedKnown>(KnownSchema),
  /** Several students of other classes of the caller who have this name. */
  NamesakeList: Type.Array(KnownSchema),
  /** Whether a login for the line, in LoginList, would help. */
  NeedsLogin: Type.Boolean(),
})

const presentRow = ({ line, accountName, rosterName, act, reason, password, ...row }: ImportedRow) => ({
  Line: line,
  AccountName: accountName,
  RosterName: rosterName,
  Act: act,
  Reason: reason,
  ...(password !== undefined && { Password: password }),
  Known: row.known ? presentKnown(row.known) : null,
  NamesakeList: (row.namesakes ?? []).map(presentKnown),
  NeedsLogin: row.needsLogin ?? false,
})

const presentColumns = (headers: readonly string[], fields: ColumnFields) =>
  headers.map((header, at) => ({ Header: header, Field: rosterFields.find((field) => fields[field] === at) ?? null }))

const result = Type.Object({ Class: ClassSchema })

export const classMethods = ({
  classes,
  members,
  importRoster,
  listRecentImports,
  undoRoster,
}: ClassServices): Method[] => [
  defineMethod({
    name: 'create_class',
    summary: 'Creates a class. Its creator is its first teacher.',
    nullIsAbsent: true,
    params: Type.Object({ ID, Name, HasJoinCode: Type.Optional(HasJoinCode) }),
    result,
    async run({ actor }, { ID, Name, HasJoinCode = false }) {
      const draft = { publicId: ID, name: Name, hasJoinCode: HasJoinCode }
      return { Class: presentClass(await classes.create(actor, draft)) }
    },
  }),

  defineMethod({
    name: 'get_class',
    summary: 'Reads one class. Its join code is shown to teachers alone.',
    params: Type.Object({ ID }),
    result,
    async run({ actor }, { ID }) {
      return { Class: presentClass(await classes.get(actor, ID)) }
    },
  }),

  defineMethod({
    name: 'get_class_list',
    summary: 'Lists the classes that you teach or attend, newest first; for admins all classes.',
    nullIsAbsent: true,
    params: Type.Object(OptionalPage),
    result: Type.Object({ TotalClassCount: Uint64, ClassList: Type.Array(ClassSchema) }),
    async run({ actor }, params) {
      const { total, items } = await classes.list(actor, toOptionalPage(params))
      return { TotalClassCount: total, ClassList: items.map(presentClass) }
    },
  }),

  defineMethod({
    name: 'update_class',
    summary: 'Changes the given parts of a class. HasJoinCode true draws a new code, false removes it.',
    nullIsAbsent: true,
    params: Type.Object({
      ID,
      Name: Type.Optional(Name),
      IsArchived: Type.Optional(Type.Boolean()),
      HasJoinCode: Type.Optional(HasJoinCode),
    }),
    result,
    async run({ actor }, { ID, Name, IsArchived, HasJoinCode }) {
      const change = {
        ...(Name !== undefined && { name: Name }),
        ...(IsArchived !== undefined && { isArchived: IsArchived }),
        ...(HasJoinCode !== undefined && { hasJoinCode: HasJoinCode }),
      }
      return { Class: presentClass(await classes.update(actor, ID, change)) }
    },
  }),

  defineMethod({
    name: 'delete_class',
    summary: 'Deletes a class. Its members keep their accounts.',
    params: Type.Object({ ID }),
    result: Empty,
    async run({ actor }, { ID }) {
      await classes.delete(actor, ID)
      return {}
    },
  }),

  defineMethod({
    name: 'put_class_member',
    summary: 'Adds an account to a class, or changes its role or its name on the roster.',
    nullIsAbsent: true,
    params: Type.Object({ ClassID: ID, AccountName, Role, RosterName: Type.Optional(RosterName) }),
    result: Type.Object({ Member: MemberSchema }),
    async run({ actor }, { ClassID, AccountName, Role, RosterName }) {
      const draft = {
        accountName: AccountName,
        role: Role,
        ...(RosterName !== undefined && { rosterName: RosterName }),
      }
      return { Member: presentMember(await members.put(actor, ClassID, draft)) }
    },
  }),

  defineMethod({
    name: 'delete_class_member',
    summary: 'Removes an account from a class, or leaves it. A class keeps one teacher.',
    params: Type.Object({ ClassID: ID, AccountName }),
    result: Empty,
    async run({ actor }, { ClassID, AccountName }) {
      await members.delete(actor, ClassID, AccountName)
      return {}
    },
  }),

  defineMethod({
    name: 'get_class_member_list',
    summary: 'Lists the members of a class, teachers first, then by their names on the roster.',
    nullIsAbsent: true,
    params: Type.Object({ ClassID: ID, ...OptionalPage }),
    result: Type.Object({ TotalMemberCount: Uint64, MemberList: Type.Array(MemberSchema) }),
    async run({ actor }, { ClassID, ...page }) {
      const { total, items } = await members.list(actor, ClassID, toOptionalPage(page))
      return { TotalMemberCount: total, MemberList: items.map(presentMember) }
    },
  }),

  defineMethod({
    name: 'join_class',
    summary: 'Joins the class that has this code, as a student.',
    params: Type.Object({ JoinCode: Text(1, 64) }),
    result,
    async run({ actor }, { JoinCode }) {
      return { Class: presentClass(await classes.join(actor, JoinCode)) }
    },
  }),

  defineMethod({
    name: 'accept_class_invitation',
    summary: 'Accepts the invitation to a class to which a teacher added you.',
    params: Type.Object({ ClassID: ID }),
    result,
    async run({ actor }, { ClassID }) {
      return { Class: presentClass(await classes.accept(actor, ClassID)) }
    },
  }),

  defineMethod({
    name: 'import_roster',
    summary: 'Reads a roster (CSV, TSV or a name a line); makes accounts and members unless it is a dry run.',
    nullIsAbsent: true,
    params: Type.Object({
      ClassID: ID,
      Text: Type.String({ format: 'bytes', 'x-maxBytes': 1024 * 1024 }),
      /** The column of each field, counted from 0. */
      Mapping: Type.Optional(
        Type.Object(
          Object.fromEntries(
            rosterFields.map((field) => [field, Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 }))]),
          ),
          { additionalProperties: false },
        ),
      ),
      IsDryRun: Type.Optional(Type.Boolean()),
      /** The lines whose known account joins, instead of a new one. */
      TakenLineList: Type.Optional(Type.Array(Uint64, { maxItems: 500 })),
      /** Logins for lines, instead of those in the text. */
      LoginList: Type.Optional(Type.Array(Type.Object({ Line: Uint64, AccountName: Text(1, 64) }), { maxItems: 500 })),
    }),
    result: Type.Object({
      ColumnList: Type.Array(Type.Object({ Header: Type.String(), Field: orNull(Field) })),
      RowList: Type.Array(RowSchema),
    }),
    async run({ actor }, { ClassID, Text: text, Mapping, IsDryRun = true, TakenLineList = [], LoginList = [] }) {
      const request = {
        text,
        isDryRun: IsDryRun,
        takenLines: TakenLineList,
        logins: new Map(LoginList.map(({ Line, AccountName }) => [Line, AccountName])),
        ...(Mapping && { mapping: Mapping as ColumnFields }),
      }
      const { headers, fields, rows } = await importRoster(actor, ClassID, request)
      return { ColumnList: presentColumns(headers, fields), RowList: rows.map(presentRow) }
    },
  }),

  defineMethod({
    name: 'get_roster_import_list',
    summary: 'Lists the imports of the last day, which can still be undone, newest first.',
    params: Type.Object({ ClassID: ID }),
    result: Type.Object({
      ImportList: Type.Array(
        Type.Object({ Time: Uint64, CreatedCount: Uint64, AccountNameList: Type.Array(AccountName) }),
      ),
    }),
    async run({ actor }, { ClassID }) {
      const imports = await listRecentImports(actor, ClassID)
      return {
        ImportList: imports.map(({ time, createdCount, accountNames }) => ({
          Time: time,
          CreatedCount: createdCount,
          AccountNameList: [...accountNames],
        })),
      }
    },
  }),

  defineMethod({
    name: 'undo_roster_import',
    summary: 'Within a day: deletes accounts that a roster made and nobody used, and removes members that it added.',
    params: Type.Object({ ClassID: ID, AccountNameList: Type.Array(AccountName, { minItems: 1, maxItems: 500 }) }),
    result: Type.Object({
      RowList: Type.Array(
        Type.Object({ AccountName, Act: oneOf<UndoneRow['act']>(['delete', 'remove', 'keep']), Reason: Type.String() }),
      ),
    }),
    async run({ actor }, { ClassID, AccountNameList }) {
      const rows = await undoRoster(actor, ClassID, AccountNameList)
      return {
        RowList: rows.map(({ accountName, act, reason }) => ({ AccountName: accountName, Act: act, Reason: reason })),
      }
    },
  }),
]
