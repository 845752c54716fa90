/** Webhooks of a repository, an organisation or the site, with their deliveries. */
import { useState } from 'preact/hooks'
import { readList, send } from '../../api/forge.ts'
import { useLoad } from '../../app/load.ts'
import { ask } from '../ask.tsx'
import { ActButton, useAct } from '../form.tsx'
import { Done, Empty, FailedAct, Ready } from '../state.tsx'
import { Deliveries } from './deliveries.tsx'
import { type HookDraft, HookForm } from './hook-form.tsx'

type Hook = {
  readonly id: number
  readonly active: boolean
  readonly events: readonly string[]
  readonly config: { readonly url?: string }
  readonly last_response?: { readonly code: number | null; readonly status: string; readonly message: string | null }
}

/** `path`: REST's address of the list. */
export function HookList({ path }: { path: string }) {
  const hooks = useLoad(`hooks ${path}`, () => readList<Hook>(path, { per_page: 100 }))
  const [pinged, setPinged] = useState<string>()
  const [looked, setLooked] = useState<number>()
  const [changed, setChanged] = useState<number>()
  const act = useAct()
  const then = (run: () => Promise<unknown>) =>
    act.run(async () => {
      await run()
      hooks.reload()
    })
  const remove = async ({ id, config }: Hook) => {
    const title = `Delete the webhook to ${config.url}?`
    if (await ask({ title, text: 'No more events will be sent there.', action: 'Delete webhook' }))
      await then(() => send('DELETE', `${path}/${id}`))
  }
  return (
    <div class="text-width">
      <FailedAct act={act} />
      {pinged && <Done>A ping is being sent to {pinged}.</Done>}
      <Ready of={hooks}>
        {({ items }) => (
          <section class="card flush">
            <h2 class="card-title">Webhooks</h2>
            {items.length === 0 && <Empty title="No webhooks yet." />}
            <ul class="plain-list">
              {items.map((hook) => (
                <li key={hook.id} class="list-row">
                  <div class="row spread access-row">
                    <span>
                      <span class="strong">{hook.config.url}</span> {!hook.active && <span class="badge">Off</span>}
                      <span class="small soft">
                        {' '}
                        {hook.events.join(', ')}
                        {hook.last_response?.code != null && ` · last answer ${hook.last_response.code}`}
                      </span>
                    </span>
                    <span class="row tight-row">
                      <ActButton
                        act={act}
                        what={`Deliveries to ${hook.config.url}`}
                        run={() => setLooked(looked === hook.id ? undefined : hook.id)}
                      >
                        Deliveries
                      </ActButton>
                      <ActButton
                        act={act}
                        what={`Edit ${hook.config.url}`}
                        run={() => setChanged(changed === hook.id ? undefined : hook.id)}
                      >
                        Edit
                      </ActButton>
                      <ActButton
                        act={act}
                        what={`${hook.active ? 'Turn off' : 'Turn on'} ${hook.config.url}`}
                        run={() => then(() => send('PATCH', `${path}/${hook.id}`, { active: !hook.active }))}
                      >
                        {hook.active ? 'Turn off' : 'Turn on'}
                      </ActButton>
                      <ActButton
                        act={act}
                        what={`Ping ${hook.config.url}`}
                        run={() =>
                          act.run(async () => {
                            await send('POST', `${path}/${hook.id}/pings`)
                            setPinged(hook.config.url)
                          })
                        }
                      >
                        Ping
                      </ActButton>
                      <ActButton act={act} what={`Delete ${hook.config.url}`} run={() => remove(hook)}>
                        Delete
                      </ActButton>
                    </span>
                  </div>
                  {changed === hook.id && (
                    <HookForm
                      title="Edit webhook"
                      action="Save webhook"
                      hook={{ url: hook.config.url ?? '', events: hook.events, isActive: hook.active }}
                      save={async (draft) => {
                        await send('PATCH', `${path}/${hook.id}`, toBody(draft))
                        setChanged(undefined)
                        hooks.reload()
                      }}
                      cancel={() => setChanged(undefined)}
                    />
                  )}
                  {looked === hook.id && <Deliveries path={`${path}/${hook.id}/deliveries`} />}
                </li>
              ))}
            </ul>
          </section>
        )}
      </Ready>
      <HookForm
        title="New webhook"
        action="Create webhook"
        save={async (draft) => {
          const { config, ...rest } = toBody(draft)
          await send('POST', path, { name: 'web', ...rest, config: { content_type: 'json', ...config } })
          hooks.reload()
        }}
      />
    </div>
  )
}

const toBody = ({ url, events, isActive, secret }: HookDraft) => ({
  active: isActive,
  events,
  config: { url, ...(secret !== undefined && { secret: secret || null }) },
})
