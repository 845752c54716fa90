/** The tables of webhooks and deliveries. */
import type { Generated } from 'kysely'

export type WebhookTable = {
  id: Generated<number>
  /** Whose events it hears of: one repository's, those of all repositories of an organisation, those where an app is installed, or everybody's. */
  holder: 'repository' | 'organisation' | 'app' | 'site'
  repository_id: number | null
  organisation_id: number | null
  /** The app has the address, the secret, the events and whether it is active: here they are not kept up. */
  app_id: number | null
  /** Who answers for it: it tells nothing that this account may not see. */
  owner_id: number
  url: string
  content_type: 'json' | 'form'
  /** It signs, so it is kept as it is; nothing shows it. */
  secret: string | null
  is_insecure: number
  /** JSON array. */
  events: string
  is_active: number
  /** Where the programming interface was called when it was made: addresses in payloads begin so. */
  base_url: string
  /** Attempts that failed one after the other, and until when the next one waits for it. */
  failure_count: number
  paused_until: number
  last_code: number | null
  last_status: string
  last_message: string | null
  /** Events that were not told for want of room, within a day or so. */
  dropped_count: Generated<number>
  dropped_at: Generated<number>
  created_at: number
  updated_at: number
}

/** One attempt to deliver. */
export type WebhookDeliveryTable = {
  id: Generated<number>
  webhook_id: number
  /** The first attempt's id: a retry keeps the place of the first. */
  position: number
  /** The same for each attempt to deliver one event. */
  guid: string
  event: string
  action: string | null
  repository_id: number | null
  /** Whose queue it counts in: the owner of the repository, the organisation, or the app's owner; 0 for hooks of the site. */
  account_id: number
  /** In whose turn its payload is made: of where it happened, whoever is told of it. */
  turn_id: number
  /** Of an app's hook: by which installation it hears of it. */
  installation_id: number | null
  /** JSON object: what the payload is made of. */
  source: string
  payload: string | null
  /** `waiting` for its payload, `ready` to be sent, or `done`. */
  state: 'waiting' | 'ready' | 'done'
  tries: number
  is_redelivery: number
  created_at: number
  delivered_at: number | null
  duration_ms: number | null
  status: string | null
  status_code: number | null
  /** JSON objects. */
  request_headers: string | null
  response_headers: string | null
  response_body: string | null
  /** Of source, payload and answer together. */
  size: number
}

export type WebhooksSchema = { webhook: WebhookTable; webhook_delivery: WebhookDeliveryTable }
