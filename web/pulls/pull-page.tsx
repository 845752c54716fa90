/** What every page of a pull has on top: its title, what merges into what, and the tabs of its parts. */
import type { ComponentChildren } from 'preact'
import { isMissing } from '../api/fault.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Pull } from '../api/issue-types.ts'
import type { Loaded } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { IssueHead } from '../issues/issue-head.tsx'
import { rightsOn } from '../issues/issue-side.tsx'
import { useReadThread } from '../issues/reading.ts'
import { threadPath } from '../issues/thread.ts'
import { Copy } from '../parts/copy.tsx'
import { formatCount } from '../parts/figures.ts'
import { NotFound } from '../parts/not-found.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Ready } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { BasePicker } from './base-picker.tsx'

export type PullTab = 'conversation' | 'commits' | 'checks' | 'files'

type Props = {
  readonly params: Readonly<Record<string, string>>
  readonly tab: PullTab
  readonly loaded: Loaded<Pull>
  reload(): void
  children(pull: Pull, repository: Repository): ComponentChildren
}

/** The interface tells whether it was merged in another place than of an issue. */
export const asIssue = (pull: Pull) => ({ ...pull, pull_request: { merged_at: pull.merged_at } })

export function PullPage({ params, tab, loaded, reload, children }: Props) {
  return (
    <RepositoryPage params={params} tab="pulls">
      {(repository) =>
        loaded.value === undefined && isMissing(loaded.error) ? (
          <NotFound title="There is no such pull request">Its number may belong to an issue.</NotFound>
        ) : (
          <Ready of={loaded}>
            {(pull) => (
              <>
                <PullHead pull={pull} repository={repository} tab={tab} reload={reload} />
                {children(pull, repository)}
              </>
            )}
          </Ready>
        )
      }
    </RepositoryPage>
  )
}

type HeadProps = { readonly pull: Pull; readonly repository: Repository; readonly tab: PullTab; reload(): void }

function PullHead({ pull, repository, tab, reload }: HeadProps) {
  const { account } = useSession()
  useReadThread(repository, pull)
  const { mayWrite } = rightsOn(repository)
  const isAuthor = account !== undefined && pull.user?.login === account.AccountName
  const own = `/${repository.full_name}/pull/${pull.number}`
  const place = { owner: repository.owner.login, repo: repository.name, number: pull.number }
  const actor = (pull.merged ? pull.merged_by : pull.user)?.login ?? 'ghost'
  return (
    <>
      <IssueHead
        issue={asIssue(pull)}
        path={threadPath(place)}
        place={repository.full_name}
        mayEdit={mayWrite || isAuthor}
        reload={reload}
      >
        <span class="soft small pull-ends">
          <a href={`/${actor}`}>{actor}</a> {pull.merged ? 'merged' : 'wants to merge'} {formatCount(pull.commits)}{' '}
          {pull.commits === 1 ? 'commit' : 'commits'} into <End end={pull.base} own={repository} /> from{' '}
          <End end={pull.head} own={repository} /> <Copy text={pull.head.ref} what="the branch’s name" />
        </span>
        {pull.state === 'open' && (mayWrite || isAuthor) && (
          <BasePicker pull={pull} repository={repository} reload={reload} />
        )}
      </IssueHead>
      <Tabs
        label="Pull request"
        tabs={[
          [own, 'Conversation', tab === 'conversation', pull.comments + pull.review_comments],
          [`${own}/commits`, 'Commits', tab === 'commits', pull.commits],
          [`${own}/checks`, 'Checks', tab === 'checks'],
          [`${own}/files`, 'Files changed', tab === 'files', pull.changed_files],
        ]}
      />
    </>
  )
}

function End({ end, own }: { end: Pull['head']; own: Repository }) {
  const isOwn = end.repo?.id === own.id
  const name = isOwn ? end.ref : end.label
  const path = end.repo && `/${end.repo.full_name}/tree/${end.ref.split('/').map(encodeURIComponent).join('/')}`
  return path ? (
    <a class="branch-name" href={path}>
      <bdi>{name}</bdi>
    </a>
  ) : (
    <span class="branch-name">
      <bdi>{name}</bdi>
    </span>
  )
}
