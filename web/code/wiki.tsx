/** A page of a wiki with its sidebar, its revisions, and the list of all pages; written here or with git. */
import { isMissing } from '../api/fault.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { rightsOn } from '../issues/issue-side.tsx'
import { Rendered } from '../parts/rendered.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { Person } from './commit-parts.tsx'
import { codePath, shortSha } from './paths.ts'
import { isSpecial, openWiki, readHistory, type Wiki, type WikiText } from './wiki/wiki-data.ts'
import { DeleteWikiPage, WikiEdit } from './wiki/wiki-edit.tsx'
import { WikiClone, WikiPages } from './wiki/wiki-pages.tsx'

export const WikiView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="wiki">
    {(repository) =>
      repository.has_wiki ? (
        <WikiOf key={params['*']} repository={repository} name={params['*'] ?? ''} />
      ) : (
        <div class="card">
          <h1 class="hidden-text">Wiki</h1>
          <Empty title="This repository has no wiki.">
            <a href={`/${repository.full_name}`}>Browse the files</a>
          </Empty>
        </div>
      )
    }
  </RepositoryPage>
)

function WikiOf({ repository, name }: { repository: Repository; name: string }) {
  const { query } = usePlace()
  const version = query.get('version') ?? undefined
  const mayWrite = rightsOn(repository).mayWrite && !repository.archived
  const isEdit = mayWrite && query.get('view') === 'edit'
  useTitle(`${name || 'Wiki'} · ${repository.full_name}`)
  const loaded = useLoad(`wiki ${repository.full_name} ${name} ${version}`, () =>
    openWiki(repository.full_name, name, version),
  )
  if (mayWrite && query.get('view') === 'new')
    return <WikiEdit repository={repository} page={undefined} name={name} onSaved={loaded.reload} />
  if (isMissing(loaded.error) && loaded.value === undefined)
    return <NoPage repository={repository} name={mayWrite ? name : undefined} />
  return (
    <Ready of={loaded}>
      {(wiki) =>
        wiki.pages.length === 0 ? (
          <Begin repository={repository} mayWrite={mayWrite} />
        ) : isEdit && wiki.page ? (
          <WikiEdit repository={repository} page={wiki.page} name={name} onSaved={loaded.reload} />
        ) : (
          <div class="wiki">
            <div class="wiki-main">
              {wiki.page ? (
                <Page repository={repository} page={wiki.page} wiki={wiki} version={version} mayWrite={mayWrite} />
              ) : (
                <>
                  <h1>Wiki</h1>
                  <p class="soft">This wiki has no page named Home. Choose one of its pages.</p>
                </>
              )}
            </div>
            <aside class="wiki-side" aria-label="Pages">
              {wiki.sidebar && <Rendered html={wiki.sidebar} />}
              <WikiPages pages={wiki.pages.filter((page) => !isSpecial(page))} current={wiki.page?.path} />
              {mayWrite && (
                <p>
                  <a class="button tight" href={`${codePath(repository, 'wiki')}?view=new`}>
                    New page
                  </a>
                </p>
              )}
              <WikiClone repository={repository} />
            </aside>
          </div>
        )
      }
    </Ready>
  )
}

/** `name`: what the missing page would be called, for those who may write it. */
const NoPage = ({ repository, name }: { repository: Repository; name: string | undefined }) => (
  <div class="card">
    <h1 class="hidden-text">Wiki</h1>
    <Empty title="This wiki has no such page.">
      {name !== undefined && (
        <p>
          <a class="button main" href={`${codePath(repository, 'wiki', ...name.split('/'))}?view=new`}>
            Write it
          </a>
        </p>
      )}
      <a href={codePath(repository, 'wiki')}>Go to the wiki’s first page</a>
    </Empty>
  </div>
)

const Begin = ({ repository, mayWrite }: { repository: Repository; mayWrite: boolean }) => (
  <section class="card text-width">
    <h1>Wiki</h1>
    <p>
      This wiki has no pages yet. They are Markdown files in a git repository of their own: push one named{' '}
      <code>Home.md</code> to it{mayWrite ? ', or write the first one here.' : '.'}
    </p>
    {mayWrite && (
      <p>
        <a class="button main" href={`${codePath(repository, 'wiki', 'Home')}?view=new`}>
          Write the first page
        </a>
      </p>
    )}
    <WikiClone repository={repository} />
  </section>
)

type PageProps = {
  readonly repository: Repository
  readonly page: WikiText
  readonly wiki: Wiki
  readonly version: string | undefined
  readonly mayWrite: boolean
}

function Page({ repository, page, wiki, version, mayWrite }: PageProps) {
  const history = useLoad(`wiki history ${page.url}`, () => readHistory(repository.full_name, page.name))
  const own = codePath(repository, 'wiki', page.name)
  const isHistory = usePlace().query.get('view') === 'history'
  const [newest] = history.value ?? []
  return (
    <>
      <div class="heading">
        <h1>{isHistory ? `History of ${page.title}` : page.title}</h1>
        <div class="row">
          {mayWrite && !isHistory && version === undefined && (
            <>
              <a class="button tight" href={`${own}?view=edit`}>
                Edit
              </a>
              <DeleteWikiPage repository={repository} page={page} />
            </>
          )}
          <a class="button tight" href={isHistory ? own : `${own}?view=history`}>
            {isHistory ? 'Back to the page' : 'History'}
          </a>
        </div>
      </div>
      {version !== undefined && (
        <p class="notice">
          This is the page as of commit {shortSha(version)}. <a href={own}>Show the current page</a>
        </p>
      )}
      {!isHistory && version === undefined && newest && (
        <p class="small soft">
          <Person user={newest.user} name={newest.author.name} /> edited this page{' '}
          <When at={Date.parse(newest.author.date)} />
        </p>
      )}
      {isHistory ? (
        <Ready of={history}>
          {(revisions) => (
            <ul class="plain-list card flush">
              {revisions.map(({ sha, message, author, user }) => (
                <li key={sha} class="list-row">
                  <a class="strong" href={`${own}?version=${sha}`}>
                    <bdi>{message.split('\n')[0] || 'No message'}</bdi>
                  </a>
                  <p class="small soft">
                    <Person user={user} name={author.name} /> · <When at={Date.parse(author.date)} /> ·{' '}
                    <code>{shortSha(sha)}</code>
                  </p>
                </li>
              ))}
            </ul>
          )}
        </Ready>
      ) : (
        <section class="card" aria-label={page.title}>
          {page.text.trim() === '' ? <p class="soft">This page is empty.</p> : <Rendered html={page.html} />}
        </section>
      )}
      {wiki.footer && <Rendered html={wiki.footer} class="prose small soft" />}
    </>
  )
}
