/** A folder: its newest commit, its entries, and its README. */
import { readList, repositoryPath } from '../../api/forge.ts'
import type { Commit, Repository } from '../../api/forge-types.ts'
import { useLoad } from '../../app/load.ts'
import { formatCount } from '../../parts/figures.ts'
import { Rendered } from '../../parts/rendered.tsx'
import { Empty } from '../../parts/state.tsx'
import { When } from '../../parts/when.tsx'
import { Person, splitMessage } from '../commit-parts.tsx'
import { codePath, shortSha } from '../paths.ts'
import { type CodePlace, toRef } from '../place.ts'
import { type Content, readReadme } from './folder.ts'
import { TreeTable } from './tree-table.tsx'

type Props = { readonly repository: Repository; readonly place: CodePlace; readonly folder: Content }

export function FolderView({ repository, place, folder }: Props) {
  const { path, ref: refName } = place
  const [owner, repo] = [repository.owner.login, repository.name]
  const ref = toRef(place)
  const key = `${owner}/${repo} ${ref} ${path}`
  const readme = useLoad(`readme ${key}`, () => readReadme(owner, repo, path, ref))
  const latest = useLoad(`newest commit ${key}`, () =>
    readList<Commit>(repositoryPath(owner, repo, 'commits'), { sha: ref, path, per_page: 1 }),
  )
  const entries = folder.entries ?? []
  return (
    <>
      <div class="card flush">
        <div class="tree-head">
          {latest.value?.items[0] && <Newest repository={repository} commit={latest.value.items[0]} />}
          <a class="button tight quiet" href={codePath(repository, 'commits', refName, path)}>
            {latest.value?.lastPage ? `${formatCount(latest.value.lastPage)} commits` : 'History'}
          </a>
        </div>
        {entries.length === 0 ? (
          <Empty title="This folder is empty." />
        ) : (
          <TreeTable key={key} repository={repository} place={place} entries={entries} />
        )}
        {folder.isCut && (
          <p class="diff-note soft">
            The first {formatCount(entries.length)} entries are shown. Clone to see all of them.
          </p>
        )}
      </div>
      {readme.value && (
        <section class="card below readme" aria-label="README">
          <Rendered html={readme.value} />
        </section>
      )}
    </>
  )
}

function Newest({ repository, commit }: { repository: Repository; commit: Commit }) {
  const [title] = splitMessage(commit.commit.message)
  return (
    <span class="newest">
      <Person user={commit.author} name={commit.commit.author.name} />{' '}
      <a class="newest-title" href={codePath(repository, 'commit', commit.sha)}>
        <bdi>{title || 'No message'}</bdi>
      </a>{' '}
      <span class="soft small nowrap">
        <code>{shortSha(commit.sha)}</code> · <When at={Date.parse(commit.commit.committer.date)} />
      </span>
    </span>
  )
}
