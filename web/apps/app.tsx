/** An app's page: its permissions, and a form to install it. */
import { useState } from 'preact/hooks'
import { Fault, isMissing } from '../api/fault.ts'
import { read, readList, send, toPath } from '../api/forge.ts'
import type { Repository, User } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { go, usePlace } from '../app/location.ts'
import { useTitle } from '../app/page.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { PersonLink } from '../parts/avatar.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { RadioChoice } from '../parts/radio-choice.tsx'
import { Empty, Ready } from '../parts/state.tsx'

type App = {
  readonly slug: string
  readonly name: string
  readonly owner: User
  readonly description: string | null
  readonly external_url: string
  readonly permissions: Readonly<Record<string, string>>
  readonly events: readonly string[]
}

export function AppView({ params: { slug = '' } }: ViewProps) {
  const { account } = useSession()
  const { path } = usePlace()
  useTitle(slug)
  const found = useLoad(`app ${slug}`, () => read<App>(toPath('apps', slug)))
  if (found.value === undefined && isMissing(found.error)) return <NotFound title={`There is no app named ${slug}`} />
  return (
    <div class="text-width">
      <Ready of={found}>
        {(app) => (
          <>
            <Heading title={app.name} />
            <section class="card">
              <p>
                By <PersonLink user={app.owner} />
                {/^https?:\/\//.test(app.external_url) && (
                  <>
                    {' '}
                    ·{' '}
                    <a href={app.external_url} rel="noreferrer nofollow">
                      {app.external_url}
                    </a>
                  </>
                )}
              </p>
              {app.description && <p>{app.description}</p>}
              <h2>Permissions</h2>
              {Object.keys(app.permissions).length === 0 ? (
                <Empty title="Public data only." />
              ) : (
                <ul>
                  {Object.entries(app.permissions).map(([name, level]) => (
                    <li key={name}>
                      {name.replaceAll('_', ' ')}: {level === 'read' ? 'read' : 'read and change'}
                    </li>
                  ))}
                </ul>
              )}
              {app.events.length > 0 && <p class="small soft">Receives events: {app.events.join(', ')}.</p>}
            </section>
            {account ? (
              <Install app={app} own={account.AccountName} />
            ) : (
              <p class="below">
                <a class="button main" href={`/-/sign-in?to=${encodeURIComponent(path)}`}>
                  Sign in to install it
                </a>
              </p>
            )}
          </>
        )}
      </Ready>
    </div>
  )
}

function Install({ app, own }: { app: App; own: string }) {
  const owners = useLoad('where to install', async () => [
    own,
    ...(
      await readList<{ role: string; organization: { login: string } }>('/user/memberships/orgs', { per_page: 100 })
    ).items
      .filter(({ role }) => role === 'admin')
      .map(({ organization }) => organization.login),
  ])
  const [account, setAccount] = useState(own)
  const [reach, setReach] = useState<'all' | 'some'>('some')
  const [chosen, setChosen] = useState<readonly number[]>([])
  const repositories = useLoad(`to install on ${account}`, () =>
    readList<Repository>(account === own ? '/user/repos' : toPath('orgs', account, 'repos'), {
      per_page: 100,
      ...(account === own && { affiliation: 'owner' }),
    }),
  )
  const act = useAct()
  const submit = async () => {
    if (reach === 'some' && chosen.length === 0)
      throw new Fault(0, 'Select at least one repository, or choose all of them.')
    await send('POST', toPath('apps', app.slug, 'installations'), {
      account,
      permissions: app.permissions,
      ...(reach === 'all' ? { repositories: 'all' } : { repository_ids: chosen }),
    })
    go(account === own ? '/-/account/apps' : `/orgs/${account}?tab=apps`)
  }
  return (
    <section class="card below" aria-labelledby="install">
      <h2 id="install">Install</h2>
      <Form act={act} submit={submit}>
        <Field label="Account">
          <select
            value={account}
            onChange={(event) => {
              setAccount(event.currentTarget.value)
              setChosen([])
            }}
          >
            {(owners.value ?? [own]).map((login) => (
              <option key={login} value={login}>
                {login}
              </option>
            ))}
          </select>
        </Field>
        <RadioChoice<'all' | 'some'>
          legend="Repositories"
          name="reach"
          value={reach}
          options={[
            ['some', 'Selected', ''],
            ['all', 'All', 'including repositories created later'],
          ]}
          choose={setReach}
        />
        {reach === 'some' && (
          <Ready of={repositories}>
            {({ items }) => (
              <div class="choice-list">
                {items.map(({ id, full_name: name }) => (
                  <label class="check" key={id}>
                    <input
                      type="checkbox"
                      checked={chosen.includes(id)}
                      onChange={(event) =>
                        setChosen(event.currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
                      }
                    />
                    <span>{name}</span>
                  </label>
                ))}
              </div>
            )}
          </Ready>
        )}
        <Submit act={act}>Install</Submit>
      </Form>
    </section>
  )
}
