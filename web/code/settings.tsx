/** The settings of a repository, part by part, for those who administer it; problem links for all who write to it. */
import type { ComponentChildren } from 'preact'
import { useSignedIn, useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { NotFound } from '../parts/not-found.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { codePath } from './paths.ts'
import { Access } from './settings/access.tsx'
import { Danger } from './settings/danger.tsx'
import { DeployKeys } from './settings/deploy-keys.tsx'
import { General } from './settings/general.tsx'
import { Hooks } from './settings/hooks.tsx'
import { Import } from './settings/import.tsx'
import { ProblemLinks } from './settings/problem-links.tsx'
import type { SettingsProps } from './settings/props.ts'
import { Protection } from './settings/protection.tsx'

type Part = readonly [name: string, title: string, show: (props: SettingsProps) => ComponentChildren]

const parts: readonly Part[] = [
  [
    '',
    'General',
    (props) => (
      <>
        <General {...props} />
        <Danger {...props} />
      </>
    ),
  ],
  ['access', 'Access', (props) => <Access {...props} />],
  ['branches', 'Branch protection', (props) => <Protection {...props} />],
  ['hooks', 'Webhooks', (props) => <Hooks {...props} />],
  ['keys', 'Deploy keys', (props) => <DeployKeys {...props} />],
  ['import', 'Import and mirror', (props) => <Import {...props} />],
  ['problems', 'Problem links', (props) => <ProblemLinks {...props} />],
]

const partsOfWriters = parts.filter(([name]) => name === 'problems')

export function SettingsView({ params }: ViewProps) {
  const isSignedIn = useSignedIn()
  if (!isSignedIn) return null
  return (
    <RepositoryPage params={params} tab="settings">
      {(repository, loaded) => <Settings repository={repository} loaded={loaded} part={params.part ?? ''} />}
    </RepositoryPage>
  )
}

function Settings({ repository, loaded, part }: SettingsProps & { part: string }) {
  useTitle(`Settings · ${repository.full_name}`)
  const { admin = false, push = false } = repository.permissions ?? {}
  const offered = admin ? parts : push ? partsOfWriters : []
  const found = offered.find(([name]) => name === part)
  if (!found)
    return (
      <NotFound
        title={admin ? 'There are no such settings' : 'Only admins of this repository can change these settings'}
      />
    )
  const [, title, show] = found
  return (
    <>
      <h1 class="hidden-text">Settings: {title}</h1>
      {offered.length > 1 && (
        <Tabs
          label="Settings"
          tabs={offered.map(([name, text]) => [codePath(repository, 'settings', name), text, name === part])}
        />
      )}
      {show({ repository, loaded })}
    </>
  )
}
