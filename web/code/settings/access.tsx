/** Access to a repository: collaborators, invitations, and teams of the organisation. */
import { useState } from 'preact/hooks'
import { readIfThere, readList, repositoryPath, send, toPath } from '../../api/forge.ts'
import type { User } from '../../api/forge-types.ts'
import { useLoad } from '../../app/load.ts'
import { ask } from '../../parts/ask.tsx'
import { PersonLink } from '../../parts/avatar.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Empty, FailedAct, Ready } from '../../parts/state.tsx'
import type { SettingsProps } from './props.ts'

type Collaborator = User & { readonly role_name: string }
type Invitation = { readonly id: number; readonly invitee: User | null; readonly permissions: string }
type Team = { readonly slug: string; readonly name: string; readonly permission: string }

const levels = [
  ['pull', 'Read'],
  ['triage', 'Triage'],
  ['push', 'Write'],
  ['maintain', 'Maintain'],
  ['admin', 'Admin'],
] as const

/** The interface reads and writes roles with different words. */
const toLevel = (role: string): string => ({ read: 'pull', write: 'push' })[role] ?? role

export function Access({ repository }: SettingsProps) {
  const [owner, repo] = [repository.owner.login, repository.name]
  const path = (...rest: (string | number)[]) => repositoryPath(owner, repo, ...rest)
  const people = useLoad(`access of ${owner}/${repo}`, async () => {
    const [collaborators, invitations, teams] = await Promise.all([
      readList<Collaborator>(path('collaborators'), { per_page: 100 }),
      readList<Invitation>(path('invitations'), { per_page: 100 }),
      repository.owner.type === 'Organization'
        ? readList<Team>(path('teams'), { per_page: 100 })
        : { items: [] as readonly Team[], hasMore: false },
    ])
    return { collaborators: collaborators.items, invitations: invitations.items, teams: teams.items }
  })
  const act = useAct()
  const then = (run: () => Promise<unknown>) =>
    act.run(async () => {
      await run()
      people.reload()
    })
  const remove = async (what: string, address: string) => {
    if (await ask({ title: `Remove ${what}?`, text: 'Access ends immediately.', action: 'Remove' }))
      await then(() => send('DELETE', address))
  }
  return (
    <div class="text-width">
      <FailedAct act={act} />
      <Ready of={people}>
        {({ collaborators, invitations, teams }) => (
          <>
            <section class="card flush">
              <h2 class="card-title">People</h2>
              <ul class="plain-list">
                {collaborators.map((person) => (
                  <li key={person.id} class="list-row row spread access-row">
                    <PersonLink user={person} />
                    {person.login === owner ? (
                      <span class="soft">Owner</span>
                    ) : (
                      <span class="row tight-row">
                        <Level
                          label={`Role of ${person.login}`}
                          value={toLevel(person.role_name)}
                          choose={(permission) =>
                            void then(() => send('PUT', path('collaborators', person.login), { permission }))
                          }
                        />
                        <ActButton
                          act={act}
                          what={`Remove ${person.login}`}
                          run={() => remove(person.login, path('collaborators', person.login))}
                        >
                          Remove
                        </ActButton>
                      </span>
                    )}
                  </li>
                ))}
                {invitations.map(({ id, invitee, permissions }) => (
                  <li key={`invited ${id}`} class="list-row row spread access-row">
                    <span class="row tight-row">
                      {invitee && <PersonLink user={invitee} />} <span class="badge wait">Invited: {permissions}</span>
                    </span>
                    <ActButton
                      act={act}
                      what={`Cancel the invitation of ${invitee?.login ?? 'somebody'}`}
                      run={() => then(() => send('DELETE', path('invitations', id)))}
                    >
                      Cancel
                    </ActButton>
                  </li>
                ))}
              </ul>
            </section>
            <AddPerson
              add={async (name, permission) => {
                await send('PUT', path('collaborators', name), { permission })
                people.reload()
              }}
            />
            {repository.owner.type === 'Organization' && (
              <>
                <section class="card flush below">
                  <h2 class="card-title">Teams</h2>
                  {teams.length === 0 && <Empty title="No teams have access." />}
                  <ul class="plain-list">
                    {teams.map(({ slug, name, permission }) => (
                      <li key={slug} class="list-row row spread access-row">
                        <span class="strong">{name}</span>
                        <span class="row tight-row">
                          <Level
                            label={`Role of ${name}`}
                            value={toLevel(permission)}
                            choose={(next) =>
                              void then(() =>
                                send('PUT', toPath('orgs', owner, 'teams', slug, 'repos', owner, repo), {
                                  permission: next,
                                }),
                              )
                            }
                          />
                          <ActButton
                            act={act}
                            what={`Remove ${name}`}
                            run={() => remove(name, toPath('orgs', owner, 'teams', slug, 'repos', owner, repo))}
                          >
                            Remove
                          </ActButton>
                        </span>
                      </li>
                    ))}
                  </ul>
                </section>
                <AddTeam
                  organisation={owner}
                  add={async (slug, permission) => {
                    await send('PUT', toPath('orgs', owner, 'teams', slug, 'repos', owner, repo), { permission })
                    people.reload()
                  }}
                />
              </>
            )}
          </>
        )}
      </Ready>
    </div>
  )
}

type LevelProps = { readonly label: string; readonly value: string; choose(value: string): void }

const Level = ({ label, value, choose }: LevelProps) => (
  <select class="input" aria-label={label} value={value} onChange={(event) => choose(event.currentTarget.value)}>
    {levels.map(([level, text]) => (
      <option key={level} value={level}>
        {text}
      </option>
    ))}
  </select>
)

type AddProps = { add(name: string, permission: string): Promise<void> }

function AddPerson({ add }: AddProps) {
  const [name, setName] = useState('')
  const [permission, setPermission] = useState('push')
  const act = useAct()
  const submit = async () => {
    await add(name.trim(), permission)
    setName('')
  }
  return (
    <section class="card below">
      <h2>Invite somebody</h2>
      <Form act={act} submit={submit}>
        <div class="pair">
          <Field label="Account">
            <input value={name} required maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
          <Field label="Role">
            <select value={permission} onChange={(event) => setPermission(event.currentTarget.value)}>
              {levels.map(([level, text]) => (
                <option key={level} value={level}>
                  {text}
                </option>
              ))}
            </select>
          </Field>
        </div>
        <Submit act={act}>Invite</Submit>
      </Form>
    </section>
  )
}

function AddTeam({ organisation, add }: AddProps & { organisation: string }) {
  const teams = useLoad(
    `teams of ${organisation}`,
    async () => (await readIfThere<readonly Team[]>(toPath('orgs', organisation, 'teams'), { per_page: 100 })) ?? [],
  )
  const [slug, setSlug] = useState('')
  const act = useAct()
  if (!teams.value || teams.value.length === 0) return null
  return (
    <section class="card below">
      <h2>Add a team</h2>
      <Form act={act} submit={() => add(slug || teams.value![0]!.slug, 'pull')}>
        <Field label="Team" hint="The team starts with read access.">
          <select value={slug} onChange={(event) => setSlug(event.currentTarget.value)}>
            {teams.value.map((team) => (
              <option key={team.slug} value={team.slug}>
                {team.name}
              </option>
            ))}
          </select>
        </Field>
        <Submit act={act}>Add team</Submit>
      </Form>
    </section>
  )
}
