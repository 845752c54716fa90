/** A person's or an organisation's page: who they are, and their repositories. */
import { isMissing } from '../api/fault.ts'
import { read, readList, toPath } from '../api/forge.ts'
import type { Repository, User } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { Avatar } from '../parts/avatar.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { pageSize, StepPager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { RepositoryList } from './repository-list.tsx'

export type Profile = User & {
  readonly name: string | null
  readonly bio: string | null
  readonly company: string | null
  readonly location: string | null
  readonly blog: string
  readonly public_repos: number
  readonly created_at: string
}

export function OwnerView({ params: { owner = '' } }: ViewProps) {
  const { page } = usePage()
  const person = useLoad(`owner ${owner}`, () => read<Profile>(toPath('users', owner)))
  const repositories = useLoad(`repositories of ${owner} ${page}`, () =>
    readList<Repository>(toPath('users', owner, 'repos'), { sort: 'pushed', per_page: pageSize, page }),
  )
  if (person.value === undefined && isMissing(person.error))
    return <NotFound title={`Nobody is called ${owner}`}>No person and no organisation has this name.</NotFound>
  return (
    <Ready of={person}>
      {(profile) => (
        <>
          <ProfileHead profile={profile} />
          <h2>Repositories</h2>
          <Ready of={repositories}>
            {({ items, hasMore }) =>
              items.length === 0 && page === 1 ? (
                <div class="card">
                  <Empty title="No repositories that you may see." />
                </div>
              ) : (
                <>
                  <RepositoryList list={items} isShort />
                  <StepPager count={items.length} hasMore={hasMore} size={pageSize} what="repositories" />
                </>
              )
            }
          </Ready>
        </>
      )}
    </Ready>
  )
}

export function ProfileHead({ profile }: { profile: Profile }) {
  useTitle(profile.login)
  const isOrganisation = profile.type === 'Organization'
  return (
    <div class="profile">
      <Avatar id={profile.id} size={72} />
      <div>
        <h1>{profile.name || profile.login}</h1>
        <p class="soft row">
          <span>{profile.login}</span>
          {isOrganisation && <a href={`/orgs/${profile.login}`}>People and teams</a>}
        </p>
        {profile.bio && <p>{profile.bio}</p>}
        <p class="small soft row">
          {profile.company && <span>{profile.company}</span>}
          {profile.location && <span>{profile.location}</span>}
          {/^https?:\/\//.test(profile.blog) && (
            <a href={profile.blog} rel="noreferrer nofollow">
              {profile.blog}
            </a>
          )}
          <span>
            Joined <When at={Date.parse(profile.created_at)} />
          </span>
        </p>
      </div>
    </div>
  )
}
