/** The tables of webhooks: who is told of what, and each attempt to tell it. */
import type { Generated } from 'kysely'

export type WebhookTable = {
  id: Generated<number>
  /** Whose events it hears of: one repository's, those of all repositories of an organisation, or everybody's. */
  holder: 'repository' | 'organisation' | 'site'
  repository_id: number | null
  organisation_id: number | null
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
  /** Whose queue it counts in: the owner of the repository, or the organisation; 0 for the site. */
  account_id: number
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
  /** Of payload and answer together. */
  size: number
}

export type WebhooksSchema = { webhook: WebhookTable; webhook_delivery: WebhookDeliveryTable }
