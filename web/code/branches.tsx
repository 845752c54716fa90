/** The branches of a repository: found by name, compared, and deleted by those who may write. */
import { readList, repositoryPath, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { ask } from '../parts/ask.tsx'
import { Copy } from '../parts/copy.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../parts/form.tsx'
import { StepPager, usePage } from '../parts/pager.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { actsHead, Table } from '../parts/table.tsx'
import { codePath, shortSha } from './paths.ts'

type Branch = { readonly name: string; readonly commit: { readonly sha: string }; readonly protected: boolean }

const size = 50

export const BranchesView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="code">
    {(repository) => <Branches repository={repository} />}
  </RepositoryPage>
)

function Branches({ repository }: { repository: Repository }) {
  const { default_branch: usual, permissions, archived } = repository
  const [owner, repo] = [repository.owner.login, repository.name]
  useTitle(`Branches · ${repository.full_name}`)
  const { page } = usePage(size)
  const branches = useLoad(`branches ${owner}/${repo} ${page}`, () =>
    readList<Branch>(repositoryPath(owner, repo, 'branches'), { per_page: size, page }),
  )
  const act = useAct()
  const mayWrite = permissions?.push === true && !archived
  const remove = async (name: string) => {
    const text = `Commits that are only on ${name} will be lost.`
    if (!(await ask({ title: `Delete the branch ${name}?`, text, action: 'Delete branch' }))) return
    await act.run(async () => {
      await send('DELETE', repositoryPath(owner, repo, 'git', 'refs', `heads/${name}`))
      branches.reload()
    })
  }
  return (
    <>
      <div class="heading">
        <h1>Branches</h1>
      </div>
      <FailedAct act={act} />
      <Ready of={branches}>
        {({ items, hasMore }) => (
          <>
            <div class="card flush scroll">
              {items.length === 0 ? (
                <Empty title="No branches yet." />
              ) : (
                <Table
                  rows={items}
                  keyOf={({ name }) => name}
                  class="table fold"
                  columns={[
                    {
                      head: 'Branch',
                      cell: ({ name, protected: isProtected }) => (
                        <span class="row tight-row">
                          <a class="strong" href={codePath(repository, 'tree', name)}>
                            <bdi>{name}</bdi>
                          </a>
                          {name === usual && <span class="badge good">Default</span>}
                          {isProtected && <span class="badge">Protected</span>}
                          <Copy text={name} what={`the name ${name}`} />
                        </span>
                      ),
                    },
                    {
                      head: 'Newest commit',
                      cell: ({ commit }) => (
                        <a href={codePath(repository, 'commit', commit.sha)}>
                          <code>{shortSha(commit.sha)}</code>
                        </a>
                      ),
                    },
                    {
                      head: actsHead,
                      look: 'acts',
                      cell: ({ name }) =>
                        name !== usual && (
                          <span class="row tight-row branch-acts">
                            <a
                              class="button quiet tight"
                              href={codePath(repository, 'compare', `${usual}...${name}`)}
                              aria-label={`Compare ${name} with ${usual}`}
                            >
                              Compare
                            </a>
                            {mayWrite && (
                              <ActButton act={act} what={`Delete ${name}`} run={() => remove(name)}>
                                Delete
                              </ActButton>
                            )}
                          </span>
                        ),
                    },
                  ]}
                />
              )}
            </div>
            <StepPager count={items.length} hasMore={hasMore} size={size} what="branches" />
            {mayWrite && items.length > 0 && <NewBranch repository={repository} onMade={branches.reload} />}
          </>
        )}
      </Ready>
    </>
  )
}

function NewBranch({ repository, onMade }: { repository: Repository; onMade(): void }) {
  const act = useAct()
  const [owner, repo] = [repository.owner.login, repository.name]
  const create = async () => {
    const form = document.getElementById('new-branch') as HTMLFormElement
    const data = new FormData(form)
    const from = await readSha(owner, repo, String(data.get('from')))
    const ref = `refs/heads/${String(data.get('name')).trim()}`
    await send('POST', repositoryPath(owner, repo, 'git', 'refs'), { ref, sha: from })
    form.reset()
    onMade()
  }
  return (
    <section class="card below text-width">
      <h2>New branch</h2>
      <Form act={act} submit={create} id="new-branch">
        <Field label="Name">
          <input name="name" required maxLength={200} />
        </Field>
        <Field label="From" hint="A branch, a tag or a commit.">
          <input name="from" required defaultValue={repository.default_branch} />
        </Field>
        <Submit act={act}>Create branch</Submit>
      </Form>
    </section>
  )
}

async function readSha(owner: string, repo: string, name: string): Promise<string> {
  const { items } = await readList<{ sha: string }>(repositoryPath(owner, repo, 'commits'), { sha: name, per_page: 1 })
  return items[0]!.sha
}
