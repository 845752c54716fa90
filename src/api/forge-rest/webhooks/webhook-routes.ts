/** Webhooks of repositories, organisations and the whole site: the same routes in three places. */
import type { Static } from 'typebox'
import type { HookKeeper, HookReader } from '../../../forge/webhooks/webhook.ts'
import type { Webhooks } from '../../../forge/webhooks/webhook-services.ts'
import type { ConfigurationChange } from '../../../forge/webhooks/webhooks.ts'
import type { Address } from '../address.ts'
import { changed, type Door, organisation, seen, siteAdmin } from '../doors.ts'
import { done, pageOf } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, ok, type RestAnswer } from '../rest-answer.ts'
import { type ForgeCall, type Route, route, usualPage } from '../route.ts'
import { Flag, List, OneOf, Optional, Shape, Text, Type } from '../schemas.ts'
import { presentConfiguration, presentDelivery, presentWebhook, presentWholeDelivery } from './present-webhook.ts'

/** `1` and `"1"` disable the check of certificates. */
const Insecure = Type.Union([OneOf('0', '1'), Type.Integer({ minimum: 0, maximum: 1 })])
export const Configuration = Shape({
  url: Optional(Text(2048)),
  content_type: Optional(OneOf('json', 'form')),
  secret: Optional(Type.Union([Text(1024), Type.Null()])),
  insecure_ssl: Optional(Insecure),
})
const Events = List(Text(50), { maxItems: 100 })

export const toConfiguration = (given: Static<typeof Configuration>): ConfigurationChange => ({
  url: given.url,
  contentType: given.content_type,
  secret: given.secret,
  isInsecure: given.insecure_ssl === undefined ? undefined : String(given.insecure_ssl) === '1',
})

type HookRoutes = {
  /** Such as `/repos/:owner/:repo/hooks`. */
  readonly path: `/${string}`
  readonly reads: Door<HookReader>
  readonly changes: Door<HookKeeper>
  readonly scopes: { readonly read: readonly string[]; readonly write: readonly string[] }
  /** The permission of fine-grained and app tokens; routes of site admins have none. */
  readonly permission: string | undefined
  /** The resource in route ids: `a-repository-webhook`. */
  readonly word: string
  readonly what: string
}

function routesOf(webhooks: Webhooks, { path, reads, changes, scopes, permission, word, what }: HookRoutes): Route[] {
  const read = {
    door: reads,
    scopes: scopes.read,
    resource: 'Hook',
    ...(permission && { permission: `${permission}=read` }),
  }
  const write = {
    door: changes,
    scopes: scopes.write,
    resource: 'Hook',
    ...(permission && { permission: `${permission}=write` }),
  }
  const at = <const M extends 'GET' | 'POST' | 'PATCH' | 'DELETE'>(method: M, rest = ''): Address =>
    `${method} ${path}${rest}`
  const idOf = ({ params }: { params: object }) => readId((params as { hook_id?: string }).hook_id)
  const deliveryOf = ({ params }: { params: object }) => readId((params as { delivery_id?: string }).delivery_id)
  return [
    route(at('GET'), {
      ...read,
      id: `list-${word}s`,
      summary: `Hooks of ${what}.`,
      pageSize: usualPage,
      handle: ({ target, page, view }) => pageOf(webhooks.list(target, page), presentWebhook, view),
    }),
    route(at('POST'), {
      ...write,
      id: `create-a-${word}`,
      summary: `Creates a hook for ${what} and pings it immediately. Its secret is never shown again.`,
      body: Shape({
        name: Optional(Text(50)),
        config: Optional(Configuration),
        events: Optional(Events),
        active: Optional(Flag),
      }),
      async handle({ target, body, view }) {
        const draft = {
          configuration: toConfiguration(body.config ?? {}),
          events: body.events,
          isActive: body.active,
        }
        const shown = presentWebhook(await webhooks.create(target, draft, view.base), view)
        return created(shown, shown.url)
      },
    }),
    route(at('GET', '/:hook_id'), {
      ...read,
      id: `get-a-${word}`,
      summary: 'A hook, and how its last delivery went.',
      handle: async (call) => ok(presentWebhook(await webhooks.get(call.target, idOf(call)), call.view)),
    }),
    route(at('PATCH', '/:hook_id'), {
      ...write,
      id: `update-a-${word}`,
      summary: 'Changes a hook. From then on it sends the events that the person who changed it can see.',
      body: Shape({
        config: Optional(Configuration),
        events: Optional(Events),
        add_events: Optional(Events),
        remove_events: Optional(Events),
        active: Optional(Flag),
        name: Optional(Text(50)),
      }),
      async handle(call) {
        const { body } = call
        const hook = await webhooks.update(call.target, idOf(call), {
          configuration: toConfiguration(body.config ?? {}),
          events: body.events,
          addedEvents: body.add_events,
          removedEvents: body.remove_events,
          isActive: body.active,
        })
        return ok(presentWebhook(hook, call.view))
      },
    }),
    route(at('DELETE', '/:hook_id'), {
      ...write,
      id: `delete-a-${word}`,
      summary: 'Deletes a hook with its deliveries.',
      handle: (call) => done(webhooks.remove(call.target, idOf(call))),
    }),
    route(at('GET', '/:hook_id/config'), {
      ...read,
      id: `get-a-webhook-configuration-for-${placeWord(word)}`,
      summary: 'Shows the configuration of a hook.',
      handle: async (call) => ok(presentConfiguration(await webhooks.get(call.target, idOf(call)))),
    }),
    route(at('PATCH', '/:hook_id/config'), {
      ...write,
      id: `update-a-webhook-configuration-for-${placeWord(word)}`,
      summary: 'Changes where a hook tells what, or how.',
      body: Configuration,
      async handle(call) {
        const configuration = toConfiguration(call.body)
        return ok(presentConfiguration(await webhooks.update(call.target, idOf(call), { configuration })))
      },
    }),
    route(at('GET', '/:hook_id/deliveries'), {
      ...read,
      id: `list-deliveries-for-a-${word}`,
      summary:
        'What a hook was sent, each attempt by itself, newest first: `per_page` (30, 100 at most), and `cursor`, which `Link` gives, to go on.',
      handle: (call) => listDeliveries(webhooks, call, idOf(call)),
    }),
    route(at('GET', '/:hook_id/deliveries/:delivery_id'), {
      ...read,
      id: `get-a-delivery-for-a-${word}`,
      summary: 'Shows one attempt with its request and response.',
      handle: async (call) =>
        ok(presentWholeDelivery(await webhooks.getDelivery(call.target, idOf(call), deliveryOf(call)))),
    }),
    route(at('POST', '/:hook_id/deliveries/:delivery_id/attempts'), {
      ...write,
      id: `redeliver-a-delivery-for-a-${word}`,
      summary: 'Sends the same delivery again.',
      async handle(call) {
        await webhooks.redeliver(call.target, idOf(call), deliveryOf(call))
        return { status: 202, body: {} }
      },
    }),
    route(at('POST', '/:hook_id/pings'), {
      ...write,
      id: `ping-a-${word}`,
      summary: 'Sends the event `ping`.',
      handle: (call) => done(webhooks.ping(call.target, idOf(call))),
    }),
  ]
}

const placeWord = (word: string): string =>
  word === 'global-webhook' ? 'the-site' : `a${/^[aeiou]/.test(word) ? 'n' : ''}-${word.replace('-webhook', '')}`

/** As on the public platform, these pages have no number: `Link` has the address of the next. */
export async function listDeliveries(
  webhooks: Webhooks,
  { target, query, page, address }: ForgeCall<HookReader>,
  id: number,
): Promise<RestAnswer> {
  const before = query.whole('cursor', 0) || undefined
  const found = await webhooks.listDeliveries(target, id, { before, limit: page.limit + 1 })
  const shown = found.slice(0, page.limit)
  const last = found.length > page.limit ? shown.at(-1) : undefined
  const [path, given] = address.split(/\?(.*)/s, 2)
  const next = new URLSearchParams(given)
  if (last) next.set('cursor', String(last.id))
  return ok(shown.map(presentDelivery), last && { link: `<${path}?${next}>; rel="next"` })
}

const repositoryScopes = {
  read: ['read:repo_hook', 'repo'],
  write: ['write:repo_hook', 'repo'],
}

export const webhookRoutes = ({ webhooks }: { webhooks: Webhooks }): readonly Route[] => [
  ...routesOf(webhooks, {
    path: '/repos/:owner/:repo/hooks',
    reads: seen('admin'),
    changes: changed('admin'),
    scopes: repositoryScopes,
    permission: 'repository_hooks',
    word: 'repository-webhook',
    what: 'a repository',
  }),
  route('POST /repos/:owner/:repo/hooks/:hook_id/tests', {
    door: changed('admin'),
    scopes: repositoryScopes.write,
    permission: 'repository_hooks=write',
    resource: 'Hook',
    id: 'test-the-push-repository-webhook',
    summary: 'Sends the newest push again to a hook that receives pushes.',
    handle: ({ target, params }) => done(webhooks.test(target, readId(params.hook_id))),
  }),
  ...routesOf(webhooks, {
    path: '/orgs/:org/hooks',
    reads: organisation('owner'),
    changes: organisation('owner'),
    scopes: { read: ['admin:org_hook'], write: ['admin:org_hook'] },
    permission: 'organization_hooks',
    word: 'organization-webhook',
    what: 'an organization, for all its repositories and for itself',
  }),
  ...routesOf(webhooks, {
    path: '/admin/hooks',
    reads: siteAdmin,
    changes: siteAdmin,
    scopes: { read: siteAdmin.scopes, write: siteAdmin.scopes },
    permission: undefined,
    word: 'global-webhook',
    what: 'the site, for everything that happens on it, the judge’s finished submissions included',
  }),
]
