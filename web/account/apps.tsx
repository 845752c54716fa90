/** Apps: authorised, installed, and one's own. */
import { read, readList, send, toPath } from '../api/forge.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import { ask } from '../parts/ask.tsx'
import { ActButton, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { describePermissions, type Installation, InstallationList } from '../parts/installation-list.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { AccountTabs } from './account-tabs.tsx'
import type { OAuthApp, OwnApp } from './app-types.ts'

type Grant = {
  readonly id: number
  readonly app: { readonly name: string; readonly url: string; readonly client_id: string }
  readonly scopes: readonly string[]
  readonly permissions: readonly string[]
  readonly created_at: string
}

export function Apps() {
  const isSignedIn = useSignedIn()
  const owner = usePlace().query.get('owner') ?? undefined
  if (!isSignedIn) return null
  return (
    <div class="text-width">
      <Heading title={owner ? `Apps of ${owner}` : 'Apps'} note="Programs that act for you or on their own.">
        <a class="button main" href={`/-/account/apps/new${owner ? `?owner=${encodeURIComponent(owner)}` : ''}`}>
          New app
        </a>
      </Heading>
      <AccountTabs />
      <div class="stack">
        {owner === undefined && <Authorised />}
        {owner === undefined && <Installed />}
        <OwnApps owner={owner} key={owner} />
      </div>
    </div>
  )
}

function Authorised() {
  const found = useLoad('grants', () => readList<Grant>('/applications/grants', { per_page: 100 }))
  const act = useAct()
  const revoke = (grant: Grant) =>
    act.run(async () => {
      const text = 'Its tokens for your account are revoked immediately. It can ask for access again.'
      if (!(await ask({ title: `Revoke ${grant.app.name}?`, text, action: 'Revoke' }))) return
      await send('DELETE', toPath('applications', 'grants', grant.id))
      found.reload()
    })
  return (
    <section class="card flush" aria-label="Authorised apps">
      <h2 class="card-title">Authorised apps</h2>
      <FailedAct act={act} />
      <Ready of={found}>
        {({ items }) => (
          <>
            {items.length === 0 && <Empty title="No apps are authorised." />}
            <ul class="plain-list">
              {items.map((grant) => (
                <li key={grant.id} class="list-row row spread access-row">
                  <span>
                    <span class="strong">{grant.app.name}</span>
                    <br />
                    <span class="small soft">
                      {[...grant.scopes, ...grant.permissions].join(', ') || 'Public data only'} · since{' '}
                      <When at={Date.parse(grant.created_at)} />
                    </span>
                  </span>
                  <ActButton act={act} what={`Revoke ${grant.app.name}`} run={() => revoke(grant)}>
                    Revoke
                  </ActButton>
                </li>
              ))}
            </ul>
          </>
        )}
      </Ready>
    </section>
  )
}

function Installed() {
  const found = useLoad('own installations', () =>
    read<{ installations: readonly Installation[] }>('/user/installations', { per_page: 100 }),
  )
  return (
    <Ready of={found}>
      {({ installations }) => <InstallationList list={installations} hasAccount reload={found.reload} />}
    </Ready>
  )
}

export const pathOfApps = (kind: 'apps' | 'oauth-apps', owner: string | undefined): string =>
  owner ? toPath('orgs', owner, kind) : toPath('user', kind)

function OwnApps({ owner }: { owner: string | undefined }) {
  const found = useLoad(`own apps ${owner}`, async () => {
    const [apps, oauth] = await Promise.all([
      readList<OwnApp>(pathOfApps('apps', owner), { per_page: 100 }),
      readList<OAuthApp>(pathOfApps('oauth-apps', owner), { per_page: 100 }),
    ])
    return { apps: apps.items, oauth: oauth.items }
  })
  const query = owner ? `?owner=${encodeURIComponent(owner)}` : ''
  return (
    <section class="card flush" aria-label="Own apps">
      <h2 class="card-title">{owner ? `Apps that ${owner} owns` : 'Your apps'}</h2>
      <Ready of={found}>
        {({ apps, oauth }) => (
          <>
            {apps.length + oauth.length === 0 && <Empty title="No apps yet." />}
            <ul class="plain-list">
              {apps.map((app) => (
                <li key={app.id} class="list-row">
                  <a class="strong" href={`/-/account/apps/${app.slug}${query}`}>
                    {app.name}
                  </a>{' '}
                  <span class="badge">App</span>
                  <p class="small soft">{describePermissions(app.permissions) || 'no permissions'}</p>
                </li>
              ))}
              {oauth.map((app) => (
                <li key={app.id} class="list-row">
                  <a class="strong" href={`/-/account/oauth-apps/${app.client_id}${query}`}>
                    {app.name}
                  </a>{' '}
                  <span class="badge">OAuth app</span>
                  <p class="small soft">{app.url}</p>
                </li>
              ))}
            </ul>
          </>
        )}
      </Ready>
    </section>
  )
}
