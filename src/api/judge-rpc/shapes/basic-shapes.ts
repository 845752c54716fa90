/** The building blocks of params and results, in the contract's format. */

import { Type } from 'typebox'
import { accountNamePattern } from '../../../accounts/account-rules.ts'
import { type Account, type Role, roles } from '../../../accounts/actor.ts'
import type { SwitchBoard } from '../../../accounts/switches.ts'
import type { PageRequest } from '../../../lib/page.ts'

export const Uint64 = Type.Integer({ format: 'uint64', minimum: 0 })
export const orNull = <T>(schema: object) => Type.Unsafe<T | null>({ ...schema, nullable: true })
export const oneOf = <T extends string>(values: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: [...values] })
export const NullableUint64 = orNull<number>({ type: 'integer', format: 'uint64', minimum: 0 })
export const Uuid = Type.String({ format: 'uuid' })
export const Text = (minLength: number, maxLength: number) => Type.String({ format: 'text', minLength, maxLength })
/** A text that may contain NUL, with at most this many bytes of UTF-8. */
export const Bytes = (minLength: number, maxBytes: number) =>
  Type.String({ format: 'bytes', ...(minLength > 0 && { minLength }), 'x-maxBytes': maxBytes })
/** Base64 of at most this many decoded bytes. The alphabet is checked when it is decoded. */
export const Base64 = (maxBytes: number) => Type.String({ 'x-maxBytes': base64Length(maxBytes) })
export const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3)
export const Empty = Type.Object({})
export const WaitMillisecond = Type.Integer({ minimum: 0, maximum: 30_000 })

export const RoleName = Type.Unsafe<Role>({ type: 'string', enum: [...roles] })
export const AccountName = Type.String({ pattern: accountNamePattern })
export const AccountDisplayName = Text(1, 64)
export const Password = Type.String({ format: 'bytes', minLength: 8, maxLength: 256 })

export const PageParams = { Offset: Uint64, Limit: Type.Integer({ minimum: 1, maximum: 100 }) }
export const toPage = ({ Offset, Limit }: { Offset: number; Limit: number }): PageRequest => ({
  offset: Offset,
  limit: Limit,
})

export const AccountSchema = Type.Object({
  ID: Uint64,
  AccountName: Type.String(),
  DisplayName: Type.String(),
  Role: Type.String(),
  /** Present only if true. */
  IsSuspended: Type.Optional(Type.Boolean()),
})

export const presentAccount = ({ id, name, displayName, role, isSuspended }: Account) => ({
  ID: id,
  AccountName: name,
  DisplayName: displayName,
  Role: role,
  ...(isSuspended && { IsSuspended: true }),
})

const AccountSetting = Type.Object({
  DisableAccountCreation: Type.Boolean(),
  DisableAccountUpdate: Type.Boolean(),
  DisableSessionCreationForContestant: Type.Boolean(),
  DisableSessionCreationForProblemSetter: Type.Boolean(),
})
const ProblemSetting = Type.Object({ DisableProblemCreation: Type.Boolean(), DisableProblemUpdate: Type.Boolean() })
const SubmissionSetting = Type.Object({ DisableSubmissionCreation: Type.Boolean() })

export const SettingSchema = Type.Object({
  Account: AccountSetting,
  Problem: ProblemSetting,
  Submission: SubmissionSetting,
})
export const SettingChange = Type.Partial(SettingSchema)

export const presentSetting = ({ account, problem, submission }: SwitchBoard) => ({
  Account: {
    DisableAccountCreation: account.disableCreation,
    DisableAccountUpdate: account.disableUpdate,
    DisableSessionCreationForContestant: account.disableSessionForContestant,
    DisableSessionCreationForProblemSetter: account.disableSessionForProblemSetter,
  },
  Problem: { DisableProblemCreation: problem.disableCreation, DisableProblemUpdate: problem.disableUpdate },
  Submission: { DisableSubmissionCreation: submission.disableCreation },
})
