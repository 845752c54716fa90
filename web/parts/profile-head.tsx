/** Who a person or an organisation is, on top of their pages. */
import type { ComponentChildren } from 'preact'
import { plural } from '../../src/lib/text/plural.ts'
import type { User } from '../api/forge-types.ts'
import { useTitle } from '../app/page.ts'
import { Avatar } from './avatar.tsx'
import { When } from './when.tsx'

export type Profile = User & {
  readonly name: string | null
  readonly bio: string | null
  readonly company: string | null
  readonly location: string | null
  readonly email: string | null
  readonly blog: string
  readonly public_repos: number
  readonly followers: number
  readonly following: number
  readonly created_at: string
}

type Props = { readonly profile: Profile; readonly isCompact?: boolean; readonly children?: ComponentChildren }

export function ProfileHead({ profile, isCompact = false, children }: Props) {
  useTitle(profile.login)
  const isPerson = profile.type === 'User'
  return (
    <div class="profile">
      <Avatar id={profile.id} size={isCompact ? 40 : 72} />
      <div>
        <h1>{profile.name || profile.login}</h1>
        {!isCompact && (
          <>
            <p class="soft row">
              <span>{profile.login}</span>
              {isPerson && <span>{plural(profile.followers, 'follower')}</span>}
              {isPerson && <span>follows {profile.following}</span>}
            </p>
            {profile.bio && <p>{profile.bio}</p>}
            <p class="small soft row">
              {profile.company && <span>{profile.company}</span>}
              {profile.location && <span>{profile.location}</span>}
              {profile.email && <a href={`mailto:${profile.email}`}>{profile.email}</a>}
              {/^https?:\/\//.test(profile.blog) && (
                <a href={profile.blog} rel="noreferrer nofollow">
                  {profile.blog}
                </a>
              )}
              <span>
                Joined <When at={Date.parse(profile.created_at)} />
              </span>
            </p>
          </>
        )}
        {children}
      </div>
    </div>
  )
}
