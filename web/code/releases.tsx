/** Releases, newest first, or the one of a tag: what is new, and files to download. */
import { plural } from '../../src/lib/text/plural.ts'
import { isMissing } from '../api/fault.ts'
import { repositoryPath, request, send, toPath } from '../api/forge.ts'
import type { Repository, User } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { ask } from '../parts/ask.tsx'
import { PersonLink } from '../parts/avatar.tsx'
import { formatBytes } from '../parts/figures.ts'
import { ActButton, useAct } from '../parts/form.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { StepPager, usePage } from '../parts/pager.tsx'
import { Rendered } from '../parts/rendered.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { codePath } from './paths.ts'

export type Release = {
  readonly id: number
  readonly tag_name: string
  readonly target_commitish: string
  readonly name: string | null
  readonly body: string | null
  readonly body_html?: string
  readonly draft: boolean
  readonly prerelease: boolean
  readonly author: User
  readonly created_at: string
  readonly published_at: string | null
  readonly assets: readonly {
    readonly id: number
    readonly name: string
    readonly size: number
    readonly download_count: number
    readonly browser_download_url: string
  }[]
}

const size = 10
const withHtml = 'application/vnd.github.full+json'

async function readReleases(owner: string, repo: string, page: number) {
  const path = repositoryPath(owner, repo, 'releases')
  const response = await request(path, { query: { per_page: size, page }, accept: withHtml })
  const hasMore = (response.headers.get('link') ?? '').includes('rel="next"')
  return { items: (await response.json()) as readonly Release[], hasMore }
}

export const ReleasesView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="releases">
    {(repository) => <Releases repository={repository} />}
  </RepositoryPage>
)

function Releases({ repository }: { repository: Repository }) {
  const [owner, repo] = [repository.owner.login, repository.name]
  useTitle(`Releases · ${repository.full_name}`)
  const { page } = usePage(size)
  const releases = useLoad(`releases ${owner}/${repo} ${page}`, () => readReleases(owner, repo, page))
  const mayWrite = repository.permissions?.push === true && !repository.archived
  return (
    <>
      <div class="heading">
        <h1>Releases</h1>
        <span class="row">
          <a class="button" href={codePath(repository, 'tags')}>
            Tags
          </a>
          {mayWrite && (
            <a class="button main" href={codePath(repository, 'releases', 'new')}>
              New release
            </a>
          )}
        </span>
      </div>
      <Ready of={releases}>
        {({ items, hasMore }) =>
          items.length === 0 && page === 1 ? (
            <div class="card">
              <Empty title="No releases yet.">
                {mayWrite && <a href={codePath(repository, 'releases', 'new')}>Publish the first one</a>}
              </Empty>
            </div>
          ) : (
            <>
              {items.map((release) => (
                <ReleaseCard key={release.id} repository={repository} release={release} onRemoved={releases.reload} />
              ))}
              <StepPager count={items.length} hasMore={hasMore} size={size} what="releases" />
            </>
          )
        }
      </Ready>
    </>
  )
}

export const ReleaseView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="releases">
    {(repository) => <OneRelease repository={repository} tag={params['*'] ?? ''} />}
  </RepositoryPage>
)

function OneRelease({ repository, tag }: { repository: Repository; tag: string }) {
  const path = repositoryPath(repository.owner.login, repository.name, 'releases', 'tags', tag)
  useTitle(`${tag} · ${repository.full_name}`)
  const release = useLoad(
    `release ${path}`,
    async () => (await request(path, { accept: withHtml })).json() as Promise<Release>,
  )
  if (release.value === undefined && isMissing(release.error))
    return (
      <NotFound title={`There is no release of the tag ${tag}`}>
        <a href={codePath(repository, 'releases')}>All releases</a>
      </NotFound>
    )
  return (
    <Ready of={release}>
      {(found) => (
        <ReleaseCard
          repository={repository}
          release={found}
          isAlone
          onRemoved={() => void go(codePath(repository, 'releases'))}
        />
      )}
    </Ready>
  )
}

type CardProps = {
  readonly repository: Repository
  readonly release: Release
  readonly isAlone?: boolean
  onRemoved(): void
}

function ReleaseCard({ repository, release, isAlone = false, onRemoved }: CardProps) {
  const { tag_name: tag, name, author, published_at: publishedAt, created_at: createdAt } = release
  const [owner, repo] = [repository.owner.login, repository.name]
  const Title = isAlone ? 'h1' : 'h2'
  const act = useAct()
  const title = name || tag
  const remove = async () => {
    const text = 'Its files are deleted too. The tag stays.'
    if (!(await ask({ title: `Delete the release ${title}?`, text, action: 'Delete release' }))) return
    await act.run(async () => {
      await send('DELETE', repositoryPath(owner, repo, 'releases', release.id))
      onRemoved()
    })
  }
  const archive = (kind: string) => toPath('repos', owner, repo, kind, 'refs', 'tags', tag)
  return (
    <article class="card release">
      <div class="row spread">
        <span class="row">
          <Title class="plain-heading">
            {release.draft ? title : <a href={codePath(repository, 'releases', 'tag', tag)}>{title}</a>}
          </Title>
          {release.draft && <span class="badge wait">Draft</span>}
          {release.prerelease && <span class="badge wait">Pre-release</span>}
        </span>
        {repository.permissions?.push && !repository.archived && (
          <span class="row tight-row no-print">
            <a
              class="button quiet tight"
              href={codePath(repository, 'releases', 'edit', String(release.id))}
              aria-label={`Edit ${title}`}
            >
              Edit
            </a>
            <ActButton act={act} what={`Delete ${title}`} run={remove}>
              Delete
            </ActButton>
          </span>
        )}
      </div>
      <p class="small soft row tight-row">
        <PersonLink user={author} />
        <When at={Date.parse(publishedAt ?? createdAt)} />
        {!release.draft && (
          <a href={codePath(repository, 'tree', tag)}>
            <bdi>{tag}</bdi>
          </a>
        )}
      </p>
      <FailedAct act={act} />
      {release.body_html && <Rendered html={release.body_html} />}
      <h3>Files</h3>
      <ul class="plain-list assets">
        {release.assets.map((asset) => (
          <li key={asset.id} class="row">
            <a href={new URL(asset.browser_download_url).pathname} download>
              <bdi>{asset.name}</bdi>
            </a>
            <span class="small soft">
              {formatBytes(asset.size)} · {plural(asset.download_count, 'download')}
            </span>
          </li>
        ))}
        {!release.draft && (
          <li class="row">
            <a href={archive('zipball')} download>
              Source as zip
            </a>
            <a href={archive('tarball')} download>
              Source as tar.gz
            </a>
          </li>
        )}
      </ul>
    </article>
  )
}
