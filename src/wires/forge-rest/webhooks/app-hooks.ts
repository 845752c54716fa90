/** The hook of an app, for the app itself: where it tells, and what it told. */
import { notFound } from '../../../forge/failures.ts'
import { ok } from '../answer.ts'
import { appItself } from '../apps/app-doors.ts'
import { readId } from '../query.ts'
import { type Route, route } from '../route.ts'
import { presentConfiguration, presentWholeDelivery } from './present-webhook.ts'
import { Configuration, listDeliveries, toConfiguration } from './webhooks.ts'

const ofApp = { door: appItself, resource: 'Hook' } as const

export const appHookRoutes: readonly Route[] = [
  route('GET /app/hook/config', {
    ...ofApp,
    id: 'get-a-webhook-configuration-for-an-app',
    summary: 'Where the app’s hook tells what happens where it is installed.',
    async handle({ forge, target }) {
      const { url, hasSecret } = await forge.appHook.get(target)
      return ok(presentConfiguration({ url: url ?? '', hasSecret, contentType: 'json', isInsecure: false }))
    },
  }),
  route('PATCH /app/hook/config', {
    ...ofApp,
    id: 'update-a-webhook-configuration-for-an-app',
    summary: 'Changes where the app’s hook tells, or how it signs. Its deliveries are JSON, by checked certificates.',
    body: Configuration,
    async handle({ forge, target, body, view }) {
      const { url, secret } = toConfiguration(body)
      if (url !== undefined) forge.webhooks.demandUrl(url)
      await forge.appHook.change(target, { url, secret: secret === '********' ? undefined : secret })
      await forge.webhooks.keepBase(target, view.base)
      const now = await forge.appHook.get(target)
      return ok(
        presentConfiguration({ url: now.url ?? '', hasSecret: now.hasSecret, contentType: 'json', isInsecure: false }),
      )
    },
  }),
  route('GET /app/hook/deliveries', {
    ...ofApp,
    id: 'list-deliveries-for-an-app-webhook',
    summary:
      'What the app’s hook was sent, each attempt by itself, newest first: `per_page` (30, 100 at most), and `cursor`, which `Link` gives, to go on.',
    async handle(call) {
      const id = await call.forge.webhooks.findOfApp(call.target)
      return id === undefined ? ok([]) : listDeliveries(call, id)
    },
  }),
  route('GET /app/hook/deliveries/:delivery_id', {
    ...ofApp,
    id: 'get-a-delivery-for-an-app-webhook',
    summary: 'One attempt, with what was sent and what came back.',
    async handle({ forge, target, params }) {
      const id = await forge.webhooks.findOfApp(target)
      if (id === undefined) throw notFound()
      return ok(presentWholeDelivery(await forge.webhooks.getDelivery(target, id, readId(params.delivery_id))))
    },
  }),
  route('POST /app/hook/deliveries/:delivery_id/attempts', {
    ...ofApp,
    id: 'redeliver-a-delivery-for-an-app-webhook',
    summary: 'Sends it once more, as it was.',
    async handle({ forge, target, params }) {
      const id = await forge.webhooks.findOfApp(target)
      if (id === undefined) throw notFound()
      await forge.webhooks.redeliver(target, id, readId(params.delivery_id))
      return { status: 202, body: {} }
    },
  }),
]
