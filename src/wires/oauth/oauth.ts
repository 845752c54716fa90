/** OAuth: the pages on which people let apps act for them, and where programs fetch the tokens. */
import type { FastifyInstance } from 'fastify'
import type { Sessions } from '../../accounts/sign-in/sessions.ts'
import type { Identify } from '../identify.ts'
import { makePageServer } from '../page-server.ts'
import { serveAuthorizing } from './authorizing.ts'
import { serveConnecting } from './connecting.ts'
import { serveRevoking } from './revoking.ts'
import { serveTokens, type TokenEndpointNeeds } from './token-endpoint.ts'

const maxFormBytes = 32 * 1024

export type OAuthWire = TokenEndpointNeeds & { readonly sessions: Sessions; readonly identify: Identify }

export async function oauth(server: FastifyInstance, needs: OAuthWire): Promise<void> {
  const pages = makePageServer(server, { ...needs, maxFormBytes })
  serveAuthorizing(server, needs.forge, pages)
  serveConnecting(server, needs.forge, pages)
  serveRevoking(server, needs.forge, pages)
  serveTokens(server, needs)
}
