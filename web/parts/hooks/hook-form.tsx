/** A webhook's address, events and secret, of a new one or of one that is there. */
import { useState } from 'preact/hooks'
import { Field, Form, Submit, useAct } from '../form.tsx'

export type HookDraft = {
  readonly url: string
  readonly events: readonly string[]
  readonly isActive: boolean
  /** Undefined where it stays as it is. */
  readonly secret: string | undefined
}

type Props = {
  readonly title: string
  readonly action: string
  /** The hook as it is; undefined for a new one. */
  readonly hook?: Omit<HookDraft, 'secret'>
  save(hook: HookDraft): Promise<void>
  cancel?(): void
}

const isNewHint = 'Used to sign deliveries, so that you can verify where they come from.'
const keptHint = 'Leave it empty to keep the present one.'

export function HookForm({ title, action, hook, save, cancel }: Props) {
  const [url, setUrl] = useState(hook?.url ?? '')
  const [secret, setSecret] = useState('')
  const [isBare, setBare] = useState(false)
  const [events, setEvents] = useState(hook?.events.join(', ') ?? 'push')
  const [isActive, setActive] = useState(hook?.isActive ?? true)
  const act = useAct()
  const submit = async () => {
    await save({
      url: url.trim(),
      events: events.split(/[\s,]+/).filter(Boolean),
      isActive,
      secret: isBare ? '' : secret || undefined,
    })
    if (hook) return
    setUrl('')
    setSecret('')
  }
  return (
    <section class="card below" aria-label={title}>
      <h2>{title}</h2>
      <Form act={act} submit={submit}>
        <Field label="Address">
          <input type="url" value={url} required onInput={(event) => setUrl(event.currentTarget.value)} />
        </Field>
        {!isBare && (
          <Field label="Secret" hint={hook ? keptHint : isNewHint}>
            <input
              type="password"
              autocomplete="new-password"
              value={secret}
              onInput={(event) => setSecret(event.currentTarget.value)}
            />
          </Field>
        )}
        {hook && (
          <label class="check">
            <input type="checkbox" checked={isBare} onChange={(event) => setBare(event.currentTarget.checked)} />
            <span>
              Without a secret <small class="soft">Deliveries are no longer signed.</small>
            </span>
          </label>
        )}
        <Field label="Events" hint="Separate names with commas, or use * for all.">
          <input value={events} required onInput={(event) => setEvents(event.currentTarget.value)} />
        </Field>
        <label class="check">
          <input type="checkbox" checked={isActive} onChange={(event) => setActive(event.currentTarget.checked)} />
          <span>
            Active <small class="soft">Events are sent to it.</small>
          </span>
        </label>
        <div class="row">
          <Submit act={act}>{action}</Submit>
          {cancel && (
            <button type="button" class="button" onClick={cancel}>
              Cancel
            </button>
          )}
        </div>
      </Form>
    </section>
  )
}
