/** One attempt to deliver an event, as it is listed, and the rows that store it. */
import type { Insertable, Selectable } from 'kysely'
import type { WebhookDeliveryTable } from '../../../store/schema/webhook-tables.ts'

export type DeliveryRow = Selectable<WebhookDeliveryTable>
export type NewDelivery = Insertable<WebhookDeliveryTable>

export type Delivery = {
  readonly id: number
  readonly guid: string
  readonly deliveredAt: Date
  readonly isRedelivery: boolean
  readonly durationMs: number
  readonly status: string
  readonly statusCode: number
  readonly event: string
  readonly action: string | null
  readonly repositoryId: number | null
  readonly installationId: number | null
}

export type WholeDelivery = Delivery & {
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>> | null
  readonly payload: object | null
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: string | null
}

type Listed = Pick<
  DeliveryRow,
  | 'id'
  | 'guid'
  | 'created_at'
  | 'delivered_at'
  | 'is_redelivery'
  | 'duration_ms'
  | 'status'
  | 'status_code'
  | 'event'
  | 'action'
  | 'repository_id'
  | 'installation_id'
>

export const listedColumns = [
  'id',
  'guid',
  'created_at',
  'delivered_at',
  'is_redelivery',
  'duration_ms',
  'status',
  'status_code',
  'event',
  'action',
  'repository_id',
  'installation_id',
] as const satisfies (keyof Listed)[]

export const toDelivery = (row: Listed): Delivery => ({
  id: row.id,
  guid: row.guid,
  deliveredAt: new Date(row.delivered_at ?? row.created_at),
  isRedelivery: row.is_redelivery === 1,
  durationMs: row.duration_ms ?? 0,
  status: row.status ?? '',
  statusCode: row.status_code ?? 0,
  event: row.event,
  action: row.action,
  repositoryId: row.repository_id,
  installationId: row.installation_id,
})

export const toWholeDelivery = (row: DeliveryRow, url: string): WholeDelivery => ({
  ...toDelivery(row),
  url,
  requestHeaders: parse(row.request_headers),
  payload: parse(row.payload),
  responseHeaders: parse(row.response_headers),
  responseBody: row.response_body,
})

const parse = (text: string | null) => (text === null ? null : JSON.parse(text))

/** A delivery that waits for its payload or to be sent; `position` is set once its id is known. */
export const newDelivery = (
  row: Pick<
    NewDelivery,
    'webhook_id' | 'guid' | 'event' | 'action' | 'repository_id' | 'account_id' | 'turn_id' | 'source'
  > &
    Partial<NewDelivery>,
  now: number,
): NewDelivery => ({
  position: 0,
  installation_id: null,
  payload: null,
  state: row.payload ? 'ready' : 'waiting',
  tries: 0,
  is_redelivery: 0,
  created_at: now,
  delivered_at: null,
  duration_ms: null,
  status: null,
  status_code: null,
  request_headers: null,
  response_headers: null,
  response_body: null,
  size: 0,
  ...row,
})
