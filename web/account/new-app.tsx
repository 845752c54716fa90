/** Registers an app for a person or an organisation. Its keys are shown once. */
import { useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import { usePlace } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import { useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { RadioChoice } from '../parts/radio-choice.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { AppForm, emptyApp, toBody } from './app-form.tsx'
import type { OAuthApp, OwnApp } from './app-types.ts'
import { pathOfApps } from './apps.tsx'
import { Secret } from './secret.tsx'

type Made = {
  readonly name: string
  readonly href: string
  readonly clientId: string
  readonly secret: string | undefined
  readonly pem: string | undefined
}

export function NewApp() {
  const isSignedIn = useSignedIn()
  const owner = usePlace().query.get('owner') ?? undefined
  const [kind, setKind] = useState<'oauth' | 'app'>('oauth')
  const [made, setMade] = useState<Made>()
  const act = useAct()
  if (!isSignedIn) return null
  const isOAuth = kind === 'oauth'
  const query = owner ? `?owner=${encodeURIComponent(owner)}` : ''
  if (made)
    return (
      <div class="text-width">
        <Heading title={`${made.name} is registered`} />
        <section class="card stack">
          <p>
            Its client id is <code>{made.clientId}</code>. Copy the following now: it will not be shown again.
          </p>
          {made.secret && <Secret what="the client secret" text={made.secret} />}
          {made.pem && <Secret what="the private key" text={made.pem} isLong />}
          <p>
            <a class="button main" href={`${made.href}${query}`}>
              Open the app
            </a>
          </p>
        </section>
      </div>
    )
  return (
    <div class="text-width">
      <Heading title={owner ? `New app of ${owner}` : 'New app'} />
      <AccountTabs />
      <section class="card">
        <RadioChoice<'oauth' | 'app'>
          legend="Kind"
          name="kind"
          value={kind}
          options={[
            ['oauth', 'OAuth app', 'acts for people who authorise it, with scopes'],
            ['app', 'App', 'is installed on repositories, with permissions and a webhook of its own'],
          ]}
          choose={setKind}
        />
        <AppForm
          key={kind}
          start={emptyApp}
          isOAuth={isOAuth}
          isForSelf={owner === undefined}
          action="Register app"
          act={act}
          submit={async (text) => {
            const path = pathOfApps(isOAuth ? 'oauth-apps' : 'apps', owner)
            const app = await send<(OAuthApp | OwnApp) & { client_secret?: string; pem?: string }>(
              'POST',
              path,
              toBody(text, isOAuth),
            )
            const href = 'slug' in app ? `/-/account/apps/${app.slug}` : `/-/account/oauth-apps/${app.client_id}`
            setMade({ name: app.name, href, clientId: app.client_id, secret: app.client_secret, pem: app.pem })
          }}
        />
      </section>
    </div>
  )
}
