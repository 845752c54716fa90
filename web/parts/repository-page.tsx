/** What every page of a repository has on top: whose it is and what it is called, and the tabs of its parts. */
import type { ComponentChildren } from 'preact'
import { isMissing } from '../api/fault.ts'
import { read, readList, repositoryPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { NotFound } from './not-found.tsx'
import { Ready } from './state.tsx'
import { Tabs } from './tabs.tsx'

export type RepositoryTab = 'code' | 'issues' | 'pulls' | 'releases' | 'wiki' | 'settings'

/** The repository itself, read once for all its pages. */
export const useRepository = ({ owner = '', repo = '' }: Readonly<Record<string, string>>): Loaded<Repository> =>
  useLoad(`repository ${owner}/${repo}`, () => read<Repository>(repositoryPath(owner, repo)))

/** A list of one item a page has as many pages as items. */
const useOpenPulls = ({ owner = '', repo = '' }: Readonly<Record<string, string>>): number | undefined =>
  useLoad(`open pulls ${owner}/${repo}`, async () => {
    const { items, lastPage } = await readList(repositoryPath(owner, repo, 'pulls'), { state: 'open', per_page: 1 })
    return lastPage ?? items.length
  }).value

type Props = {
  readonly params: Readonly<Record<string, string>>
  readonly tab: RepositoryTab
  /** Its name is the heading of the page. */
  readonly isHome?: boolean
  children(repository: Repository, loaded: Loaded<Repository>): ComponentChildren
}

export function RepositoryPage({ params, tab, isHome = false, children }: Props) {
  const loaded = useRepository(params)
  const openPulls = useOpenPulls(params)
  if (loaded.value === undefined && isMissing(loaded.error))
    return (
      <NotFound title="There is no such repository here">
        It may have been renamed or deleted, or it may be private and you don’t have access to it.
      </NotFound>
    )
  return (
    <Ready of={loaded}>
      {(repository) => (
        <>
          <RepositoryHead repository={repository} tab={tab} isHome={isHome} openPulls={openPulls} />
          {children(repository, loaded)}
        </>
      )}
    </Ready>
  )
}

type HeadProps = {
  readonly repository: Repository
  readonly tab: RepositoryTab
  readonly isHome: boolean
  /** Undefined until it is known. */
  readonly openPulls: number | undefined
}

function RepositoryHead({ repository, tab, isHome, openPulls }: HeadProps) {
  const { path } = usePlace()
  const own = `/${repository.full_name}`
  const { admin = false, push = false } = repository.permissions ?? {}
  // The interface counts pulls as issues.
  const openIssues = openPulls === undefined ? undefined : repository.open_issues_count - openPulls
  const Name = isHome ? 'h1' : 'p'
  return (
    <div class="repository-head">
      <div class="row">
        <Name class="repository-name">
          <a href={`/${repository.owner.login}`}>{repository.owner.login}</a>
          <span class="soft"> / </span>
          <a href={own} {...(path === own && { 'aria-current': 'page' as const })}>
            <b>{repository.name}</b>
          </a>
        </Name>
        <span class="badge">{repository.private ? 'Private' : 'Public'}</span>
        {repository.archived && <span class="badge wait">Archived</span>}
        {repository.is_template && <span class="badge">Template</span>}
        {repository.mirror_url !== null && (
          <>
            <span class="badge">Mirror</span>
            <span class="small soft long-name">of {repository.mirror_url}</span>
          </>
        )}
        {repository.parent && (
          <span class="small soft">
            Fork of <a href={`/${repository.parent.full_name}`}>{repository.parent.full_name}</a>
          </span>
        )}
      </div>
      <Tabs
        label="Repository"
        tabs={[
          [own, 'Code', tab === 'code'],
          ...only(repository.has_issues, [`${own}/issues`, 'Issues', tab === 'issues', openIssues] as const),
          [`${own}/pulls`, 'Pull requests', tab === 'pulls', openPulls],
          [`${own}/releases`, 'Releases', tab === 'releases'],
          ...only(repository.has_wiki, [`${own}/wiki`, 'Wiki', tab === 'wiki'] as const),
          ...only(admin, [`${own}/settings`, 'Settings', tab === 'settings'] as const),
          // Of the settings, those who write set this alone.
          ...only(push && !admin, [`${own}/settings/problems`, 'Problem links', tab === 'settings'] as const),
        ]}
      />
    </div>
  )
}

const only = <T,>(isFor: boolean, one: T): T[] => (isFor ? [one] : [])
