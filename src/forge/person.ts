/** People and organisations as the forge shows them: the brief one inside other things, and the whole one. */

import type { Account } from '../accounts/actor.ts'
import type { AccountKind, AccountRole } from '../store/schema/account-tables.ts'

/** The brief account: owner, member, actor. */
export type Person = {
  readonly id: number
  readonly kind: 'user' | 'organisation' | 'bot'
  readonly login: string
  readonly isSiteAdmin: boolean
}

export type Profile = Person & {
  readonly name: string
  readonly email: string | null
  /** Whether everyone sees it. */
  readonly isEmailPublic: boolean
  readonly bio: string | null
  readonly company: string | null
  readonly location: string | null
  readonly website: string | null
  readonly plan: 'free' | 'enterprise'
  readonly memberRank: number
  readonly membersMayCreate: boolean
  readonly suspendedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Columns of `account`, under an alias's name; `prefix` keeps them apart in a join. */
export type PersonRow = { id: number; kind: AccountKind; name: string; role: AccountRole }

export const toPerson = ({ id, kind, name, role }: PersonRow): Person => ({
  id,
  kind,
  login: name,
  isSiteAdmin: role === 'admin' && kind === 'user',
})

export const asPerson = (account: Account): Person => toPerson(account)

/** Whose commits are made here, without their own address being told. */
const hiddenEnding = '@users.noreply'
export const hiddenAddress = (login: string): string => login.toLowerCase() + hiddenEnding
export const loginOfHidden = (address: string): string | undefined =>
  address.endsWith(hiddenEnding) ? address.slice(0, -hiddenEnding.length) : undefined

/** What members of an organisation may do with its repositories, unless it says otherwise. */
export const defaultMemberRank = 1
