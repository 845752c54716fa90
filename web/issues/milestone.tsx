/** A milestone: what it is for, how far it is, and its issues and pulls. */
import { useState } from 'preact/hooks'
import { isMissing } from '../api/fault.ts'
import { read, repositoryPath, request, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Milestone } from '../api/issue-types.ts'
import { watchRepository } from '../api/live.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { go, usePlace } from '../app/location.ts'
import type { ViewProps } from '../app/view.ts'
import { ask } from '../parts/ask.tsx'
import { useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { Rendered } from '../parts/rendered.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { IssueRows } from './issue-rows.tsx'
import { rightsOn } from './issue-side.tsx'
import { MilestoneForm } from './milestone-form.tsx'
import { Due, Progress } from './milestone-parts.tsx'
import { findIssues, withQualifier } from './search.ts'
import { useLive } from './use-live.ts'

const size = 25

export function MilestoneView({ params }: ViewProps) {
  const { owner = '', repo = '', number = '' } = params
  const path = repositoryPath(owner, repo, 'milestones', number)
  const loaded = useLoad(`milestone ${path}`, () => read<Milestone>(path))
  return (
    <RepositoryPage params={params} tab="issues">
      {(repository) =>
        loaded.value === undefined && isMissing(loaded.error) ? (
          <NotFound title="There is no such milestone">It may have been deleted.</NotFound>
        ) : (
          <Ready of={loaded}>
            {(milestone) => <Shown repository={repository} milestone={milestone} loaded={loaded} path={path} />}
          </Ready>
        )
      }
    </RepositoryPage>
  )
}

type ShownProps = {
  readonly repository: Repository
  readonly milestone: Milestone
  readonly loaded: Loaded<Milestone>
  readonly path: string
}

function Shown({ repository, milestone, loaded, path }: ShownProps) {
  const { mayWrite } = rightsOn(repository)
  const [isEditing, setEditing] = useState(false)
  const act = useAct()
  const own = `/${repository.full_name}`
  const toggle = () =>
    act.run(async () => {
      await send('PATCH', path, { state: milestone.state === 'open' ? 'closed' : 'open' })
      loaded.reload()
    })
  const remove = async () => {
    const text = 'Its issues and pull requests stay, without a milestone.'
    if (!(await ask({ title: 'Delete this milestone?', text, action: 'Delete' }))) return
    await act.run(async () => {
      await send('DELETE', path)
      go(`${own}/milestones`)
    })
  }
  return (
    <>
      <Heading title={milestone.title} note={<Due milestone={milestone} />}>
        {mayWrite && (
          <>
            <button type="button" class="button" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
              Edit
            </button>
            <button type="button" class="button" disabled={act.isBusy} onClick={() => void toggle()}>
              {milestone.state === 'open' ? 'Close milestone' : 'Reopen milestone'}
            </button>
            <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void remove()}>
              Delete
            </button>
          </>
        )}
      </Heading>
      <FailedAct act={act} />
      {isEditing && (
        <div class="card below-head">
          <MilestoneForm
            repository={repository.full_name}
            milestone={milestone}
            close={(isChanged) => {
              setEditing(false)
              if (isChanged) loaded.reload()
            }}
          />
        </div>
      )}
      <Progress milestone={milestone} />
      {milestone.description && (
        <Description text={milestone.description} repository={repository.full_name} key={milestone.updated_at} />
      )}
      <Issues repository={repository} milestone={milestone} reload={loaded.reload} />
    </>
  )
}

function Description({ text, repository }: { text: string; repository: string }) {
  const loaded = useLoad(`description ${repository} ${text}`, async () => {
    const body = { text, mode: 'gfm', context: repository }
    return (await request('/markdown', { method: 'POST', body, accept: 'text/html' })).text()
  })
  return <Ready of={loaded}>{(html) => <Rendered html={html} />}</Ready>
}

type IssuesProps = { readonly repository: Repository; readonly milestone: Milestone; reload(): void }

function Issues({ repository, milestone, reload }: IssuesProps) {
  const { query, path } = usePlace()
  const { page } = usePage(size)
  const state = query.get('closed') === null ? 'open' : 'closed'
  const text = withQualifier(`is:${state}`, 'milestone', milestone.title)
  const found = useLoad(`found ${repository.full_name} ${text} ${page}`, () =>
    findIssues(repository.full_name, text, page, size),
  )
  const readAgain = () => {
    found.reload()
    reload()
  }
  useLive((listener) => watchRepository(repository.id, listener), readAgain, 5_000)
  return (
    <>
      <Tabs
        label="State of its issues"
        tabs={[
          [path, 'Open', state === 'open'],
          [`${path}?closed=1`, 'Closed', state === 'closed'],
        ]}
      />
      <Ready of={found}>
        {({ items, total }) => (
          <>
            <div class="card flush">
              {items.length === 0 ? (
                <Empty title={`No ${state} issues or pull requests.`} />
              ) : (
                <IssueRows list={items} />
              )}
            </div>
            <Pager total={Math.min(total, 1_000)} size={size} what="issues" />
          </>
        )}
      </Ready>
    </>
  )
}
