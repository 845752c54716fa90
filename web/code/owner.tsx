/** A person's or an organisation's page: who they are, and their repositories, or those that they starred. */
import { isMissing } from '../api/fault.ts'
import { read, readList, send, toPath } from '../api/forge.ts'
import type { Repository, User } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { OrganisationPage } from '../organisations/organisation-page.tsx'
import { Avatar } from '../parts/avatar.tsx'
import { useAct } from '../parts/form.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { pageSize, StepPager, usePage } from '../parts/pager.tsx'
import { type Profile, ProfileHead } from '../parts/profile-head.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { RepositoryList } from './repository-list.tsx'

export function OwnerView({ params: { owner = '' } }: ViewProps) {
  const { account } = useSession()
  const { page } = usePage()
  const isStars = usePlace().query.get('tab') === 'stars'
  const person = useLoad(`owner ${owner}`, () => read<Profile>(toPath('users', owner)))
  const isOrganisation = person.value?.type === 'Organization'
  const repositories = useLoad(`repositories of ${owner} ${isStars} ${page}`, () =>
    readList<Repository>(toPath('users', owner, isStars ? 'starred' : 'repos'), {
      ...(!isStars && { sort: 'pushed' }),
      per_page: pageSize,
      page,
    }),
  )
  if (person.value === undefined && isMissing(person.error))
    return (
      <NotFound title={`There is no account named ${owner}`}>
        There is no person or organisation with this name.
      </NotFound>
    )
  const list = (isMine: boolean) => (
    <Ready of={repositories}>
      {({ items, hasMore }) =>
        items.length === 0 && page === 1 ? (
          <div class="card">
            <Empty title={isStars ? 'No stars yet.' : 'No repositories that you can see.'}>
              {isMine && !isStars && <a href="/-/repositories/new">Create one</a>}
            </Empty>
          </div>
        ) : (
          <>
            <RepositoryList list={items} isShort={!isStars} />
            <StepPager count={items.length} hasMore={hasMore} size={pageSize} what="repositories" />
          </>
        )
      }
    </Ready>
  )
  if (isOrganisation)
    return (
      <OrganisationPage org={owner} tab="repositories">
        {({ isMember, isOwner }) => (
          <>
            {(isMember || isOwner) && (
              <p>
                <a class="button" href={`/-/repositories/new?owner=${encodeURIComponent(owner)}`}>
                  New repository
                </a>
              </p>
            )}
            <h2 class="hidden-text">Repositories</h2>
            {list(false)}
          </>
        )}
      </OrganisationPage>
    )
  return (
    <Ready of={person}>
      {(profile) => {
        const isMine = account?.AccountName.toLowerCase() === profile.login.toLowerCase()
        return (
          <>
            <ProfileHead profile={profile}>
              <p class="row small">
                {isMine && (
                  <a class="button tight" href="/-/account">
                    Edit profile
                  </a>
                )}
                {account && !isMine && profile.type === 'User' && (
                  <Follow profile={profile} own={account.AccountName} onTurned={person.reload} />
                )}
                <Organisations login={profile.login} />
              </p>
            </ProfileHead>
            <Tabs
              label="Profile"
              tabs={[
                [`/${profile.login}`, 'Repositories', !isStars],
                [`/${profile.login}?tab=stars`, 'Stars', isStars],
              ]}
            />
            <h2 class="hidden-text">{isStars ? 'Stars' : 'Repositories'}</h2>
            {list(isMine)}
          </>
        )
      }}
    </Ready>
  )
}

/** The person's public memberships. */
function Organisations({ login }: { login: string }) {
  const found = useLoad(`organisations of ${login}`, () =>
    readList<User>(toPath('users', login, 'orgs'), { per_page: 20 }),
  )
  if (!found.value || found.value.items.length === 0) return null
  return (
    <span class="row tight-row">
      {found.value.items.map(({ id, login: name }) => (
        <a key={id} class="person" href={`/${name}`}>
          <Avatar id={id} /> {name}
        </a>
      ))}
    </span>
  )
}

/** Searches the list of followed people, because the route for one person answers "no" with 404. */
async function readFollows(id: number): Promise<boolean> {
  for (let page = 1; ; page++) {
    const { items, hasMore } = await readList<User>('/user/following', { per_page: 100, page })
    if (items.some((one) => one.id === id)) return true
    if (!hasMore || page === 4) return false
  }
}

function Follow({ profile, own, onTurned }: { profile: Profile; own: string; onTurned(): void }) {
  const follows = useLoad(`whether ${own} follows ${profile.id}`, () => readFollows(profile.id))
  const act = useAct()
  const isFollowed = follows.value ?? false
  const turn = () =>
    act.run(async () => {
      await send(isFollowed ? 'DELETE' : 'PUT', toPath('user', 'following', profile.login))
      follows.replace(!isFollowed)
      onTurned()
    })
  return (
    <>
      <button
        type="button"
        class="button tight"
        aria-pressed={isFollowed}
        disabled={act.isBusy || follows.value === undefined}
        onClick={() => void turn()}
      >
        {isFollowed ? 'Following' : 'Follow'}
      </button>
      <FailedAct act={act} />
    </>
  )
}
