/** The deliveries of a hook, each with its request and response, and a button to redeliver. */
import { useState } from 'preact/hooks'
import { read, readList, send } from '../../api/forge.ts'
import { useLoad } from '../../app/load.ts'
import { ActButton, useAct } from '../form.tsx'
import { Done, Empty, FailedAct, Ready } from '../state.tsx'
import { When } from '../when.tsx'

type Delivery = {
  readonly id: number
  readonly guid: string
  readonly delivered_at: string
  readonly redelivery: boolean
  readonly duration: number
  readonly status: string
  readonly status_code: number
  readonly event: string
  readonly action: string | null
}

type WholeDelivery = Delivery & {
  readonly request: { readonly headers: Readonly<Record<string, string>> | null; readonly payload: unknown }
  readonly response: { readonly headers: Readonly<Record<string, string>> | null; readonly payload: string | null }
}

/** `path`: REST's address of the list. */
export function Deliveries({ path }: { path: string }) {
  const found = useLoad(`deliveries ${path}`, () => readList<Delivery>(path, { per_page: 50 }))
  const [open, setOpen] = useState<number>()
  const [again, setAgain] = useState(false)
  const act = useAct()
  const redeliver = ({ id }: Delivery) =>
    act.run(async () => {
      await send('POST', `${path}/${id}/attempts`)
      setAgain(true)
      found.reload()
    })
  return (
    <section class="deliveries" aria-label="Deliveries">
      <p class="row">
        <button type="button" class="button quiet tight" onClick={found.reload}>
          Refresh
        </button>
      </p>
      <FailedAct act={act} />
      {again && <Done>The delivery is being sent again.</Done>}
      <Ready of={found}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No recent deliveries." />
          ) : (
            <ul class="plain-list">
              {items.map((one) => {
                const isGood = one.status_code >= 200 && one.status_code < 300
                const name = `${one.event}${one.action ? `.${one.action}` : ''}`
                return (
                  <li key={one.id}>
                    <div class="row spread access-row">
                      <span class="row tight-row small">
                        <span class={isGood ? 'badge good' : 'badge bad'}>{one.status_code || one.status}</span>
                        <code>{name}</code>
                        <When at={Date.parse(one.delivered_at)} />
                        {one.redelivery && <span class="soft">redelivery</span>}
                      </span>
                      <span class="row tight-row">
                        <ActButton
                          act={act}
                          what={`${open === one.id ? 'Hide' : 'Show'} delivery ${one.id}`}
                          run={() => setOpen(open === one.id ? undefined : one.id)}
                        >
                          {open === one.id ? 'Hide' : 'Show'}
                        </ActButton>
                        <ActButton act={act} what={`Redeliver ${one.id}`} run={() => redeliver(one)}>
                          Redeliver
                        </ActButton>
                      </span>
                    </div>
                    {open === one.id && <Whole path={`${path}/${one.id}`} />}
                  </li>
                )
              })}
            </ul>
          )
        }
      </Ready>
    </section>
  )
}

/** A longer text is cut to this length. */
const mostShown = 20_000

const spell = (payload: unknown): string => {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload ?? null, null, 2)
  return text.length > mostShown ? `${text.slice(0, mostShown)}\n…` : text
}

const spellHeaders = (headers: Readonly<Record<string, string>> | null): string =>
  Object.entries(headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

function Whole({ path }: { path: string }) {
  const found = useLoad(`delivery ${path}`, () => read<WholeDelivery>(path))
  return (
    <Ready of={found}>
      {({ request, response, status, duration }) => (
        <div class="stack">
          <p class="small soft">
            {status}, {duration.toLocaleString('en')} s
          </p>
          <Sent title="Request" headers={spellHeaders(request.headers)} payload={spell(request.payload)} />
          <Sent title="Answer" headers={spellHeaders(response.headers)} payload={spell(response.payload ?? '')} />
        </div>
      )}
    </Ready>
  )
}

const Sent = ({ title, headers, payload }: { title: string; headers: string; payload: string }) => (
  <div>
    <h4>{title}</h4>
    <pre tabIndex={0} class="sent">
      {headers}
      {'\n\n'}
      {payload}
    </pre>
  </div>
)
