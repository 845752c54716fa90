/** An organisation's people and teams, as far as one may see them. */
import { isMissing } from '../api/fault.ts'
import { read, readIfThere, readList, toPath } from '../api/forge.ts'
import type { User } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { PersonLink } from '../parts/avatar.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { StepPager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { type Profile, ProfileHead } from './owner.tsx'

type Team = { readonly id: number; readonly name: string; readonly slug: string; readonly description: string | null }

const size = 50

export function OrganisationView({ params: { org = '' } }: ViewProps) {
  useTitle(`People of ${org}`)
  const { page } = usePage(size)
  const found = useLoad(`organisation ${org}`, async () => {
    const [profile, teams] = await Promise.all([
      read<Profile>(toPath('users', org)),
      readIfThere<readonly Team[]>(toPath('orgs', org, 'teams'), { per_page: 100 }).catch(() => undefined),
    ])
    return { profile, teams: teams ?? [] }
  })
  const members = useLoad(`members of ${org} ${page}`, () =>
    readList<User>(toPath('orgs', org, 'members'), { per_page: size, page }),
  )
  if (found.value === undefined && isMissing(found.error))
    return <NotFound title={`There is no organisation named ${org}`} />
  return (
    <Ready of={found}>
      {({ profile, teams }) => (
        <>
          <ProfileHead profile={profile} />
          <p>
            <a href={`/${profile.login}`}>Repositories</a>
          </p>
          <h2>People</h2>
          <Ready of={members}>
            {({ items, hasMore }) => (
              <>
                <ul class="plain-list card flush text-width">
                  {items.length === 0 && (
                    <li>
                      <Empty title="Nobody whom you may see." />
                    </li>
                  )}
                  {items.map((user) => (
                    <li key={user.id} class="list-row">
                      <PersonLink user={user} />
                    </li>
                  ))}
                </ul>
                <StepPager count={items.length} hasMore={hasMore} size={size} what="people" />
              </>
            )}
          </Ready>
          {teams.length > 0 && (
            <>
              <h2 class="below">Teams</h2>
              <ul class="plain-list card flush text-width">
                {teams.map(({ id, name, description }) => (
                  <li key={id} class="list-row">
                    <span class="strong">{name}</span>
                    {description && <p class="small soft">{description}</p>}
                  </li>
                ))}
              </ul>
            </>
          )}
        </>
      )}
    </Ready>
  )
}
