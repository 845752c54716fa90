/** JSON-RPC methods of sessions. */

import { Type } from 'typebox'
import { anonymous, requireSignIn } from '../../../accounts/actor.ts'
import type { Sessions } from '../../../accounts/sign-in/sessions.ts'
import { defineMethod, type Method } from '../method.ts'
import { AccountSchema, Empty, presentAccount, Text } from '../shapes/basic-shapes.ts'

export const sessionMethods = (sessions: Sessions): Method[] => [
  defineMethod({
    name: 'create_session',
    summary: 'Exchanges an account name and a password for a token, and sets the session cookie.',
    isOpen: true,
    params: Type.Object({
      AccountName: Text(0, 1024),
      Password: Type.String({ format: 'bytes', maxLength: 1024 }),
    }),
    result: Type.Object({ Account: AccountSchema, Token: Type.String() }),
    async run(call, { AccountName, Password }) {
      const { account, token } = await sessions.create(call.actor, AccountName, Password)
      const opened = await sessions.open(token, call.actor.address)
      if (opened) call.actor = opened.actor
      call.setSession(token)
      return { Account: presentAccount(account), Token: token }
    },
  }),

  defineMethod({
    name: 'get_session',
    summary: 'Shows the account of this session or token.',
    params: Empty,
    result: Type.Object({ Account: AccountSchema }),
    async run({ actor }) {
      requireSignIn(actor)
      return { Account: presentAccount(actor.account) }
    },
  }),

  defineMethod({
    name: 'delete_session',
    summary: 'Ends the session at once.',
    params: Empty,
    result: Empty,
    async run(call) {
      await sessions.end(call.actor)
      call.actor = anonymous(call.actor.address)
      call.setSession(undefined)
      return {}
    },
  }),
]
