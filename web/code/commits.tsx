/** The commits that led to a branch, a tag or a commit, of a path if one is named: day by day, or as a graph. */
import { readList, repositoryPath } from '../api/forge.ts'
import type { Commit, Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { Copy } from '../parts/copy.tsx'
import { makeDateFormat } from '../parts/dates.ts'
import { StepPager, usePage } from '../parts/pager.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { CodeHead } from './code-head.tsx'
import { CommitGraph } from './commit-graph.tsx'
import { CommitAuthor, SignatureBadge, splitMessage } from './commit-parts.tsx'
import { type CommitState, StateBadge, useCommitStates } from './commit-status.tsx'
import { codePath, shortSha } from './paths.ts'
import { type CodePlace, toRef } from './place.ts'
import { OrMissing, Placed } from './placed.tsx'
import { RenamedFrom } from './renamed-from.tsx'

const size = 50

/** Without a ref they are those of the default branch. */
export const CommitsView = ({ params }: ViewProps) =>
  params['*'] === undefined ? (
    <RepositoryPage params={params} tab="code">
      {(repository) => (
        <Commits repository={repository} place={{ ref: repository.default_branch, kind: 'branch', path: '' }} />
      )}
    </RepositoryPage>
  ) : (
    <Placed params={params}>{(repository, place) => <Commits repository={repository} place={place} />}</Placed>
  )

function Commits({ repository, place }: { repository: Repository; place: CodePlace }) {
  const { path, ref } = place
  const [owner, repo] = [repository.owner.login, repository.name]
  const { query } = usePlace()
  const { page } = usePage(size)
  const isGraph = query.get('view') === 'graph' && path === ''
  useTitle(`Commits of ${path || repository.full_name} at ${ref}`)
  const asked = { sha: toRef(place), path, author: query.get('author') ?? '', per_page: size, page }
  const commits = useLoad(`commits ${owner}/${repo} ${JSON.stringify(asked)}`, () =>
    readList<Commit>(repositoryPath(owner, repo, 'commits'), asked),
  )
  const own = codePath(repository, 'commits', ref, path)
  return (
    <>
      <h1 class="hidden-text">Commits{path && ` of ${path}`}</h1>
      <CodeHead repository={repository} place={place} page="commits" isFile />
      {path === '' && (
        <Tabs
          label="View"
          tabs={[
            [own, 'List', !isGraph],
            [`${own}?view=graph`, 'Graph', isGraph],
          ]}
        />
      )}
      <OrMissing of={commits} owner={owner} repo={repo}>
        {({ items, hasMore }) =>
          items.length === 0 ? (
            <div class="card">
              <Empty title="No commits." />
            </div>
          ) : (
            <>
              {isGraph ? (
                <CommitGraph repository={repository} commits={items} />
              ) : (
                <CommitList repository={repository} commits={items} place={place} />
              )}
              {path !== '' && !hasMore && <RenamedFrom repository={repository} path={path} first={items.at(-1)!} />}
              <StepPager count={items.length} hasMore={hasMore} size={size} what="commits" />
            </>
          )
        }
      </OrMissing>
    </>
  )
}

const day = makeDateFormat({ dateStyle: 'long' })

type ListProps = {
  readonly repository: Repository
  readonly commits: readonly Commit[]
  readonly place?: CodePlace
}

/** Each day has its own list. */
export function CommitList({ repository, commits, place }: ListProps) {
  const states = useCommitStates(repository, commits)
  const days: { name: string; commits: Commit[] }[] = []
  for (const commit of commits) {
    const name = day.format(Date.parse(commit.commit.committer.date))
    if (days.at(-1)?.name !== name) days.push({ name, commits: [] })
    days.at(-1)!.commits.push(commit)
  }
  return (
    <>
      {days.map(({ name, commits: list }, at) => (
        <section key={`${at} ${name}`} class="commit-day">
          <h2>{name}</h2>
          <ul class="plain-list card flush">
            {list.map((commit) => (
              <CommitRow
                key={commit.sha}
                repository={repository}
                commit={commit}
                place={place}
                state={states.get(commit.sha)}
              />
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

type RowProps = {
  readonly repository: Repository
  readonly commit: Commit
  readonly place: CodePlace | undefined
  readonly state: CommitState | undefined
}

function CommitRow({ repository, commit, place, state }: RowProps) {
  const [title, text] = splitMessage(commit.commit.message)
  const { sha } = commit
  return (
    <li class="list-row commit-row">
      <div class="commit-said">
        <a class="strong" href={codePath(repository, 'commit', sha)}>
          <bdi>{title || 'No message'}</bdi>
        </a>
        {text && (
          <details>
            <summary class="small soft">Show the full message</summary>
            <pre class="commit-text">{text}</pre>
          </details>
        )}
        <p class="small soft">
          <CommitAuthor commit={commit} />
        </p>
      </div>
      <span class="row tight-row commit-acts">
        <SignatureBadge commit={commit} />
        {state && <StateBadge of={state} commitPath={codePath(repository, 'commit', sha)} />}
        <code>{shortSha(sha)}</code>
        <Copy text={sha} what={`the hash of commit ${shortSha(sha)}`} />
        <a
          class="button tight quiet"
          href={codePath(repository, place?.path ? 'blob' : 'tree', sha, place?.path ?? '')}
          aria-label={`Files at ${shortSha(sha)}`}
        >
          Files
        </a>
      </span>
    </li>
  )
}
