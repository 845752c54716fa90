/** The branches of a repository: found by name, compared, and deleted by those who may write. */
import { readList, repositoryPath, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { StandingIcon } from '../issues/icons.tsx'
import { ask } from '../parts/ask.tsx'
import { Copy } from '../parts/copy.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../parts/form.tsx'
import { StepPager, usePage } from '../parts/pager.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { actsHead, Table } from '../parts/table.tsx'
import { When } from '../parts/when.tsx'
import { type BranchNews, readBranchNews } from './branch-news.ts'
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
  const { account } = useSession()
  const news = useLoad(`branch news ${owner}/${repo} ${page} ${account?.ID}`, async () =>
    account ? readBranchNews(repository, page, size) : undefined,
  )
  const act = useAct()
  const mayWrite = permissions?.push === true && !archived && repository.mirror_url === null
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
                      cell: ({ name, commit }) => (
                        <NewestCommit repository={repository} sha={commit.sha} news={news.value?.get(name)} />
                      ),
                    },
                    ...(account
                      ? [
                          {
                            head: 'Pull request',
                            cell: ({ name }: Branch) => (
                              <PullOf repository={repository} pull={news.value?.get(name)?.pull} />
                            ),
                          },
                        ]
                      : []),
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

type NewestProps = { readonly repository: Repository; readonly sha: string; readonly news: BranchNews | undefined }

function NewestCommit({ repository, sha, news }: NewestProps) {
  return (
    <>
      <a href={codePath(repository, 'commit', sha)} {...(news && { title: news.title })}>
        <code>{shortSha(sha)}</code>
      </a>
      {news && (
        <span class="small soft">
          {' '}
          by {news.login ? <a href={`/${news.login}`}>{news.login}</a> : <bdi>{news.author}</bdi>} <When at={news.at} />
        </span>
      )}
    </>
  )
}

function PullOf({ repository, pull }: { repository: Repository; pull: BranchNews['pull'] }) {
  if (!pull) return null
  const { number, state, isDraft } = pull
  return (
    <span class="row tight-row">
      <StandingIcon
        of={{
          state: state === 'OPEN' ? 'open' : 'closed',
          draft: isDraft,
          pull_request: { merged_at: state === 'MERGED' ? 'merged' : null },
        }}
      />
      <a href={codePath(repository, 'pull', String(number))}>#{number}</a>
    </span>
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
