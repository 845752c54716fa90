/** The tables of webhooks and deliveries. */
import type { Generated } from 'kysely'

export type WebhookTable = {
  id: Generated<number>
  /**
   * Whose events it receives: one repository's, those of all repositories of an organisation, those where an app is
   * installed, or everybody's.
   */
  holder: 'repository' | 'organisation' | 'app' | 'site'
  repository_id: number | null
  organisation_id: number | null
  /** The address, secret, events and active flag are the app's: the columns here are not updated. */
  app_id: number | null
  /** The responsible account: the hook sends nothing that this account may not see. */
  owner_id: number
  url: string
  content_type: 'json' | 'form'
  /** Stored in clear, because it signs deliveries; it is never shown. */
  secret: string | null
  is_insecure: number
  /** JSON array. */
  events: string
  is_active: number
  /** The API's address when the hook was created: addresses in payloads begin with it. */
  base_url: string
  /** Consecutive failed attempts, and until when the next one is delayed. */
  failure_count: number
  paused_until: number
  last_code: number | null
  last_status: string
  last_message: string | null
  /** Events dropped for lack of room, within a day or so. */
  dropped_count: Generated<number>
  dropped_at: Generated<number>
  created_at: number
  updated_at: number
}

/** One delivery attempt. */
export type WebhookDeliveryTable = {
  id: Generated<number>
  webhook_id: number
  /** The first attempt's id: a retry keeps that place. */
  position: number
  /** The same for each attempt to deliver one event. */
  guid: string
  event: string
  action: string | null
  repository_id: number | null
  /**
   * The account whose queue it counts towards: the owner of the repository, the organisation, or the app's owner; 0 for
   * hooks of the site.
   */
  account_id: number
  /** The owner in whose turn its payload is made: that of the place of the event, whoever receives it. */
  turn_id: number
  /** For an app's hook: the installation through which it receives the event. */
  installation_id: number | null
  /** JSON object: the data that the payload is made from. */
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
  /** Of source, payload and response together. */
  size: number
}

export type WebhooksSchema = { webhook: WebhookTable; webhook_delivery: WebhookDeliveryTable }
