/** OAuth: the pages on which users authorise apps, and the endpoints at which programs get tokens. */
import type { FastifyInstance } from 'fastify'
import type { Sessions } from '../../accounts/sign-in/sessions.ts'
import type { Identify } from '../identity/identify.ts'
import { makePageServer } from '../plain-pages/page-server.ts'
import { serveAuthorizing } from './authorizing.ts'
import { serveConnecting } from './connecting.ts'
import { serveRevoking } from './revoking.ts'
import { serveTokens, type TokenEndpointNeeds } from './token-endpoint.ts'

const maxFormBytes = 32 * 1024

export type OAuthNeeds = TokenEndpointNeeds & { readonly sessions: Sessions; readonly identify: Identify }

export async function oauth(server: FastifyInstance, needs: OAuthNeeds): Promise<void> {
  const { sessions, identify, log, baseUrl } = needs
  const pages = makePageServer(server, { sessions, identify, log, baseUrl, maxFormBytes })
  serveAuthorizing(server, needs.oauth, pages)
  serveConnecting(server, needs.oauth, pages)
  serveRevoking(server, needs.oauth, pages)
  serveTokens(server, needs)
}
