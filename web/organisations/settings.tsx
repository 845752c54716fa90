/** Settings of an organisation, for owners: profile, members' permissions, single sign-on, deletion. */
import { useState } from 'preact/hooks'
import { read, readList, send, toPath } from '../api/forge.ts'
import { forgetAll, useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { ask } from '../parts/ask.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../parts/form.tsx'
import { ProfileFields, type ProfileText } from '../parts/profile-fields.tsx'
import { Done, Empty, FailedAct, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'

type SignOn = { readonly required: boolean; readonly kind: 'saml' | 'oidc'; readonly issuer: string | null }

type Organisation = {
  readonly login: string
  readonly name: string
  readonly description: string | null
  readonly company?: string
  readonly blog?: string
  readonly location?: string
  readonly billing_email?: string | null
  readonly default_repository_permission: string
  readonly members_can_create_repositories: boolean
  readonly public_repos: number
  readonly total_private_repos: number
  readonly plan: { readonly name: string }
  readonly sso: SignOn | null
}

type Props = { readonly login: string; reload(): void }

export function OrganisationSettings({ login, reload }: Props) {
  const found = useLoad(`settings of organisation ${login}`, () => read<Organisation>(toPath('orgs', login)))
  return (
    <Ready of={found}>
      {(organisation) => (
        <div class="text-width stack">
          <General organisation={organisation} reload={reload} />
          <SingleSignOn organisation={organisation} />
          <End organisation={organisation} />
        </div>
      )}
    </Ready>
  )
}

const permissions = [
  ['none', 'see only public repositories'],
  ['read', 'read all repositories'],
  ['write', 'read and push to all repositories'],
  ['admin', 'administer all repositories'],
] as const

function General({ organisation, reload }: { organisation: Organisation; reload(): void }) {
  const [text, setText] = useState<ProfileText>({
    name: organisation.name,
    bio: organisation.description ?? '',
    company: organisation.company ?? '',
    location: organisation.location ?? '',
    blog: organisation.blog ?? '',
    email: organisation.billing_email ?? '',
  })
  const [level, setLevel] = useState(organisation.default_repository_permission)
  const [mayCreate, setMayCreate] = useState(organisation.members_can_create_repositories)
  const [isSaved, setSaved] = useState(false)
  const act = useAct()
  const submit = async () => {
    setSaved(false)
    const { bio, email, ...rest } = text
    await send('PATCH', toPath('orgs', organisation.login), {
      ...rest,
      description: bio,
      billing_email: email || null,
      default_repository_permission: level,
      members_can_create_repositories: mayCreate,
    })
    setSaved(true)
    reload()
  }
  return (
    <section class="card">
      <h2>General</h2>
      <Form act={act} submit={submit}>
        <ProfileFields text={text} change={setText} emailLabel="Email address" />
        <Field label="Every member can" hint="Teams and collaborators can be given more access.">
          <select value={level} onChange={(event) => setLevel(event.currentTarget.value)}>
            {permissions.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        <label class="check">
          <input type="checkbox" checked={mayCreate} onChange={() => setMayCreate(!mayCreate)} />
          <span>Members can create repositories</span>
        </label>
        {isSaved && act.error === undefined && <Done>Saved.</Done>}
        <Submit act={act}>Save</Submit>
      </Form>
    </section>
  )
}

type Credential = {
  readonly credential_id: number
  readonly login: string
  readonly token_last_eight: string
  readonly credential_authorized_at: string
}

const kinds = { saml: 'SAML', oidc: 'OpenID Connect' } as const

function SingleSignOn({ organisation: { login, sso } }: { organisation: Organisation }) {
  const path = (...rest: (string | number)[]) => toPath('orgs', login, 'credential-authorizations', ...rest)
  const tokens = useLoad(`sign-on tokens of ${login}`, async () =>
    sso ? (await readList<Credential>(path(), { per_page: 100 })).items : [],
  )
  const act = useAct()
  const revoke = ({ credential_id: id, login: name }: Credential) =>
    act.run(async () => {
      const text = 'The token must be authorised again before it can access anything private here.'
      if (!(await ask({ title: `End the authorisation of ${name}’s token?`, text, action: 'End authorisation' })))
        return
      await send('DELETE', path(id))
      tokens.reload()
    })
  return (
    <section class="card">
      <h2>Single sign-on</h2>
      {sso ? (
        <>
          <p>
            {sso.required
              ? 'Members’ classic tokens must be authorised with'
              : 'Members can authorise their tokens with'}{' '}
            {kinds[sso.kind]}
            {sso.issuer && (
              <>
                {' '}
                with <code>{sso.issuer}</code>
              </>
            )}
            . An admin of this server can change that.
          </p>
          <FailedAct act={act} />
          <Ready of={tokens}>
            {(list) =>
              list.length === 0 ? (
                <Empty title="No tokens are authorised." />
              ) : (
                <ul class="plain-list">
                  {list.map((one) => (
                    <li key={one.credential_id} class="row spread access-row">
                      <span>
                        {one.login} <code>…{one.token_last_eight}</code>{' '}
                        <span class="soft small">
                          <When at={Date.parse(one.credential_authorized_at)} />
                        </span>
                      </span>
                      <ActButton
                        act={act}
                        what={`End the authorisation of ${one.login}’s token`}
                        run={() => revoke(one)}
                      >
                        End
                      </ActButton>
                    </li>
                  ))}
                </ul>
              )
            }
          </Ready>
        </>
      ) : (
        <p>Not required. An admin of this server can set an identity provider.</p>
      )}
    </section>
  )
}

function End({ organisation }: { organisation: Organisation }) {
  const [typed, setTyped] = useState('')
  const act = useAct()
  const { login } = organisation
  const count = organisation.public_repos + organisation.total_private_repos
  return (
    <section class="card">
      <h2>Danger zone</h2>
      <details class="danger-act">
        <summary>Delete it</summary>
        <p>
          {count > 0
            ? 'It owns repositories: delete them first.'
            : 'Its teams, memberships, webhooks and apps are deleted permanently.'}
        </p>
        <Form
          act={act}
          submit={async () => {
            await send('DELETE', toPath('orgs', login))
            forgetAll()
            go('/-/', { replaces: true })
          }}
        >
          <Field label={`Type ${login} to confirm`}>
            <input value={typed} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
          </Field>
          <button type="submit" class="button danger" disabled={typed !== login || count > 0 || act.isBusy}>
            Delete this organisation
          </button>
        </Form>
      </details>
    </section>
  )
}
