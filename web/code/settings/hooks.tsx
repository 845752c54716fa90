/** Webhooks: addresses that are told of what happens. */
import { useState } from 'preact/hooks'
import { readList, repositoryPath, send } from '../../api/forge.ts'
import { useLoad } from '../../app/load.ts'
import { ask } from '../../parts/ask.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Done, Empty, FailedAct, Ready } from '../../parts/state.tsx'
import type { SettingsProps } from './props.ts'

type Hook = {
  readonly id: number
  readonly active: boolean
  readonly events: readonly string[]
  readonly config: { readonly url?: string }
  readonly last_response?: { readonly code: number | null; readonly status: string; readonly message: string | null }
}

export function Hooks({ repository }: SettingsProps) {
  const path = (...rest: (string | number)[]) =>
    repositoryPath(repository.owner.login, repository.name, 'hooks', ...rest)
  const hooks = useLoad(`hooks of ${repository.full_name}`, () => readList<Hook>(path(), { per_page: 100 }))
  const [pinged, setPinged] = useState<string>()
  const act = useAct()
  const then = (run: () => Promise<unknown>) =>
    act.run(async () => {
      await run()
      hooks.reload()
    })
  const remove = async ({ id, config }: Hook) => {
    const title = `Delete the webhook to ${config.url}?`
    if (await ask({ title, text: 'Nothing more is sent there.', action: 'Delete webhook' }))
      await then(() => send('DELETE', path(id)))
  }
  return (
    <div class="text-width">
      <FailedAct act={act} />
      {pinged && <Done>A ping is on its way to {pinged}.</Done>}
      <Ready of={hooks}>
        {({ items }) => (
          <section class="card flush">
            <h2 class="card-title">Webhooks</h2>
            {items.length === 0 && <Empty title="No webhooks yet." />}
            <ul class="plain-list">
              {items.map((hook) => (
                <li key={hook.id} class="list-row row spread access-row">
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
                      what={`${hook.active ? 'Turn off' : 'Turn on'} ${hook.config.url}`}
                      run={() => then(() => send('PATCH', path(hook.id), { active: !hook.active }))}
                    >
                      {hook.active ? 'Turn off' : 'Turn on'}
                    </ActButton>
                    <ActButton
                      act={act}
                      what={`Ping ${hook.config.url}`}
                      run={() =>
                        act.run(async () => {
                          await send('POST', path(hook.id, 'pings'))
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
                </li>
              ))}
            </ul>
          </section>
        )}
      </Ready>
      <NewHook
        add={async (hook) => {
          await send('POST', path(), hook)
          hooks.reload()
        }}
      />
    </div>
  )
}

function NewHook({ add }: { add(hook: object): Promise<void> }) {
  const [url, setUrl] = useState('')
  const [secret, setSecret] = useState('')
  const [events, setEvents] = useState('push')
  const act = useAct()
  const submit = async () => {
    await add({
      name: 'web',
      active: true,
      events: events.split(/[\s,]+/).filter(Boolean),
      config: { url: url.trim(), content_type: 'json', ...(secret && { secret }) },
    })
    setUrl('')
    setSecret('')
  }
  return (
    <section class="card below">
      <h2>New webhook</h2>
      <Form act={act} submit={submit}>
        <Field label="Address">
          <input type="url" value={url} required onInput={(event) => setUrl(event.currentTarget.value)} />
        </Field>
        <Field label="Secret" hint="Deliveries are signed with it, so that you can tell that they are ours.">
          <input
            type="password"
            autocomplete="new-password"
            value={secret}
            onInput={(event) => setSecret(event.currentTarget.value)}
          />
        </Field>
        <Field label="Events" hint="Names, separated by commas; * for all.">
          <input value={events} required onInput={(event) => setEvents(event.currentTarget.value)} />
        </Field>
        <Submit act={act}>Create webhook</Submit>
      </Form>
    </section>
  )
}
