/** What every page of an organisation has on top: who it is, its tabs, and an invitation that waits to be answered. */
import type { ComponentChildren } from 'preact'
import { isMissing } from '../api/fault.ts'
import { read, readList, send, toPath } from '../api/forge.ts'
import { forgetAll, useLoad } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { ask } from '../parts/ask.tsx'
import { useAct } from '../parts/form.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { type Profile, ProfileHead } from '../parts/profile-head.tsx'
import { FailedAct, Ready } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'

export type OrganisationTab = 'repositories' | 'people' | 'teams' | 'hooks' | 'apps' | 'audit' | 'settings'

export type Standing = {
  readonly profile: Profile
  /** One's own membership; undefined for outsiders. */
  readonly own: { readonly role: 'admin' | 'member'; readonly state: 'active' | 'pending' } | undefined
  readonly isMember: boolean
  readonly isOwner: boolean
}

type Membership = NonNullable<Standing['own']> & { readonly organization: { readonly login: string } }

const useStanding = (org: string) => {
  const { account } = useSession()
  return useLoad(`organisation ${org} ${account?.ID}`, async (): Promise<Standing> => {
    const [profile, memberships] = await Promise.all([
      read<Profile>(toPath('users', org)),
      account ? readList<Membership>('/user/memberships/orgs', { per_page: 100 }) : undefined,
    ])
    const wanted = org.toLowerCase()
    const own = memberships?.items.find(({ organization }) => organization.login.toLowerCase() === wanted)
    const isMember = own?.state === 'active'
    return { profile, own, isMember, isOwner: (isMember && own.role === 'admin') || account?.Role === 'admin' }
  })
}

type Props = {
  readonly org: string
  readonly tab: OrganisationTab
  children(standing: Standing, reload: () => void): ComponentChildren
}

export function OrganisationPage({ org, tab, children }: Props) {
  const found = useStanding(org)
  const isPerson = found.value !== undefined && found.value.profile.type !== 'Organization'
  if (isPerson || (found.value === undefined && isMissing(found.error)))
    return <NotFound title={`There is no organisation named ${org}`} />
  return (
    <Ready of={found}>
      {(standing) => (
        <>
          <ProfileHead profile={standing.profile} isCompact={tab !== 'repositories' && tab !== 'people'} />
          {standing.own && <Own standing={standing} own={standing.own} reload={found.reload} />}
          <OrganisationTabs standing={standing} tab={tab} />
          {children(standing, found.reload)}
        </>
      )}
    </Ready>
  )
}

function OrganisationTabs({ standing, tab }: { standing: Standing; tab: OrganisationTab }) {
  const { login } = standing.profile
  const at = (name: OrganisationTab) => `/orgs/${login}${name === 'people' ? '' : `?tab=${name}`}`
  const one = (name: OrganisationTab, text: string) => [at(name), text, tab === name] as const
  return (
    <Tabs
      label="Organisation"
      tabs={[
        [`/${login}`, 'Repositories', tab === 'repositories'],
        one('people', 'People'),
        ...(standing.isMember || standing.isOwner ? [one('teams', 'Teams')] : []),
        ...(standing.isOwner
          ? [one('hooks', 'Webhooks'), one('apps', 'Apps'), one('audit', 'Audit log'), one('settings', 'Settings')]
          : []),
      ]}
    />
  )
}

type OwnProps = { readonly standing: Standing; readonly own: NonNullable<Standing['own']>; reload(): void }

function Own({ standing, own, reload }: OwnProps) {
  const act = useAct()
  const { login } = standing.profile
  const path = toPath('user', 'memberships', 'orgs', login)
  const then = (run: () => Promise<unknown>) =>
    act.run(async () => {
      await run()
      forgetAll()
      reload()
    })
  if (own.state === 'active')
    return (
      <p class="row small">
        <span class="soft">You are {own.role === 'admin' ? 'an owner' : 'a member'}.</span>
        <button
          type="button"
          class="button quiet tight"
          disabled={act.isBusy}
          onClick={async () => {
            const text = 'You lose your access to its repositories and teams.'
            if (await ask({ title: `Leave ${login}?`, text, action: 'Leave' })) await then(() => send('DELETE', path))
          }}
        >
          Leave
        </button>
        <FailedAct act={act} />
      </p>
    )
  return (
    <section class="card text-width below-fields" aria-label="Invitation">
      <p>
        You are invited to join <b>{login}</b> as {own.role === 'admin' ? 'an owner' : 'a member'}.
      </p>
      <FailedAct act={act} />
      <p class="row">
        <button
          type="button"
          class="button main"
          disabled={act.isBusy}
          onClick={() => void then(() => send('PATCH', path, { state: 'active' }))}
        >
          Accept
        </button>
        <button
          type="button"
          class="button"
          disabled={act.isBusy}
          onClick={() => void then(() => send('DELETE', path))}
        >
          Decline
        </button>
      </p>
    </section>
  )
}
