/** Commits as a graph: each is a dot, with lines to its parents below. */
import type { Commit, Repository } from '../api/forge-types.ts'
import { When } from '../parts/when.tsx'
import { Person, splitMessage } from './commit-parts.tsx'
import { drawGraph, type GraphRow } from './graph-rows.ts'
import { codePath, shortSha } from './paths.ts'

/** Lines further to the right than these are not drawn. */
const mostColumns = 14
const step = 14
const height = 30

export function CommitGraph({ repository, commits }: { repository: Repository; commits: readonly Commit[] }) {
  const rows = drawGraph(commits)
  const widest = Math.max(...rows.flatMap(({ column, above, below }) => [column, ...[...above, ...below].flat()]))
  const width = (Math.min(widest, mostColumns) + 1) * step
  return (
    <ul class="plain-list card flush graph">
      {commits.map((commit, at) => {
        const [title] = splitMessage(commit.commit.message)
        return (
          <li key={commit.sha} class="graph-row">
            <Drawing row={rows[at]!} width={width} />
            <a class="graph-title" href={codePath(repository, 'commit', commit.sha)}>
              <bdi>{title || 'No message'}</bdi>
            </a>
            <span class="small soft graph-who">
              <Person user={commit.author} name={commit.commit.author.name} /> · <code>{shortSha(commit.sha)}</code> ·{' '}
              <When at={Date.parse(commit.commit.committer.date)} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}

const x = (column: number): number => Math.min(column, mostColumns) * step + step / 2

const Drawing = ({ row: { column, above, below }, width }: { row: GraphRow; width: number }) => (
  <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
    {above.map(([from, to]) => (
      <path key={`a${from} ${to}`} class={`lane lane-${from % 5}`} d={`M${x(from)} 0 L${x(to)} ${height / 2}`} />
    ))}
    {below.map(([from, to]) => (
      <path key={`b${from} ${to}`} class={`lane lane-${to % 5}`} d={`M${x(from)} ${height / 2} L${x(to)} ${height}`} />
    ))}
    <circle class="graph-dot" cx={x(column)} cy={height / 2} r="4" />
  </svg>
)
