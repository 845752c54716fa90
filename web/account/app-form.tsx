/** The form of an app, new or existing: its name, addresses and permissions. */
import { useState } from 'preact/hooks'
import { type Act, Field, Form, Submit } from '../parts/form.tsx'
import { Permissions } from './token-permissions.tsx'

export type AppText = {
  readonly name: string
  readonly url: string
  readonly description: string
  readonly callbacks: string
  readonly takesDeviceFlow: boolean
  readonly levels: Readonly<Record<string, string>>
  readonly events: string
  readonly hookUrl: string
  readonly hookSecret: string
  readonly isHookActive: boolean
  readonly isPublic: boolean
}

export const emptyApp: AppText = {
  ...{ name: '', url: '', description: '', callbacks: '', takesDeviceFlow: false, levels: { metadata: 'read' } },
  ...{ events: '', hookUrl: '', hookSecret: '', isHookActive: true, isPublic: false },
}

const splitWords = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

/** The request body. */
export const toBody = (text: AppText, isOAuth: boolean): object => ({
  name: text.name.trim(),
  url: text.url.trim(),
  description: text.description.trim(),
  callback_urls: splitWords(text.callbacks),
  device_flow: text.takesDeviceFlow,
  ...(!isOAuth && {
    public: text.isPublic,
    default_permissions: Object.fromEntries(Object.entries(text.levels).filter(([, level]) => level !== '')),
    default_events: splitWords(text.events),
    hook_attributes: {
      url: text.hookUrl.trim() || null,
      active: text.isHookActive && text.hookUrl.trim() !== '',
      ...(text.hookSecret && { secret: text.hookSecret }),
    },
  }),
})

type Props = {
  readonly start: AppText
  readonly isOAuth: boolean
  readonly isForSelf: boolean
  readonly action: string
  readonly act: Act
  submit(text: AppText): Promise<void>
}

export function AppForm({ start, isOAuth, isForSelf, action, act, submit }: Props) {
  const [text, setText] = useState(start)
  const change = (part: Partial<AppText>) => setText({ ...text, ...part })
  return (
    <Form act={act} submit={() => submit(text)}>
      <Field label="Name">
        <input
          value={text.name}
          required
          maxLength={100}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      </Field>
      <Field label="Website">
        <input
          type="url"
          value={text.url}
          required
          maxLength={2000}
          onInput={(event) => change({ url: event.currentTarget.value })}
        />
      </Field>
      <Field label="Description" hint="Shown to people who are asked to authorise it.">
        <textarea
          rows={2}
          value={text.description}
          maxLength={1000}
          onInput={(event) => change({ description: event.currentTarget.value })}
        />
      </Field>
      <Field label="Callback addresses" hint="Where the browser returns after consent. One per line.">
        <textarea
          rows={2}
          value={text.callbacks}
          spellcheck={false}
          onInput={(event) => change({ callbacks: event.currentTarget.value })}
        />
      </Field>
      <label class="check">
        <input
          type="checkbox"
          checked={text.takesDeviceFlow}
          onChange={() => change({ takesDeviceFlow: !text.takesDeviceFlow })}
        />
        <span>Programs without a browser can connect with a code (device flow)</span>
      </label>
      {!isOAuth && (
        <>
          <Permissions levels={text.levels} change={(levels) => change({ levels })} isForSelf={isForSelf} isForApp />
          <Field label="Webhook address" hint="Receives events from wherever the app is installed.">
            <input
              type="url"
              value={text.hookUrl}
              onInput={(event) => change({ hookUrl: event.currentTarget.value })}
            />
          </Field>
          <Field label="Webhook secret" hint="Leave empty to keep the current one.">
            <input
              type="password"
              autocomplete="new-password"
              value={text.hookSecret}
              onInput={(event) => change({ hookSecret: event.currentTarget.value })}
            />
          </Field>
          <label class="check">
            <input
              type="checkbox"
              checked={text.isHookActive}
              onChange={() => change({ isHookActive: !text.isHookActive })}
            />
            <span>Webhook is active</span>
          </label>
          <Field label="Events" hint="Separate names with commas, such as push, issues.">
            <input value={text.events} onInput={(event) => change({ events: event.currentTarget.value })} />
          </Field>
          <label class="check">
            <input type="checkbox" checked={text.isPublic} onChange={() => change({ isPublic: !text.isPublic })} />
            <span>Anyone can install it</span>
          </label>
        </>
      )}
      <Submit act={act} busy="Saving …">
        {action}
      </Submit>
    </Form>
  )
}
