/** A new webhook: its address, its events and its secret. */
import { useState } from 'preact/hooks'
import { Field, Form, Submit, useAct } from '../form.tsx'

export function NewHook({ add }: { add(hook: object): Promise<void> }) {
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
        <Field label="Secret" hint="Used to sign deliveries, so that you can verify where they come from.">
          <input
            type="password"
            autocomplete="new-password"
            value={secret}
            onInput={(event) => setSecret(event.currentTarget.value)}
          />
        </Field>
        <Field label="Events" hint="Separate names with commas, or use * for all.">
          <input value={events} required onInput={(event) => setEvents(event.currentTarget.value)} />
        </Field>
        <Submit act={act}>Create webhook</Submit>
      </Form>
    </section>
  )
}
