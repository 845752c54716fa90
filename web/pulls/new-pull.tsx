/** Opening a pull: which branch is to be merged into which, then its words. */
import { readList, repositoryPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { UnlessArchived } from '../parts/archived.tsx'
import { Heading } from '../parts/heading.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { SelectChoice } from '../parts/select-choice.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { OpenPullForm } from './open-pull-form.tsx'

export function NewPullView({ params }: ViewProps) {
  const isSignedIn = useSignedIn()
  if (!isSignedIn) return null
  return (
    <RepositoryPage params={params} tab="pulls">
      {(repository) => (
        <UnlessArchived repository={repository} title="New pull request">
          <NewPull repository={repository} />
        </UnlessArchived>
      )}
    </RepositoryPage>
  )
}

function NewPull({ repository }: { repository: Repository }) {
  const { query } = usePlace()
  const { owner, name } = repository
  const branches = useLoad(`branches ${repository.full_name}`, async () => {
    const { items } = await readList<{ readonly name: string }>(repositoryPath(owner.login, name, 'branches'), {
      per_page: 100,
    })
    return items.map((branch) => branch.name)
  })
  const base = query.get('base') ?? repository.default_branch
  const head = query.get('head') ?? ''
  const compare = `/${repository.full_name}/compare/${[base, head].map(encodeURIComponent).join('...')}`
  return (
    <>
      <Heading title="New pull request" note="Choose the branch with your changes and the branch to merge them into." />
      <Ready of={branches}>
        {(names) => {
          const options = [...new Set([...names, base, ...(head ? [head] : [])])].map((each) => [each, each] as const)
          return (
            <div class="row filters">
              <SelectChoice label="Into" value={base} options={options} choose={(value) => setQuery({ base: value })} />
              <SelectChoice
                label="From"
                value={head}
                options={[['', 'Choose a branch'] as const, ...options.filter(([each]) => each !== base)]}
                choose={(value) => setQuery({ head: value })}
              />
              {head && <a href={compare}>View the changes</a>}
            </div>
          )
        }}
      </Ready>
      {head ? (
        <OpenPullForm
          repository={repository}
          base={base}
          head={head}
          title={query.get('title') ?? undefined}
          body={query.get('body') ?? undefined}
        />
      ) : (
        <div class="card">
          <Empty title="Choose the branch with your changes." />
        </div>
      )}
    </>
  )
}
