/** The wiki of a repository: a git repository of its own, to be cloned and pushed to. */
import type { Repository } from '../api/forge-types.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { Copy } from '../parts/copy.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty } from '../parts/state.tsx'

export const WikiView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="code">
    {(repository) => <Wiki repository={repository} />}
  </RepositoryPage>
)

function Wiki({ repository }: { repository: Repository }) {
  useTitle(`Wiki · ${repository.full_name}`)
  const address = repository.clone_url.replace(/\.git$/, '.wiki.git')
  return (
    <>
      <div class="heading">
        <h1>Wiki</h1>
      </div>
      {repository.has_wiki ? (
        <section class="card text-width">
          <p>The wiki’s pages are Markdown files in a separate git repository. Clone it to read and edit them.</p>
          <p class="row clone-row">
            <input class="input grow mono" readOnly value={address} aria-label="Address of the wiki" />
            <Copy text={address} what="the address" />
          </p>
        </section>
      ) : (
        <div class="card">
          <Empty title="This repository has no wiki.">
            <a href={`/${repository.full_name}`}>Browse the files</a>
          </Empty>
        </div>
      )}
    </>
  )
}
