/** Routes by which an app reads and changes its own hook and reads its deliveries. */
import type { AppHook } from '../../../forge/apps/app-hook.ts'
import { notFound } from '../../../forge/failures.ts'
import type { Webhooks } from '../../../forge/webhooks/webhook-services.ts'
import { ok } from '../answer.ts'
import { appItself } from '../apps/app-doors.ts'
import { readId } from '../query.ts'
import { type Route, route } from '../route.ts'
import { presentConfiguration, presentWholeDelivery } from './present-webhook.ts'
import { Configuration, listDeliveries, toConfiguration } from './webhook-routes.ts'

const ofApp = { door: appItself, resource: 'Hook' } as const

export const appHookRoutes = ({ appHook, webhooks }: { appHook: AppHook; webhooks: Webhooks }): readonly Route[] => [
  route('GET /app/hook/config', {
    ...ofApp,
    id: 'get-a-webhook-configuration-for-an-app',
    summary: 'Where the app’s hook tells what happens where it is installed.',
    async handle({ target }) {
      const { url, hasSecret } = await appHook.get(target)
      return ok(presentConfiguration({ url: url ?? '', hasSecret, contentType: 'json', isInsecure: false }))
    },
  }),
  route('PATCH /app/hook/config', {
    ...ofApp,
    id: 'update-a-webhook-configuration-for-an-app',
    summary: 'Changes where the app’s hook tells, or how it signs. Its deliveries are JSON, by checked certificates.',
    body: Configuration,
    async handle({ target, body, view }) {
      const { url, secret } = toConfiguration(body)
      if (url !== undefined) webhooks.demandUrl(url)
      await appHook.change(target, { url, secret: secret === '********' ? undefined : secret })
      await webhooks.keepBase(target, view.base)
      const now = await appHook.get(target)
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
      const id = await webhooks.findOfApp(call.target)
      return id === undefined ? ok([]) : listDeliveries(webhooks, call, id)
    },
  }),
  route('GET /app/hook/deliveries/:delivery_id', {
    ...ofApp,
    id: 'get-a-delivery-for-an-app-webhook',
    summary: 'One attempt, with what was sent and what came back.',
    async handle({ target, params }) {
      const id = await webhooks.findOfApp(target)
      if (id === undefined) throw notFound()
      return ok(presentWholeDelivery(await webhooks.getDelivery(target, id, readId(params.delivery_id))))
    },
  }),
  route('POST /app/hook/deliveries/:delivery_id/attempts', {
    ...ofApp,
    id: 'redeliver-a-delivery-for-an-app-webhook',
    summary: 'Sends it once more, as it was.',
    async handle({ target, params }) {
      const id = await webhooks.findOfApp(target)
      if (id === undefined) throw notFound()
      await webhooks.redeliver(target, id, readId(params.delivery_id))
      return { status: 202, body: {} }
    },
  }),
]
