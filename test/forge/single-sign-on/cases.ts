/** Requests that succeed for every route of single sign-on, for tests that look at every route. */
import { theServer } from '../../../src/accounts/actor.ts'
import { makeToken } from '../../support/rest.ts'
import type { Case } from '../route-cases.ts'

let count = 0

/** A member whom the provider knows, with a token that is authorised. */
const authorised: Case['fresh'] = async ({ server, root }) => {
  const login = `signed-on-${++count}`
  await root.post('/admin/users', { login })
  await root.put(`/orgs/acme/memberships/${login}`, {})
  const { store, tokens, forge } = server.services
  const found = await tokens.find(await makeToken(server, login, { kind: 'classic', scopes: ['repo'] }))
  const { body } = await root.get('/orgs/acme')
  const member = { organisationId: body.id as number, userId: found!.account.id }
  const { identities, authorizations } = forge.singleSignOn
  await store.write(async (trx) => {
    await identities.linkWithin(trx, theServer, member, { issuer: 'https://login.example.org', subject: login })
    await authorizations.addWithin(trx, theServer, { ...member, tokenId: found!.token.id })
  })
  const rows = store.db.selectFrom('credential_authorization').select('id').where('user_id', '=', member.userId)
  return { username: login, credential_id: (await rows.executeTakeFirstOrThrow()).id }
}

export const singleSignOnCases: Readonly<Record<string, Case>> = {
  'remove-a-saml-sso-authorization-for-an-organization': { fresh: authorised },
  'unlink-an-identity': { fresh: authorised, by: 'admin' },
}
