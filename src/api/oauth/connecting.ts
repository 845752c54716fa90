/**
 * `/login/device`: the user of a program without a browser enters its code here, and allows or denies (RFC 8628,
 * section 3.3).
 */
import type { FastifyInstance } from 'fastify'
import type { SignedIn } from '../../accounts/actor.ts'
import { isProven, proveShown } from '../../forge/oauth/consent.ts'
import type { DeviceRequest } from '../../forge/oauth/device-codes.ts'
import type { OAuth } from '../../forge/oauth/oauth-services.ts'
import { Failure } from '../../lib/failure.ts'
import { statusOf } from '../failure-status.ts'
import { formOf, type PageServer, show } from '../plain-pages/page-server.ts'
import { continuationPage, signInPage } from '../plain-pages/plain-page.ts'
import { deviceConsentPage, deviceDonePage, userCodePage } from './authorization-pages.ts'
import { isFromElsewhere, queryOf } from './authorizing.ts'

const path = '/login/device'
const sessionPath = '/login/device/session'
const decisionPath = '/login/device/decision'

export function serveConnecting(server: FastifyInstance, oauth: OAuth, pages: PageServer): void {
  const shownOf = ({ deviceHash, scopes }: DeviceRequest) => ['device', deviceHash, scopes]

  const look = async (actor: SignedIn, typed: string): Promise<DeviceRequest> => {
    const found = await oauth.devices.look(actor, typed)
    await oauth.demandAuthorizable(actor, found.app)
    return found
  }

  server.get(path, async (request, reply) => {
    const query = queryOf(request)
    if (isFromElsewhere(request)) return show(reply, continuationPage(path + query))
    const actor = await pages.findSession(request)
    if (!actor) return show(reply, signInPage(sessionPath + query))
    const typed = (new URLSearchParams(query).get('user_code') ?? '').slice(0, 20)
    return show(reply, userCodePage(path, { typed }))
  })

  server.post(sessionPath, (request, reply) =>
    pages.signIn(request, reply, sessionPath + queryOf(request), () =>
      show(reply, continuationPage(path + queryOf(request))),
    ),
  )

  server.post(path, async (request, reply) => {
    pages.demandOwnPage(request)
    const actor = await pages.findSession(request)
    if (!actor) return show(reply, signInPage(sessionPath), 401)
    const typed = (formOf(request).get('user_code') ?? '').slice(0, 20)
    const found = await look(actor, typed).catch((error) => error)
    if (found instanceof Failure)
      return show(reply, userCodePage(path, { typed, message: found.message }), statusOf(found))
    if (found instanceof Error) throw found
    const { app, scopes, userCode } = found
    const fields = { user_code: userCode, proof: proveShown(actor, app, shownOf(found)) }
    const consent = { app, scopes, login: actor.account.name, action: decisionPath, fields }
    return show(reply, deviceConsentPage(consent, `${userCode.slice(0, 4)}-${userCode.slice(4)}`))
  })

  server.post(decisionPath, async (request, reply) => {
    pages.demandOwnPage(request)
    const actor = await pages.findSession(request)
    if (!actor) return show(reply, signInPage(sessionPath), 401)
    const form = formOf(request)
    const found = await look(actor, form.get('user_code') ?? '')
    if (!isProven(actor, found.app, shownOf(found), form.get('proof') ?? ''))
      throw new Failure('forbidden', 'not-shown', 'This page was out of date: type the code again.')
    const isAllowed = form.get('decision') === 'allow'
    if (!(await oauth.devices.decide(actor, found, isAllowed)))
      throw new Failure('not-found', 'device-code-unknown', 'This code has expired: start again on the device.')
    return show(reply, deviceDonePage(isAllowed))
  })
}
