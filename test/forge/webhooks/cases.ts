/** Requests about webhooks for the tables of routes. The hooks are switched off, so that none calls anybody. */
import { randomUUID } from 'node:crypto'
import { newDelivery } from '../../../src/forge/webhooks/queue/delivery.ts'
import type { Case, Params } from '../route-cases.ts'
import type { World } from '../world.ts'

type Place = 'repository' | 'organization' | 'global'

const pathOf = (place: Place, { repo = 'open' }: Params): string =>
  place === 'repository' ? `/repos/ann/${repo}/hooks` : place === 'organization' ? '/orgs/acme/hooks' : '/admin/hooks'

let count = 0
const draftOf = (word: string) => ({
  active: false,
  config: { url: `https://${word}-${++count}.invalid/hook`, content_type: 'json', secret: 'psst' },
  events: ['push', 'issues'],
})

export const doneDelivery = (hookId: number) =>
  newDelivery(
    {
      webhook_id: hookId,
      guid: randomUUID(),
      event: 'push',
      action: null,
      repository_id: null,
      account_id: 0,
      turn_id: 0,
      source: '{}',
      payload: '{"ref":"refs/heads/main"}',
      state: 'done',
      delivered_at: Date.now(),
      status: 'OK',
      status_code: 200,
      request_headers: '{}',
      response_headers: '{}',
      response_body: 'fine',
    },
    Date.now(),
  )

async function makeHook(world: World, place: Place, params: Params, word: string): Promise<Params> {
  const { store } = world.server.services
  // What was made for a request before is used up: there is room for so many.
  if (word === 'used')
    await store.write((trx) => trx.deleteFrom('webhook').where('url', 'like', 'https://used-%').execute())
  const client = place === 'global' ? world.root : world.ann
  const { body } = await client.post(pathOf(place, params), draftOf(word))
  const draft = doneDelivery(body.id)
  const { id } = await store.write((trx) =>
    trx.insertInto('webhook_delivery').values(draft).returning('id').executeTakeFirstOrThrow(),
  )
  return { hook_id: body.id, delivery_id: id }
}

function casesOf(place: Place): Record<string, Case> {
  const kept: NonNullable<Case['fresh']> = (world, params) => makeHook(world, place, params, 'kept')
  const used: NonNullable<Case['fresh']> = (world, params) => makeHook(world, place, params, 'used')
  const word = `${place}-webhook`
  const where = place === 'global' ? 'the-site' : place === 'organization' ? 'an-organization' : 'a-repository'
  return {
    [`list-${word}s`]: { fresh: kept },
    [`create-a-${word}`]: { fresh: used, body: () => draftOf('used') },
    [`get-a-${word}`]: { fresh: kept },
    [`update-a-${word}`]: { fresh: used, body: { add_events: ['release'] } },
    [`delete-a-${word}`]: { fresh: used },
    [`get-a-webhook-configuration-for-${where}`]: { fresh: kept },
    [`update-a-webhook-configuration-for-${where}`]: { fresh: used, body: { content_type: 'form' } },
    [`list-deliveries-for-a-${word}`]: { fresh: kept },
    [`get-a-delivery-for-a-${word}`]: { fresh: kept },
    [`redeliver-a-delivery-for-a-${word}`]: { fresh: used },
    [`ping-a-${word}`]: { fresh: used },
    [`test-the-push-${word}`]: { fresh: used },
  }
}

export const webhookCases: Record<string, Case> = {
  ...casesOf('repository'),
  ...casesOf('organization'),
  ...casesOf('global'),
}
