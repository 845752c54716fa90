/** An organisation: its people and teams, and for its owners hooks, apps, audit log and settings. */
import type { ComponentChildren } from 'preact'
import { toPath } from '../api/forge.ts'
import { usePlace } from '../app/location.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { AuditLog } from '../parts/audit-log.tsx'
import { HookList } from '../parts/hooks/hook-list.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { InstalledOn } from './installed-on.tsx'
import { OrganisationPage, type OrganisationTab, type Standing } from './organisation-page.tsx'
import { People } from './people.tsx'
import { OrganisationSettings } from './settings.tsx'
import { Teams } from './teams.tsx'

type Tab = {
  readonly title: string
  readonly isFor: (standing: Standing) => boolean
  show(standing: Standing, reload: () => void): ComponentChildren
}

const forOwners = ({ isOwner }: Standing) => isOwner

const tabs: Readonly<Record<Exclude<OrganisationTab, 'repositories'>, Tab>> = {
  people: { title: 'People', isFor: () => true, show: (standing) => <People standing={standing} /> },
  teams: {
    title: 'Teams',
    isFor: ({ isMember, isOwner }) => isMember || isOwner,
    show: (standing) => <Teams standing={standing} />,
  },
  hooks: {
    title: 'Webhooks',
    isFor: forOwners,
    show: ({ profile }) => <HookList path={toPath('orgs', profile.login, 'hooks')} />,
  },
  apps: { title: 'Apps', isFor: forOwners, show: ({ profile }) => <InstalledOn login={profile.login} /> },
  audit: {
    title: 'Audit log',
    isFor: forOwners,
    show: ({ profile }) => <AuditLog path={toPath('orgs', profile.login, 'audit-log')} />,
  },
  settings: {
    title: 'Settings',
    isFor: forOwners,
    show: ({ profile }, reload) => <OrganisationSettings login={profile.login} reload={reload} />,
  },
}

const isTab = (name: string): name is keyof typeof tabs => Object.hasOwn(tabs, name)

export function OrganisationView({ params: { org = '' } }: ViewProps) {
  const asked = usePlace().query.get('tab') ?? 'people'
  const name = isTab(asked) ? asked : 'people'
  const { title, isFor, show } = tabs[name]
  useTitle(`${title} · ${org}`)
  return (
    <OrganisationPage org={org} tab={name} key={name}>
      {(standing, reload) =>
        isFor(standing) ? (
          <>
            <h2 class="hidden-text">{title}</h2>
            {show(standing, reload)}
          </>
        ) : (
          <NotFound title="You don’t have access to this page">
            Only members or owners of the organisation can open it.
          </NotFound>
        )
      }
    </OrganisationPage>
  )
}
