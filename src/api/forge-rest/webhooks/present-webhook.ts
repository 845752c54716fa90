/** Presents webhooks and their deliveries. A secret is never shown, only that there is one. */
import type { Delivery, WholeDelivery } from '../../../forge/webhooks/queue/delivery.ts'
import type { HookHolder, Webhook } from '../../../forge/webhooks/webhook.ts'
import { formatTime, type View } from '../view.ts'

const hiddenSecret = '********'

export const presentConfiguration = ({
  url,
  contentType,
  isInsecure,
  hasSecret,
}: Pick<Webhook, 'url' | 'contentType' | 'isInsecure' | 'hasSecret'>) => ({
  content_type: contentType,
  insecure_ssl: isInsecure ? '1' : '0',
  url,
  ...(hasSecret && { secret: hiddenSecret }),
})

function placeOf(holder: HookHolder, { base }: View): string {
  if (holder.kind === 'repository') return `${base}/repos/${holder.login}/${holder.name}/hooks`
  return holder.kind === 'organisation' ? `${base}/orgs/${holder.login}/hooks` : `${base}/admin/hooks`
}

const types = { repository: 'Repository', organisation: 'Organization', app: 'App', site: 'Global' } as const

export function presentWebhook(hook: Webhook, view: View) {
  const url = `${placeOf(hook.holder, view)}/${hook.id}`
  const { code, status, message } = hook.lastResponse
  return {
    type: types[hook.holder.kind],
    id: hook.id,
    name: 'web',
    active: hook.isActive,
    events: hook.events,
    config: presentConfiguration(hook),
    updated_at: formatTime(hook.updatedAt),
    created_at: formatTime(hook.createdAt),
    url,
    ...(hook.holder.kind === 'repository' && { test_url: `${url}/tests` }),
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response: { code, status, message },
  }
}

export const presentDelivery = (delivery: Delivery) => ({
  id: delivery.id,
  guid: delivery.guid,
  delivered_at: formatTime(delivery.deliveredAt),
  redelivery: delivery.isRedelivery,
  duration: delivery.durationMs / 1000,
  status: delivery.status,
  status_code: delivery.statusCode,
  event: delivery.event,
  action: delivery.action,
  installation_id: delivery.installationId,
  repository_id: delivery.repositoryId,
  throttled_at: null,
})

export const presentWholeDelivery = (delivery: WholeDelivery) => ({
  ...presentDelivery(delivery),
  url: delivery.url,
  request: { headers: delivery.requestHeaders, payload: delivery.payload },
  response: { headers: delivery.responseHeaders, payload: delivery.responseBody },
})
