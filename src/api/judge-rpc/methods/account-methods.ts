/** JSON-RPC methods of accounts. */

import { Type } from 'typebox'
import type { Accounts } from '../../../accounts/accounts.ts'
import { defineMethod, type Method } from '../method.ts'
import {
  AccountDisplayName,
  AccountName,
  AccountSchema,
  PageParams,
  Password,
  presentAccount,
  RoleName,
  Text,
  toPage,
  Uint64,
} from '../shapes/basic-shapes.ts'

const result = Type.Object({ Account: AccountSchema })

export const accountMethods = (accounts: Accounts): Method[] => [
  defineMethod({
    name: 'create_account',
    summary: 'Creates an account. Contestants and problem setters can sign up themselves.',
    isOpen: ({ Role }) => Role !== 'admin' && Role !== 'worker',
    params: Type.Object({
      AccountName,
      DisplayName: AccountDisplayName,
      Role: RoleName,
      Password,
    }),
    result,
    async run({ actor }, { AccountName, DisplayName, Role, Password }) {
      const draft = { name: AccountName, displayName: DisplayName, role: Role, password: Password }
      return { Account: presentAccount(await accounts.create(actor, draft)) }
    },
  }),

  defineMethod({
    name: 'get_account_list',
    summary: 'Lists accounts, newest first; with Search those whose name or display name has it.',
    nullIsAbsent: true,
    params: Type.Object({ ...PageParams, Search: Type.Optional(Text(0, 64)) }),
    result: Type.Object({ TotalAccountCount: Uint64, AccountList: Type.Array(AccountSchema) }),
    async run({ actor }, { Search = '', ...params }) {
      const { total, items } = await accounts.list(actor, toPage(params), Search.trim())
      return { TotalAccountCount: total, AccountList: items.map(presentAccount) }
    },
  }),

  defineMethod({
    name: 'get_account',
    summary: 'Reads one account.',
    params: Type.Object({ ID: Uint64 }),
    result,
    async run({ actor }, { ID }) {
      return { Account: presentAccount(await accounts.get(actor, ID)) }
    },
  }),

  defineMethod({
    name: 'update_account',
    summary: 'Changes the given parts of an account; a new password ends its other sessions.',
    nullIsAbsent: true,
    params: Type.Object({
      ID: Uint64,
      DisplayName: Type.Optional(AccountDisplayName),
      Role: Type.Optional(RoleName),
      Password: Type.Optional(Password),
      CurrentPassword: Type.Optional(Password),
    }),
    result,
    async run({ actor }, { ID, DisplayName, Role, Password, CurrentPassword }) {
      const change = {
        ...(DisplayName !== undefined && { displayName: DisplayName }),
        ...(Role !== undefined && { role: Role }),
        ...(Password !== undefined && { password: Password }),
        ...(CurrentPassword !== undefined && { currentPassword: CurrentPassword }),
      }
      return { Account: presentAccount(await accounts.update(actor, ID, change)) }
    },
  }),
]
