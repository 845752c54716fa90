/** The entries of a folder, each with the commit that changed it last; folders first. */
import type { Repository } from '../../api/forge-types.ts'
import { Icon } from '../../parts/icon.tsx'
import { When } from '../../parts/when.tsx'
import { splitMessage } from '../commit-parts.tsx'
import { codePath } from '../paths.ts'
import type { Entry, LastCommit } from './folder.ts'

type Props = {
  readonly repository: Repository
  readonly refName: string
  readonly path: string
  readonly entries: readonly Entry[]
  readonly commits: readonly LastCommit[] | undefined
}

const ranks = { dir: 0, submodule: 1, symlink: 2, file: 2 } as const
const icons = { dir: 'folder', submodule: 'package', symlink: 'link', file: 'file' } as const
const kinds = { dir: 'Folder', submodule: 'Submodule', symlink: 'Link', file: 'File' } as const

/** As many as the interface tells of one folder. */
export const mostEntries = 1_000

export function TreeTable({ repository, refName, path, entries, commits }: Props) {
  const sorted = [...entries].sort((a, b) => ranks[a.type] - ranks[b.type] || (a.name < b.name ? -1 : 1))
  const known = new Map(commits?.map((entry) => [entry.path, entry.commit]))
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  return (
    <table class="table tree">
      <caption class="hidden-text">Files{path && ` in ${path}`}</caption>
      <thead class="hidden-text">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Last commit</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {path !== '' && (
          <tr>
            <td colSpan={3}>
              <a href={codePath(repository, 'tree', refName, parent)} aria-label="Parent folder">
                ..
              </a>
            </td>
          </tr>
        )}
        {sorted.map((entry) => {
          const commit = known.get(entry.path)
          const [title] = commit ? splitMessage(commit.commit.message) : ['']
          return (
            <tr key={entry.name}>
              <td class="tree-name">
                <Icon name={icons[entry.type]} label={kinds[entry.type]} />{' '}
                <a href={codePath(repository, entry.type === 'dir' ? 'tree' : 'blob', refName, entry.path)}>
                  <bdi>{entry.name}</bdi>
                </a>
              </td>
              <td class="tree-commit">
                {commit && (
                  <a class="soft" href={codePath(repository, 'commit', commit.sha)}>
                    <bdi>{title || 'No message'}</bdi>
                  </a>
                )}
              </td>
              <td class="tree-when soft">{commit && <When at={Date.parse(commit.commit.committer.date)} />}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
