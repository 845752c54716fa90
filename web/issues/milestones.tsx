/** The milestones of a repository, and how far each is. */
import { useState } from 'preact/hooks'
import { readList, repositoryPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Milestone } from '../api/issue-types.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import type { ViewProps } from '../app/view.ts'
import { Heading } from '../parts/heading.tsx'
import { pageSize, StepPager, usePage } from '../parts/pager.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { rightsOn } from './issue-side.tsx'
import { MilestoneForm } from './milestone-form.tsx'
import { Due, Progress } from './milestone-parts.tsx'

export const MilestonesView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="issues">
    {(repository) => <Milestones repository={repository} />}
  </RepositoryPage>
)

function Milestones({ repository }: { repository: Repository }) {
  const state = usePlace().query.get('state') === 'closed' ? 'closed' : 'open'
  const { page } = usePage()
  const own = `/${repository.full_name}`
  const path = repositoryPath(repository.owner.login, repository.name, 'milestones')
  const loaded = useLoad(`milestones ${own} ${state} ${page}`, () =>
    readList<Milestone>(path, { state, per_page: pageSize, page }),
  )
  const [isMaking, setMaking] = useState(false)
  const { mayWrite } = rightsOn(repository)
  return (
    <>
      <Heading title="Milestones">
        <a class="button" href={`${own}/issues`}>
          Issues
        </a>
        <a class="button" href={`${own}/labels`}>
          Labels
        </a>
        {mayWrite && (
          <button type="button" class="button main" aria-expanded={isMaking} onClick={() => setMaking(!isMaking)}>
            New milestone
          </button>
        )}
      </Heading>
      {isMaking && (
        <div class="card below-head">
          <MilestoneForm
            repository={repository.full_name}
            close={(isChanged) => {
              setMaking(false)
              if (isChanged) loaded.reload()
            }}
          />
        </div>
      )}
      <Tabs
        label="State"
        tabs={[
          [`${own}/milestones`, 'Open', state === 'open'],
          [`${own}/milestones?state=closed`, 'Closed', state === 'closed'],
        ]}
      />
      <Ready of={loaded}>
        {({ items, hasMore }) => (
          <>
            <div class="card flush">
              {items.length === 0 ? (
                <Empty title={`No ${state} milestones.`} />
              ) : (
                <ul class="plain-list">
                  {items.map((milestone) => (
                    <li key={milestone.number} class="list-row milestone-row">
                      <div>
                        <h2>
                          <a href={`${own}/milestone/${milestone.number}`}>{milestone.title}</a>
                        </h2>
                        <p class="small soft">
                          <Due milestone={milestone} />
                        </p>
                      </div>
                      <Progress milestone={milestone} />
                    </li>
                  ))}
                </ul>
              )}
            </div>
            <StepPager count={items.length} hasMore={hasMore} size={pageSize} what="milestones" />
          </>
        )}
      </Ready>
    </>
  )
}
