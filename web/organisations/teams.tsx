/** The teams of an organisation, the nested ones below their parents; and the form for a new one. */
import { useState } from 'preact/hooks'
import { readList, send, toPath } from '../api/forge.ts'
import { useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { RadioChoice } from '../parts/radio-choice.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import type { Standing } from './organisation-page.tsx'

export type Team = {
  readonly id: number
  readonly name: string
  readonly slug: string
  readonly description: string | null
  readonly privacy: 'secret' | 'closed'
  readonly parent: { readonly id: number; readonly slug: string; readonly name: string } | null
  readonly members_count?: number
  readonly repos_count?: number
}

export const readTeams = async (org: string): Promise<{ teams: readonly Team[]; hasMore: boolean }> => {
  const { items, hasMore } = await readList<Team>(toPath('orgs', org, 'teams'), { per_page: 100 })
  return { teams: items, hasMore }
}

/** Each after its parent, with how deep it lies. A team whose parent is hidden stands on top. */
export function orderTeams(teams: readonly Team[]): readonly (readonly [team: Team, depth: number])[] {
  const known = new Set(teams.map(({ id }) => id))
  const below = (parent: number | undefined, depth: number): (readonly [Team, number])[] =>
    teams
      .filter((team) => (team.parent && known.has(team.parent.id) ? team.parent.id : undefined) === parent)
      .flatMap((team) => [[team, depth] as const, ...below(team.id, depth + 1)])
  return below(undefined, 0)
}

export function Teams({ standing }: { standing: Standing }) {
  const { login } = standing.profile
  const found = useLoad(`teams of ${login}`, () => readTeams(login))
  return (
    <div class="side">
      <Ready of={found}>
        {({ teams, hasMore }) => (
          <div>
            <ul class="plain-list card flush">
              {teams.length === 0 && (
                <li>
                  <Empty title="No teams yet.">
                    <p>A team gives many people the same access, and can be mentioned and asked for reviews.</p>
                  </Empty>
                </li>
              )}
              {orderTeams(teams).map(([team, depth]) => (
                <li key={team.id} class={`list-row depth-${Math.min(depth, 4)}`}>
                  <span class="row">
                    <a class="strong" href={`/orgs/${login}/teams/${team.slug}`}>
                      {team.name}
                    </a>
                    {team.privacy === 'secret' && <span class="badge">Secret</span>}
                  </span>
                  {team.description && <p class="small soft">{team.description}</p>}
                </li>
              ))}
            </ul>
            {hasMore && <p class="small soft">The first 100 teams are shown.</p>}
          </div>
        )}
      </Ready>
      {standing.isMember || standing.isOwner ? <NewTeam org={login} teams={found.value?.teams ?? []} /> : null}
    </div>
  )
}

function NewTeam({ org, teams }: { org: string; teams: readonly Team[] }) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [privacy, setPrivacy] = useState<Team['privacy']>('closed')
  const [parent, setParent] = useState('')
  const act = useAct()
  const submit = async () => {
    const made = await send<Team>('POST', toPath('orgs', org, 'teams'), {
      name: name.trim(),
      description: description.trim(),
      privacy: parent ? 'closed' : privacy,
      ...(parent && { parent_team_id: Number(parent) }),
    })
    go(`/orgs/${org}/teams/${made.slug}`)
  }
  return (
    <section class="card" aria-labelledby="new-team">
      <h2 id="new-team">New team</h2>
      <Form act={act} submit={submit}>
        <Field label="Name">
          <input value={name} required maxLength={255} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <Field label="Description">
          <input value={description} maxLength={255} onInput={(event) => setDescription(event.currentTarget.value)} />
        </Field>
        {teams.some(({ privacy: kind }) => kind === 'closed') && (
          <Field label="Parent team" hint="The team inherits the access of its parent team.">
            <select value={parent} onChange={(event) => setParent(event.currentTarget.value)}>
              <option value="">none</option>
              {teams
                .filter(({ privacy: kind }) => kind === 'closed')
                .map((team) => (
                  <option key={team.id} value={team.id}>
                    {team.name}
                  </option>
                ))}
            </select>
          </Field>
        )}
        {!parent && (
          <RadioChoice<Team['privacy']>
            legend="Visibility"
            name="privacy"
            value={privacy}
            options={[
              ['closed', 'Every member', 'can see and mention it'],
              ['secret', 'Only its members', 'and owners can see it'],
            ]}
            choose={setPrivacy}
          />
        )}
        <Submit act={act}>Create team</Submit>
      </Form>
    </section>
  )
}
