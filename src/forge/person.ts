/** People and organisations as the forge shows them: the brief form inside other things, and the full profile. */

import type { Account } from '../accounts/actor.ts'
import type { AccountKind, AccountRole } from '../store/schema/account-tables.ts'

/** The brief form: owner, member, actor. */
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

/** The columns of `account` that a `Person` is made of. */
export type PersonRow = { id: number; kind: AccountKind; name: string; role: AccountRole }

export const toPerson = ({ id, kind, name, role }: PersonRow): Person => ({
  id,
  kind,
  login: name,
  isSiteAdmin: role === 'admin' && kind === 'user',
})

export const asPerson = (account: Account): Person => toPerson(account)

/** The key of an account that a filter names: `app/slug` is the bot of an app. */
export const accountKey = (name: string): string => name.toLowerCase().replace(/^app\/(.+)$/, '$1[bot]')

/** The ending of an address for commits made here, which hides the user's own address. */
const hiddenEnding = '@users.noreply'
export const hiddenAddress = (login: string): string => login.toLowerCase() + hiddenEnding
export const loginOfHidden = (address: string): string | undefined =>
  address.endsWith(hiddenEnding) ? address.slice(0, -hiddenEnding.length) : undefined

/** The default level of an organisation's members on its repositories. */
export const defaultMemberRank = 1
