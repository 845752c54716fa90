/** Routes by which an app reads and changes its own hook and reads its deliveries. */
import type { AppHook } from '../../../forge/apps/app-hook.ts'
import { notFound } from '../../../forge/failures.ts'
import type { AppReader } from '../../../forge/webhooks/webhook.ts'
import type { Webhooks } from '../../../forge/webhooks/webhook-services.ts'
import type { Address } from '../address.ts'
import { appItself, handedApp } from '../apps/app-doors.ts'
import type { Door } from '../doors.ts'
import { readId } from '../query.ts'
import { ok } from '../rest-answer.ts'
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
  ...deliveryRoutes(webhooks, {
    path: '/app/hook',
    door: appItself,
    word: 'for-an-app-webhook',
    what: 'the app’s hook',
  }),
  ...deliveryRoutes(webhooks, {
    path: '/apps/:app_slug/hook',
    door: handedApp,
    word: 'of-the-webhook-of-an-app',
    what: 'the hook of an app, for the app’s owners,',
  }),
]

type Deliveries = {
  readonly path: `/${string}`
  readonly door: Door<AppReader>
  readonly word: string
  readonly what: string
}

/** The same routes for the app itself and for its owner. */
function deliveryRoutes(webhooks: Webhooks, { path, door, word, what }: Deliveries): readonly Route[] {
  const common = { door, resource: 'Hook' } as const
  const at = <const M extends 'GET' | 'POST'>(method: M, rest = ''): Address => `${method} ${path}/deliveries${rest}`
  const deliveryOf = ({ params }: { params: object }) => readId((params as { delivery_id?: string }).delivery_id)
  const demandHook = async (target: AppReader): Promise<number> => {
    const id = await webhooks.findOfApp(target)
    if (id === undefined) throw notFound()
    return id
  }
  return [
    route(at('GET'), {
      ...common,
      id: `list-deliveries-${word}`,
      summary: `What ${what} was sent, each attempt by itself, newest first: \`per_page\` (30, 100 at most), and \`cursor\`, which \`Link\` gives, to go on.`,
      async handle(call) {
        const id = await webhooks.findOfApp(call.target)
        return id === undefined ? ok([]) : listDeliveries(webhooks, call, id)
      },
    }),
    route(at('GET', '/:delivery_id'), {
      ...common,
      id: `get-a-delivery-${word}`,
      summary: 'Shows one attempt with its request and response.',
      async handle(call) {
        const id = await demandHook(call.target)
        return ok(presentWholeDelivery(await webhooks.getDelivery(call.target, id, deliveryOf(call))))
      },
    }),
    route(at('POST', '/:delivery_id/attempts'), {
      ...common,
      id: `redeliver-a-delivery-${word}`,
      summary: 'Sends the same delivery again.',
      async handle(call) {
        const id = await demandHook(call.target)
        await webhooks.redeliver(call.target, id, deliveryOf(call))
        return { status: 202, body: {} }
      },
    }),
  ]
}
