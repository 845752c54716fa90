/** A commit: what it says, who made it, and what it changed. */
import { Fault, isMissing } from '../api/fault.ts'
import { repositoryPath, request } from '../api/forge.ts'
import type { ChangedFile, Commit, Repository } from '../api/forge-types.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { Copy } from '../parts/copy.tsx'
import { Changes } from '../parts/diff/changes.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Ready } from '../parts/state.tsx'
import { CommitAuthor, SignatureBadge, splitMessage } from './commit-parts.tsx'
import { CommitChecks } from './commit-status.tsx'
import { useMoreFiles } from './more-files.ts'
import { codePath, shortSha } from './paths.ts'

type Found = { readonly commit: Commit; readonly hasMore: boolean }

async function readCommit(owner: string, repo: string, sha: string, page: number): Promise<Found> {
  const response = await request(repositoryPath(owner, repo, 'commits', sha), { query: { page } })
  const commit = (await response.json()) as Commit
  return { commit, hasMore: (commit.files?.length ?? 0) >= 300 }
}

/** An abbreviated hash that matches no commit has its own error. */
const isNoCommit = (error: unknown): boolean => error instanceof Fault && error.code === 422

export function CommitView({ params }: ViewProps) {
  const { owner = '', repo = '', sha = '' } = params
  const loaded = useLoad(`commit ${owner}/${repo} ${sha}`, () => readCommit(owner, repo, sha, 1))
  if (loaded.value === undefined && (isMissing(loaded.error) || isNoCommit(loaded.error)))
    return <NotFound title="There is no such commit here">It may have been removed by a force push.</NotFound>
  return (
    <RepositoryPage params={params} tab="code">
      {(repository) => <CommitPage repository={repository} loaded={loaded} />}
    </RepositoryPage>
  )
}

const CommitPage = ({ repository, loaded }: { repository: Repository; loaded: Loaded<Found> }) => (
  <Ready of={loaded}>{(found) => <Shown repository={repository} found={found} />}</Ready>
)

function Shown({ repository, found: { commit, hasMore } }: { repository: Repository; found: Found }) {
  const [title, text] = splitMessage(commit.commit.message)
  useTitle(`${title.slice(0, 80)} · ${repository.full_name}`)
  const { sha, parents } = commit
  const more = useMoreFiles(commit.files ?? [], hasMore, async (page) => {
    const next = await readCommit(repository.owner.login, repository.name, sha, page)
    return { files: next.commit.files ?? [], hasMore: next.hasMore }
  })
  const linkOf = (file: ChangedFile) =>
    file.status === 'removed'
      ? codePath(repository, 'blob', parents[0]?.sha ?? sha, file.filename)
      : codePath(repository, 'blob', sha, file.filename)
  return (
    <>
      <article class="card commit-card">
        <div class="heading">
          <h1 class="commit-title">{title || 'No message'}</h1>
          <a class="button" href={codePath(repository, 'tree', sha)}>
            Browse files
          </a>
        </div>
        {text && <pre class="commit-text">{text}</pre>}
        <p class="small soft row">
          <CommitAuthor commit={commit} />
          <SignatureBadge commit={commit} />
          <span>
            {parents.length === 0 ? 'no parent' : parents.length === 1 ? 'parent ' : 'parents '}
            {parents.map((parent, at) => (
              <>
                {at > 0 && ', '}
                <a href={codePath(repository, 'commit', parent.sha)}>
                  <code>{shortSha(parent.sha)}</code>
                </a>
              </>
            ))}
          </span>
          <span class="row tight-row">
            commit <code class="sha">{sha}</code> <Copy text={sha} what="the commit hash" />
          </span>
        </p>
      </article>
      <CommitChecks repository={repository} sha={sha} />
      <Changes {...more} linkOf={linkOf} />
    </>
  )
}
