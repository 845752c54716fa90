/** The entries of a folder, each with the commit that changed it last; folders first. Drawn in blocks as they come into sight. */
import { useEffect, useMemo } from 'preact/hooks'
import type { Repository } from '../../api/forge-types.ts'
import { Icon } from '../../parts/icon.tsx'
import { useSeen } from '../../parts/seen.ts'
import { When } from '../../parts/when.tsx'
import { splitMessage } from '../commit-parts.tsx'
import { codePath } from '../paths.ts'
import type { CodePlace } from '../place.ts'
import { type Entry, entriesPerPage } from './folder.ts'
import { type LastCommits, useLastCommits } from './last-commits.ts'

type Props = { readonly repository: Repository; readonly place: CodePlace; readonly entries: readonly Entry[] }

/** An entry, and the page of last commits that has it. */
type Row = { readonly entry: Entry; readonly page: number }

const ranks = { dir: 0, submodule: 1, symlink: 2, file: 2 } as const
const icons = { dir: 'folder', submodule: 'package', symlink: 'link', file: 'file' } as const
const kinds = { dir: 'Folder', submodule: 'Submodule', symlink: 'Link', file: 'File' } as const

const blockSize = 200
/** Until a block was drawn once. */
const rowHeight = 36

export function TreeTable({ repository, place, entries }: Props) {
  const { path, ref } = place
  const commits = useLastCommits(repository, place)
  const blocks = useMemo(() => toBlocks(entries), [entries])
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
      {path !== '' && (
        <tbody>
          <tr>
            <td colSpan={3}>
              <a href={codePath(repository, 'tree', ref, parent)} aria-label="Parent folder">
                ..
              </a>
            </td>
          </tr>
        </tbody>
      )}
      {blocks.map((rows, i) => (
        <Block key={i} isFirst={i === 0} repository={repository} refName={ref} rows={rows} commits={commits} />
      ))}
    </table>
  )
}

function toBlocks(entries: readonly Entry[]): readonly (readonly Row[])[] {
  const rows = entries.map((entry, i) => ({ entry, page: Math.floor(i / entriesPerPage) + 1 }))
  rows.sort(({ entry: a }, { entry: b }) => ranks[a.type] - ranks[b.type] || (a.name < b.name ? -1 : 1))
  return Array.from({ length: Math.ceil(rows.length / blockSize) }, (_, i) =>
    rows.slice(i * blockSize, (i + 1) * blockSize),
  )
}

type BlockProps = {
  readonly isFirst: boolean
  readonly repository: Repository
  readonly refName: string
  readonly rows: readonly Row[]
  readonly commits: LastCommits
}

function Block({ isFirst, repository, refName, rows, commits }: BlockProps) {
  const { place, isNear, height } = useSeen<HTMLTableSectionElement>(isFirst)
  useEffect(() => {
    if (isNear) for (const page of new Set(rows.map((row) => row.page))) commits.want(page)
  }, [isNear, rows])
  return (
    <tbody ref={place}>
      {isNear ? (
        rows.map(({ entry }) => (
          <EntryRow key={entry.name} repository={repository} refName={refName} entry={entry} commits={commits} />
        ))
      ) : (
        <tr>
          <td colSpan={3} style={{ height: `${height ?? rows.length * rowHeight}px` }} />
        </tr>
      )}
    </tbody>
  )
}

type EntryProps = Omit<BlockProps, 'isFirst' | 'rows'> & { readonly entry: Entry }

function EntryRow({ repository, refName, entry, commits }: EntryProps) {
  const commit = commits.of(entry.path)
  const [title] = commit ? splitMessage(commit.commit.message) : ['']
  return (
    <tr>
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
}
