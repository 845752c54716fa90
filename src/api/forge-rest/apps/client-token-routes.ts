/**
 * Routes by which apps check and revoke their tokens with client id and secret, and by which users list their
 * authorisations.
 */
import type { Static } from 'typebox'
import { invalidField } from '../../../forge/failures.ts'
import type { ClientToken } from '../../../forge/oauth/client-tokens.ts'
import type { ListedGrant } from '../../../forge/oauth/grants.ts'
import type { OAuth } from '../../../forge/oauth/oauth-services.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { signedIn } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { presentUser } from '../people/present-people.ts'
import { readId } from '../query.ts'
import { ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { List, Optional, Shape, Text, Whole } from '../schemas.ts'
import { formatTime, nodeId, type View } from '../view.ts'
import { Permissions } from './app-body.ts'
import { appClient } from './app-doors.ts'

const byClient = { door: appClient, resource: 'OauthAccess', points: 1 } as const
const oneself = { door: signedIn, tokens: ['classic'], scopes: ['user'], resource: 'OauthAuthorization' } as const

const TokenBody = Shape({ access_token: Text(255, 1) })
const ScopedBody = Shape({
  access_token: Text(255, 1),
  target: Optional(Text(39, 1)),
  target_id: Optional(Whole),
  repositories: Optional(List(Text(200, 1), { maxItems: 500 })),
  repository_ids: Optional(List(Whole, { maxItems: 500 })),
  permissions: Optional(Permissions),
})

function presentClientToken({ token, text, app, user, installation }: ClientToken, view: View) {
  return {
    id: token.id,
    node_id: nodeId('Authorization', token.id),
    url: `${view.base}/authorizations/${token.id}`,
    app: { name: app.name, url: app.url, client_id: app.clientId },
    token: text,
    hashed_token: null,
    token_last_eight: token.hint,
    note: null,
    note_url: null,
    created_at: formatTime(token.createdAt),
    updated_at: formatTime(token.createdAt),
    scopes: token.scopes,
    fingerprint: null,
    expires_at: token.expiresAt ? formatTime(token.expiresAt) : null,
    user: presentUser(user, view),
    ...(installation && {
      installation: {
        permissions: token.permissions,
        repository_selection: token.repositories === 'all' ? installation.selection : 'selected',
        single_file_name: null,
        has_multiple_single_files: false,
        single_file_paths: [],
        repositories_url: `${view.base}/user/installations/${installation.id}/repositories`,
        account: presentUser(installation.account, view),
      },
    }),
  }
}

const presentGrant = ({ id, app, scopes, tokens, createdAt, updatedAt }: ListedGrant, view: View) => ({
  id,
  url: `${view.base}/applications/grants/${id}`,
  app: { name: app.name, url: app.url, client_id: app.clientId },
  scopes: app.kind === 'oauth' ? scopes : [],
  permissions: app.kind === 'app' ? scopes : [],
  tokens,
  created_at: formatTime(createdAt),
  updated_at: formatTime(updatedAt),
})

function readTarget({ target, target_id }: Static<typeof ScopedBody>) {
  if ((target === undefined) === (target_id === undefined))
    throw invalidField('target', 'missing_field', 'Give either target or target_id.')
  return omitUndefined({ login: target, id: target_id })
}

export const clientTokenRoutes = ({ oauth }: { oauth: OAuth }): readonly Route[] => [
  route('POST /applications/:client_id/token', {
    ...byClient,
    id: 'check-a-token',
    summary: 'Shows whether a token of the app is valid, and for what.',
    body: TokenBody,
    async handle({ target, body, view }) {
      return ok(presentClientToken(await oauth.clientTokens.check(target, body.access_token), view))
    },
  }),
  route('PATCH /applications/:client_id/token', {
    ...byClient,
    id: 'reset-a-token',
    summary: 'Replaces the text of a token; the old one ends immediately.',
    body: TokenBody,
    async handle({ target, body, view }) {
      return ok(presentClientToken(await oauth.clientTokens.reset(target, body.access_token), view))
    },
  }),
  route('DELETE /applications/:client_id/token', {
    ...byClient,
    id: 'delete-an-app-token',
    summary: 'Ends a token, and the refresh token that came with it.',
    body: TokenBody,
    handle: ({ target, body }) => done(oauth.clientTokens.revoke(target, body.access_token)),
  }),
  route('POST /applications/:client_id/token/scoped', {
    ...byClient,
    id: 'create-a-scoped-access-token',
    summary: 'Creates a narrower token from an app user token: one account, fewer repositories and permissions.',
    body: ScopedBody,
    async handle({ target, body, view }) {
      const { access_token, repositories: names, repository_ids: ids, permissions } = body
      const request = omitUndefined({ names, ids, permissions })
      const made = await oauth.clientTokens.narrow(target, access_token, readTarget(body), request)
      return ok(presentClientToken(made, view))
    },
  }),
  route('DELETE /applications/:client_id/grant', {
    ...byClient,
    id: 'delete-an-app-authorization',
    summary: 'Revokes the user’s authorisation of the app: all its tokens for them end.',
    body: TokenBody,
    handle: ({ target, body }) => done(oauth.clientTokens.giveBack(target, body.access_token)),
  }),
  route('GET /applications/grants', {
    ...oneself,
    id: 'list-your-grants',
    summary: 'Lists the apps that you have authorised.',
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(oauth.grants.list(target, page), presentGrant, view),
  }),
  route('GET /applications/grants/:grant_id', {
    ...oneself,
    id: 'get-a-single-grant',
    summary: 'Shows one of the apps that you have authorised.',
    async handle({ target, params, view }) {
      return ok(presentGrant(await oauth.grants.get(target, readId(params.grant_id)), view))
    },
  }),
  route('DELETE /applications/grants/:grant_id', {
    ...oneself,
    id: 'delete-a-grant',
    summary: 'Revokes your authorisation of an app: all its tokens for you end.',
    handle: ({ target, params }) => done(oauth.grants.revoke(target, readId(params.grant_id))),
  }),
]
