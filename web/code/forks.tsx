/** The forks of a repository, and the form for one of one's own: where to, and under which name. */
import { useState } from 'preact/hooks'
import { readList, repositoryPath, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useTitle } from '../app/page.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { pageSize, StepPager, usePage } from '../parts/pager.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { RepositoryList } from './repository-list.tsx'

export const ForksView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="code">
    {(repository) => <Forks repository={repository} />}
  </RepositoryPage>
)

function Forks({ repository }: { repository: Repository }) {
  const [owner, repo] = [repository.owner.login, repository.name]
  useTitle(`Forks · ${repository.full_name}`)
  const { account } = useSession()
  const { page } = usePage()
  const forks = useLoad(`forks of ${owner}/${repo} ${page}`, () =>
    readList<Repository>(repositoryPath(owner, repo, 'forks'), { per_page: pageSize, page }),
  )
  return (
    <>
      <div class="heading">
        <h1>Forks</h1>
      </div>
      <div class="side">
        <Ready of={forks}>
          {({ items, hasMore }) => (
            <div>
              {items.length === 0 && page === 1 ? (
                <div class="card">
                  <Empty title="No forks that you can see." />
                </div>
              ) : (
                <RepositoryList list={items} />
              )}
              <StepPager count={items.length} hasMore={hasMore} size={pageSize} what="forks" />
            </div>
          )}
        </Ready>
        {account && repository.allow_forking !== false && <NewFork repository={repository} own={account.AccountName} />}
      </div>
    </>
  )
}

function NewFork({ repository, own }: { repository: Repository; own: string }) {
  const [owner, repo] = [repository.owner.login, repository.name]
  const organisations = useLoad('own organisations', () => readList<{ login: string }>('/user/orgs', { per_page: 100 }))
  const places = [own, ...(organisations.value?.items.map(({ login }) => login) ?? [])].filter((one) => one !== owner)
  const [target, setTarget] = useState<string>()
  const [name, setName] = useState(repo)
  const [isBranchOnly, setBranchOnly] = useState(false)
  const act = useAct()
  const chosen = target ?? places[0]
  const submit = async () => {
    const fork = await send<Repository>('POST', repositoryPath(owner, repo, 'forks'), {
      ...(chosen !== own && { organization: chosen }),
      ...(name.trim() !== repo && { name: name.trim() }),
      default_branch_only: isBranchOnly,
    })
    go(`/${fork.full_name}`)
  }
  if (chosen === undefined)
    return (
      <section class="card">
        <h2>Fork this repository</h2>
        <p>You already own this repository. To fork it, you need to be a member of an organisation.</p>
      </section>
    )
  return (
    <section class="card" aria-labelledby="fork">
      <h2 id="fork">Fork this repository</h2>
      <p>A fork is your own copy: change it freely, and propose changes with a pull request.</p>
      <Form act={act} submit={submit}>
        <Field label="Owner">
          <select value={chosen} onChange={(event) => setTarget(event.currentTarget.value)}>
            {places.map((login) => (
              <option key={login} value={login}>
                {login}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Name">
          <input value={name} required maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <label class="check">
          <input type="checkbox" checked={isBranchOnly} onChange={() => setBranchOnly(!isBranchOnly)} />
          <span>
            Copy only the branch <bdi>{repository.default_branch}</bdi>
          </span>
        </label>
        <Submit act={act} busy="Forking …">
          Create fork
        </Submit>
      </Form>
    </section>
  )
}
