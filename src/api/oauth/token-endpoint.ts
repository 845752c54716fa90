/**
 * `/login/oauth/access_token` and `/login/device/code`: programs exchange codes for tokens here (RFC 6749, 7636 and
 * 8628).
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, anonymous } from '../../accounts/actor.ts'
import type { Lockout } from '../../accounts/sign-in/lockout.ts'
import type { App } from '../../forge/apps/app.ts'
import type { AppCredentials } from '../../forge/apps/app-credentials.ts'
import type { Limits } from '../../forge/limits/limits.ts'
import { readAskedScopes } from '../../forge/oauth/authorization-request.ts'
import type { OAuth } from '../../forge/oauth/oauth-services.ts'
import { isRefusal, type Refusal, refusals } from '../../forge/oauth/refusal.ts'
import type { GivenTokens } from '../../forge/oauth/user-tokens.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import { logOutage } from '../../lib/outages/outage-log.ts'
import { statusOf } from '../failure-status.ts'
import { senderKey } from '../identity/authenticate.ts'
import { originOf } from '../identity/origin.ts'
import { sendAnswer } from './token-answer.ts'

const maxBodyBytes = 32 * 1024
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

export type TokenEndpointNeeds = {
  readonly oauth: OAuth
  readonly appCredentials: AppCredentials
  readonly limits: Limits
  readonly credentialLockout: Lockout
  readonly log: Log
  readonly baseUrl: string | undefined
}

type Parameters = ReadonlyMap<string, string>
/** `by` is the app itself if its secret was sent, else the caller at that address. */
type Client = { readonly app: App; readonly by: Actor; readonly hasSecret: boolean }

export function serveTokens(server: FastifyInstance, needs: TokenEndpointNeeds): void {
  const { oauth, appCredentials, limits, credentialLockout: lockout, log, baseUrl } = needs

  /** A wrong secret counts as a wrong credential of its sender. */
  async function refuseClient(request: FastifyRequest): Promise<Refusal> {
    await limits.chargeAddress(request.ip)
    await lockout.settle(senderKey(request), false)
    return refusals.client
  }

  async function findClient(request: FastifyRequest, parameters: Parameters): Promise<Client | Refusal> {
    const address = request.ip
    const basic = readBasic(request.headers.authorization)
    const id = basic?.id ?? parameters.get('client_id') ?? ''
    const secret = basic?.secret ?? parameters.get('client_secret') ?? ''
    await lockout.check(senderKey(request))
    const named = parameters.get('client_id')
    if (named !== undefined && named !== id) return refusals.request('Two different clients are named.')
    const app = await oauth.findClient(id)
    if (secret !== '') {
      const identity = app && (await appCredentials.byClient(id, secret))
      if (!identity) return refuseClient(request)
      const by: Actor = { account: undefined, credential: { kind: 'app', app: identity }, address }
      await limits.tokenRequests.admit(app.id, address, true)
      return { app, by, hasSecret: true }
    }
    if (!app) {
      // A client id is no secret: a request with a deleted app's id does not count towards a lock-out.
      await limits.chargeAddress(address)
      return refusals.client
    }
    await limits.tokenRequests.admit(app.id, address, false)
    return { app, by: anonymous(address), hasSecret: false }
  }

  async function exchange({ app, by, hasSecret }: Client, parameters: Parameters): Promise<GivenTokens | Refusal> {
    const type = parameters.get('grant_type') ?? 'authorization_code'
    if (type === deviceGrant)
      return app.takesDeviceFlow
        ? oauth.devices.poll(by, app, parameters.get('device_code') ?? '')
        : refusals.noDeviceFlow
    if (type === 'refresh_token')
      return oauth.userTokens.renew(by, app, parameters.get('refresh_token') ?? '', hasSecret)
    if (type !== 'authorization_code') return refusals.grantType
    // An app that can keep a secret proves with it that the code reached the right place.
    if (app.isConfidential && !hasSecret) return refusals.client
    return oauth.codes.exchange(by, app, {
      code: parameters.get('code') ?? '',
      redirectUri: parameters.get('redirect_uri'),
      verifier: parameters.get('code_verifier'),
    })
  }

  const answer = (request: FastifyRequest, reply: FastifyReply, given: GivenTokens | Refusal): FastifyReply => {
    const accept = request.headers.accept ?? ''
    if (isRefusal(given)) {
      const { error, description, interval } = given
      const error_uri = `${originOf(request, baseUrl)}/-/docs/forge#oauth`
      return sendAnswer(reply, accept, { error, error_description: description, error_uri, interval })
    }
    const { text, scopes, expiresInSeconds, refresh } = given
    return sendAnswer(reply, accept, {
      access_token: text,
      expires_in: expiresInSeconds,
      refresh_token: refresh?.text,
      refresh_token_expires_in: refresh?.expiresInSeconds,
      token_type: 'bearer',
      scope: scopes.join(','),
    })
  }

  const errorHandler = (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const failure = explainOutage(error)
    const accept = request.headers.accept ?? ''
    if (failure instanceof Failure) {
      if (failure.kind === 'unavailable')
        logOutage(log, 'error', { err: error, requestId: request.id }, 'a token could not be given')
      const { retryAfterSeconds } = failure.detail
      if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
      const anchor = failure.code === 'secondary-limit' ? 'about-secondary-rate-limits' : 'oauth'
      const documentation_url = `${originOf(request, baseUrl)}/-/docs/forge#${anchor}`
      const status = statusOf(failure)
      return sendAnswer(reply, accept, { message: failure.message, documentation_url, status: String(status) }, status)
    }
    if ((error.statusCode ?? 500) < 500) {
      const { error: name, description } = refusals.request('The body must be a form or a JSON object.')
      return sendAnswer(reply, accept, { error: name, error_description: description }, error.statusCode)
    }
    log.error({ err: error, requestId: request.id }, 'a request for a token failed')
    return sendAnswer(reply, accept, { message: 'Server Error', status: '500' }, 500)
  }

  const options = { bodyLimit: maxBodyBytes, errorHandler }

  server.post('/login/oauth/access_token', options, async (request, reply) => {
    const parameters = readParameters(request.body)
    if (isRefusal(parameters)) return answer(request, reply, parameters)
    const client = await findClient(request, parameters)
    if (isRefusal(client)) return answer(request, reply, client)
    const given = await exchange(client, parameters)
    if (!isRefusal(given) && !client.hasSecret) await limits.tokenRequests.note(client.app.id)
    return answer(request, reply, given)
  })

  server.post('/login/device/code', options, async (request, reply) => {
    const parameters = readParameters(request.body)
    if (isRefusal(parameters)) return answer(request, reply, parameters)
    const client = await findClient(request, parameters)
    if (isRefusal(client)) return answer(request, reply, client)
    const { app } = client
    if (!app.takesDeviceFlow) return answer(request, reply, refusals.noDeviceFlow)
    await limits.tokenRequests.admitDevice(request.ip)
    let scopes: readonly string[]
    try {
      scopes = readAskedScopes(app, parameters.get('scope') ?? null) ?? []
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return answer(request, reply, refusals.scope(error.message))
    }
    const begun = await oauth.devices.begin(app, scopes)
    return sendAnswer(reply, request.headers.accept ?? '', {
      device_code: begun.deviceCode,
      user_code: begun.userCode,
      verification_uri: `${originOf(request, baseUrl)}/login/device`,
      expires_in: begun.expiresInSeconds,
      interval: begun.interval,
    })
  })
}

/**
 * Reads a form or a JSON object. RFC 6749, section 3.2: no parameter may be repeated, and an empty one counts as
 * omitted.
 */
function readParameters(body: unknown): Parameters | Refusal {
  if (body instanceof URLSearchParams) {
    const pairs = [...body]
    if (new Set(pairs.map(([name]) => name)).size < pairs.length) return refusals.request('A parameter is there twice.')
    return new Map(pairs.filter(([, value]) => value !== ''))
  }
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (!isObject) return refusals.request('The body must be a form or a JSON object.')
  const pairs = Object.entries(body).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return new Map(pairs.filter(([, value]) => value !== ''))
}

/** RFC 6749, section 2.3.1: both are form-encoded. */
function readBasic(header: string | undefined): { id: string; secret: string } | undefined {
  const encoded = header === undefined ? null : /^basic +(\S+) *$/i.exec(header)
  if (!encoded) return undefined
  const [id = '', ...rest] = Buffer.from(encoded[1]!, 'base64').toString('utf8').split(':')
  return { id: decode(id), secret: decode(rest.join(':')) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
