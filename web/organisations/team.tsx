/** A team: its people, its repositories, the teams below it, and what it is. */
import { useState } from 'preact/hooks'
import { isMissing } from '../api/fault.ts'
import { read, readList, send, toPath } from '../api/forge.ts'
import type { Repository, User } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useSignedIn, useTitle } from '../app/page.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { ask } from '../parts/ask.tsx'
import { PersonLink } from '../parts/avatar.tsx'
import { type Act, ActButton, Field, Form, Submit, useAct } from '../parts/form.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { Done, Empty, FailedAct, Ready } from '../parts/state.tsx'
import { OrganisationPage, type Standing } from './organisation-page.tsx'
import { readTeams, type Team } from './teams.tsx'

type TeamRepository = Repository & { readonly role_name?: string }

export function TeamView({ params: { org = '', team = '' } }: ViewProps) {
  const isSignedIn = useSignedIn()
  if (!isSignedIn) return null
  return (
    <OrganisationPage org={org} tab="teams">
      {(standing) => <TeamPage standing={standing} slug={team} />}
    </OrganisationPage>
  )
}

function TeamPage({ standing, slug }: { standing: Standing; slug: string }) {
  const { account } = useSession()
  const { login } = standing.profile
  const path = (...rest: (string | number)[]) => toPath('orgs', login, 'teams', slug, ...rest)
  useTitle(`${slug} · ${login}`)
  const found = useLoad(`team ${login}/${slug}`, async () => {
    const [team, members, maintainers, repositories, below] = await Promise.all([
      read<Team>(path()),
      readList<User>(path('members'), { per_page: 100 }),
      readList<User>(path('members'), { role: 'maintainer', per_page: 100 }),
      readList<TeamRepository>(path('repos'), { per_page: 100 }),
      readList<Team>(path('teams'), { per_page: 100 }),
    ])
    const keepers = new Set(maintainers.items.map(({ id }) => id))
    return { team, members: members.items, keepers, repositories: repositories.items, below: below.items }
  })
  const act = useAct()
  const then = (run: () => Promise<unknown>) =>
    act.run(async () => {
      await run()
      found.reload()
    })
  if (found.value === undefined && isMissing(found.error))
    return (
      <NotFound title="There is no such team">
        It may have been deleted, or it may be a secret team. <a href={`/orgs/${login}?tab=teams`}>All teams</a>
      </NotFound>
    )
  return (
    <Ready of={found}>
      {({ team, members, keepers, repositories, below }) => {
        const own = members.find(({ login: name }) => name === account?.AccountName)
        const mayChange = standing.isOwner || (own !== undefined && keepers.has(own.id))
        return (
          <>
            <div class="heading below-fields">
              <div>
                <h2>{team.name}</h2>
                <p class="soft">
                  {team.privacy === 'secret' ? 'Secret' : 'Visible to every member'} · mention as{' '}
                  <code>
                    @{login}/{team.slug}
                  </code>
                  {team.parent && (
                    <>
                      {' '}
                      · part of <a href={`/orgs/${login}/teams/${team.parent.slug}`}>{team.parent.name}</a>
                    </>
                  )}
                </p>
                {team.description && <p>{team.description}</p>}
              </div>
            </div>
            <FailedAct act={act} />
            <div class="side">
              <div class="stack">
                <Members {...{ members, keepers, mayChange, act, then, path }} />
                <Repositories {...{ repositories, mayChange, act, then, path }} />
                {below.length > 0 && (
                  <section class="card flush">
                    <h3 class="card-title">Child teams</h3>
                    <ul class="plain-list">
                      {below.map(({ id, name, slug: own }) => (
                        <li key={id} class="list-row">
                          <a href={`/orgs/${login}/teams/${own}`}>{name}</a>
                        </li>
                      ))}
                    </ul>
                  </section>
                )}
              </div>
              {mayChange && (
                <div class="stack">
                  <Add
                    title="Add a person"
                    action="Add person"
                    label="Account"
                    hint="People outside the organisation are invited to it; only owners can do that."
                    run={async (name) => {
                      await send('PUT', path('memberships', name), {})
                      found.reload()
                    }}
                  />
                  <Add
                    title="Add a repository"
                    action="Add repository"
                    label="Repository"
                    hint="Its name, or owner/name. The team starts with read access."
                    run={async (name) => {
                      const [owner, repo] = name.includes('/') ? name.split('/') : [login, name]
                      await send('PUT', path('repos', owner!, repo!), { permission: 'pull' })
                      found.reload()
                    }}
                  />
                  <TeamSettings key={team.slug} org={login} team={team} path={path()} />
                </div>
              )}
            </div>
          </>
        )
      }}
    </Ready>
  )
}

type ListProps = {
  readonly mayChange: boolean
  readonly act: Act
  then(run: () => Promise<unknown>): Promise<void>
  path(...rest: (string | number)[]): string
}

type MembersProps = ListProps & { readonly members: readonly User[]; readonly keepers: ReadonlySet<number> }

const Members = ({ members, keepers, mayChange, act, then, path }: MembersProps) => (
  <section class="card flush">
    <h3 class="card-title">People</h3>
    {members.length === 0 && <Empty title="No members yet." />}
    <ul class="plain-list">
      {members.map((user) => (
        <li key={user.id} class="list-row row spread access-row">
          <span class="row tight-row">
            <PersonLink user={user} />
            {keepers.has(user.id) && <span class="badge">Maintainer</span>}
          </span>
          {mayChange && (
            <span class="row tight-row">
              <ActButton
                act={act}
                what={`${keepers.has(user.id) ? 'Make member' : 'Make maintainer'}: ${user.login}`}
                run={() =>
                  then(() =>
                    send('PUT', path('memberships', user.login), {
                      role: keepers.has(user.id) ? 'member' : 'maintainer',
                    }),
                  )
                }
              >
                {keepers.has(user.id) ? 'Make member' : 'Make maintainer'}
              </ActButton>
              <ActButton
                act={act}
                what={`Remove ${user.login}`}
                run={() => then(() => send('DELETE', path('memberships', user.login)))}
              >
                Remove
              </ActButton>
            </span>
          )}
        </li>
      ))}
    </ul>
  </section>
)

const levels = [
  ['pull', 'Read'],
  ['triage', 'Triage'],
  ['push', 'Write'],
  ['maintain', 'Maintain'],
  ['admin', 'Admin'],
] as const

const toLevel = ({ permissions, role_name: role }: TeamRepository): string =>
  ({ read: 'pull', write: 'push' })[role ?? ''] ??
  role ??
  [...levels].reverse().find(([level]) => permissions?.[level])?.[0] ??
  'pull'

const Repositories = ({
  repositories,
  mayChange,
  act,
  then,
  path,
}: ListProps & { readonly repositories: readonly TeamRepository[] }) => (
  <section class="card flush">
    <h3 class="card-title">Repositories</h3>
    {repositories.length === 0 && <Empty title="No repositories of its own." />}
    <ul class="plain-list">
      {repositories.map((one) => (
        <li key={one.id} class="list-row row spread access-row">
          <span class="row tight-row">
            <a class="strong" href={`/${one.full_name}`}>
              {one.full_name}
            </a>
            {one.private && <span class="badge">Private</span>}
          </span>
          {mayChange ? (
            <span class="row tight-row">
              <select
                class="input"
                aria-label={`Role of the team in ${one.full_name}`}
                value={toLevel(one)}
                disabled={act.isBusy}
                onChange={(event) =>
                  void then(() =>
                    send('PUT', path('repos', one.owner.login, one.name), { permission: event.currentTarget.value }),
                  )
                }
              >
                {levels.map(([level, text]) => (
                  <option key={level} value={level}>
                    {text}
                  </option>
                ))}
              </select>
              <ActButton
                act={act}
                what={`Remove ${one.full_name} from the team`}
                run={() => then(() => send('DELETE', path('repos', one.owner.login, one.name)))}
              >
                Remove
              </ActButton>
            </span>
          ) : (
            <span class="soft small">{levels.find(([level]) => level === toLevel(one))?.[1]}</span>
          )}
        </li>
      ))}
    </ul>
  </section>
)

type AddProps = {
  readonly title: string
  readonly action: string
  readonly label: string
  readonly hint: string
  run(name: string): Promise<void>
}

function Add({ title, action, label, hint, run }: AddProps) {
  const [name, setName] = useState('')
  const act = useAct()
  return (
    <section class="card">
      <h3>{title}</h3>
      <Form
        act={act}
        submit={async () => {
          await run(name.trim())
          setName('')
        }}
      >
        <Field label={label} hint={hint}>
          <input value={name} required maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <Submit act={act}>{action}</Submit>
      </Form>
    </section>
  )
}

function TeamSettings({ org, team, path }: { org: string; team: Team; path: string }) {
  const [name, setName] = useState(team.name)
  const [description, setDescription] = useState(team.description ?? '')
  const [parent, setParent] = useState(String(team.parent?.id ?? ''))
  const [isSaved, setSaved] = useState(false)
  const act = useAct()
  const others = useLoad(`teams of ${org}`, () => readTeams(org))
  const submit = async () => {
    setSaved(false)
    const changed = await send<Team>('PATCH', path, {
      name: name.trim(),
      description: description.trim(),
      ...(team.privacy === 'closed' && { parent_team_id: parent ? Number(parent) : null }),
    })
    setSaved(true)
    if (changed.slug !== team.slug) go(`/orgs/${org}/teams/${changed.slug}`, { replaces: true })
  }
  const remove = async () => {
    const text = 'Its members lose the access it gives them. Its child teams are deleted too.'
    if (!(await ask({ title: `Delete the team ${team.name}?`, text, action: 'Delete team' }))) return
    await act.run(async () => {
      await send('DELETE', path)
      go(`/orgs/${org}?tab=teams`, { replaces: true })
    })
  }
  const possible = (others.value?.teams ?? []).filter(({ id, privacy }) => id !== team.id && privacy === 'closed')
  return (
    <section class="card">
      <h3>Settings</h3>
      <Form act={act} submit={submit}>
        <Field label="Name">
          <input value={name} required maxLength={255} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <Field label="Description">
          <input value={description} maxLength={255} onInput={(event) => setDescription(event.currentTarget.value)} />
        </Field>
        {team.privacy === 'closed' && possible.length > 0 && (
          <Field label="Parent team">
            <select value={parent} onChange={(event) => setParent(event.currentTarget.value)}>
              <option value="">none</option>
              {possible.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </select>
          </Field>
        )}
        {isSaved && act.error === undefined && <Done>Saved.</Done>}
        <p class="row">
          <Submit act={act}>Save</Submit>
          <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void remove()}>
            Delete team
          </button>
        </p>
      </Form>
    </section>
  )
}
