/** One of one's own apps: settings, keys and secrets, webhook deliveries, deletion. */
import { useState } from 'preact/hooks'
import { Fault } from '../api/fault.ts'
import { readList, send, toPath } from '../api/forge.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { go, usePlace } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { ask } from '../parts/ask.tsx'
import { useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Deliveries } from '../parts/hooks/deliveries.tsx'
import { Done, FailedAct, Ready } from '../parts/state.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { AppForm, type AppText, emptyApp, toBody } from './app-form.tsx'
import { AppKeys } from './app-keys.tsx'
import type { OAuthApp, OwnApp } from './app-types.ts'
import { pathOfApps } from './apps.tsx'

export const OwnAppView = ({ params: { slug = '' } }: ViewProps) => <Own kind="apps" name={slug} />
export const OAuthAppView = ({ params: { client = '' } }: ViewProps) => <Own kind="oauth-apps" name={client} />

type Any = OwnApp | OAuthApp
const isApp = (app: Any): app is OwnApp => 'slug' in app

function Own({ kind, name }: { kind: 'apps' | 'oauth-apps'; name: string }) {
  const isSignedIn = useSignedIn()
  const owner = usePlace().query.get('owner') ?? undefined
  const found = useLoad(`own app ${kind} ${name} ${owner}`, async (): Promise<Any> => {
    const { items } = await readList<Any>(pathOfApps(kind, owner), { per_page: 100 })
    const app = items.find((one) => (isApp(one) ? one.slug : one.client_id) === name)
    if (!app) throw new Fault(404, 'This app does not exist, or you do not own it.')
    return app
  })
  if (!isSignedIn) return null
  return (
    <div class="text-width">
      <Ready of={found}>{(app) => <Shown app={app} found={found} owner={owner} key={app.id} />}</Ready>
    </div>
  )
}

const toText = (app: Any): AppText => ({
  ...emptyApp,
  name: app.name,
  description: app.description ?? '',
  callbacks: app.callback_urls.join('\n'),
  takesDeviceFlow: app.device_flow,
  ...(isApp(app)
    ? {
        url: app.external_url,
        levels: app.permissions,
        events: app.events.join(', '),
        hookUrl: app.hook_attributes.url ?? '',
        isHookActive: app.hook_attributes.active,
        isPublic: app.public,
      }
    : { url: app.url }),
})

function Shown({ app, found, owner }: { app: Any; found: Loaded<Any>; owner: string | undefined }) {
  const path = isApp(app) ? toPath('apps', app.slug) : toPath('oauth-apps', app.client_id)
  const act = useAct()
  const ending = useAct()
  const [isSaved, setSaved] = useState(false)
  const end = (title: string, text: string, action: string, run: () => Promise<unknown>) =>
    ending.run(async () => {
      if (await ask({ title, text, action })) await run()
    })
  const list = `/-/account/apps${owner ? `?owner=${encodeURIComponent(owner)}` : ''}`
  return (
    <>
      <Heading title={app.name} note={`${isApp(app) ? 'App' : 'OAuth app'} of ${app.owner.login}`}>
        {isApp(app) && (
          <a class="button" href={`/apps/${app.slug}`}>
            Install
          </a>
        )}
      </Heading>
      <AccountTabs />
      <div class="stack">
        <p>
          Client id: <code>{app.client_id}</code>
          {isApp(app) && (
            <>
              {' '}
              · app id: <code>{app.id}</code>
            </>
          )}
        </p>
        {(isApp(app) || app.confidential) && <AppKeys path={path} kind="secrets" />}
        {isApp(app) && <AppKeys path={path} kind="keys" />}
        {isApp(app) && (
          <section class="card">
            <h2>Webhook deliveries</h2>
            <Deliveries path={`${path}/hook/deliveries`} />
          </section>
        )}
        <section class="card">
          <h2>Settings</h2>
          {isSaved && act.error === undefined && <Done>Saved.</Done>}
          <AppForm
            start={toText(app)}
            isOAuth={!isApp(app)}
            isForSelf={owner === undefined}
            action="Save"
            act={act}
            submit={async (text) => {
              setSaved(false)
              found.replace(await send<Any>('PATCH', path, toBody(text, !isApp(app))))
              setSaved(true)
            }}
          />
        </section>
        <section class="card">
          <h2>Danger zone</h2>
          <FailedAct act={ending} />
          <p class="row">
            <button
              type="button"
              class="button"
              disabled={ending.isBusy}
              onClick={() =>
                void end(
                  `Revoke all user tokens of ${app.name}?`,
                  'Its tokens for all users stop working. It has to ask each user again.',
                  'Revoke all',
                  () => send('DELETE', `${path}/grants`),
                )
              }
            >
              Revoke all user tokens
            </button>
            <button
              type="button"
              class="button danger"
              disabled={ending.isBusy}
              onClick={() =>
                void end(
                  `Delete ${app.name}?`,
                  'Its installations and tokens are deleted too. This can’t be undone.',
                  'Delete app',
                  async () => {
                    await send('DELETE', path)
                    go(list, { replaces: true })
                  },
                )
              }
            >
              Delete app
            </button>
          </p>
        </section>
      </div>
    </>
  )
}
