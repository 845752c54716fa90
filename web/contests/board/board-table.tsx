/** The table of a scoreboard: own and followed teams stay on top; only the visible rows of other teams are in the document. */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { BoardCell, BoardRow, ContestProblem, ContestStyle, Scoreboard } from '../../api/contests.ts'
import { ProblemLabel } from '../problem-label.tsx'
import { describeCell } from './board-data.ts'
import { useWindow } from './window.ts'

type Props = {
  readonly board: Scoreboard
  readonly style: ContestStyle
  /** The rows that match the search. */
  readonly rows: readonly BoardRow[]
  readonly ownId: string | null
  readonly followed: readonly string[]
  /** For a hall: larger, and nothing to press. */
  readonly isProjector?: boolean
  toggle?(id: string): void
}

const heights = { full: 52, compact: 66, projector: 64 } as const
/** Widths in pixels: of a problem's column, and of all other columns together. */
const problemWidth = 52
const otherWidth = 400

export function BoardTable({ board, style, rows, ownId, followed, isProjector = false, toggle }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const isCompact = useCompact(place, board.ProblemList.length)
  const layout = isCompact ? 'compact' : isProjector ? 'projector' : 'full'
  const height = heights[layout]
  const { from, to } = useWindow(body, rows.length, height)
  const pinned = board.RowList.filter(({ TeamID }) => TeamID === ownId || followed.includes(TeamID))
  const columns = board.ProblemList.length + 3
  const row = (one: BoardRow, index?: number) => (
    <Row
      key={one.TeamID}
      row={one}
      index={index}
      problems={board.ProblemList}
      style={style}
      isCompact={isCompact}
      look={one.TeamID === ownId ? 'own' : followed.includes(one.TeamID) ? 'followed' : ''}
      toggle={toggle}
      isFollowed={followed.includes(one.TeamID)}
    />
  )
  return (
    <div ref={place} class={`board-place ${layout}`}>
      <table class="board" aria-rowcount={rows.length + 1}>
        <caption class="hidden-text">Scoreboard</caption>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" class="board-rank">
              <abbr title="Rank">#</abbr>
            </th>
            <th scope="col" class="board-team">
              Team
            </th>
            <th scope="col" class="board-sum">
              {style === 'ioi' ? 'Points' : 'Solved'}
            </th>
            {board.ProblemList.map((problem) => (
              <th scope="col" key={problem.ID} class="board-cell" title={problem.DisplayName}>
                <ProblemLabel problem={problem} />
              </th>
            ))}
          </tr>
        </thead>
        {pinned.length > 0 && rows.length > 0 && (
          <tbody class="pinned" aria-label="Your team and teams that you follow">
            {pinned.map((one) => row(one))}
          </tbody>
        )}
        <tbody ref={body}>
          {from > 0 && <Space rows={from} height={height} columns={columns} />}
          {rows.slice(from, to).map((one, at) => row(one, from + at + 2))}
          {to < rows.length && <Space rows={rows.length - to} height={height} columns={columns} />}
        </tbody>
      </table>
    </div>
  )
}

const Space = ({ rows, height, columns }: { rows: number; height: number; columns: number }) => (
  <tr class="board-space" style={{ height: `${rows * height}px` }}>
    <td colSpan={columns} />
  </tr>
)

/** If the problems do not fit in the team's row, they go below it. */
function useCompact(place: RefObject<HTMLDivElement | null>, problems: number): boolean {
  const [isCompact, setCompact] = useState(() => innerWidth < otherWidth + problems * problemWidth)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setCompact(entry.contentRect.width < otherWidth + problems * problemWidth)
    })
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [problems])
  return isCompact
}

type RowProps = {
  readonly row: BoardRow
  readonly index: number | undefined
  readonly problems: readonly ContestProblem[]
  readonly style: ContestStyle
  readonly isCompact: boolean
  readonly look: string
  readonly isFollowed: boolean
  readonly toggle: ((id: string) => void) | undefined
}

function Row({ row, index, problems, style, isCompact, look, isFollowed, toggle }: RowProps) {
  const { Rank, TeamID, Name, OrganisationName, NumSolved, Penalty, Score, CellList } = row
  return (
    <tr class={look || undefined} aria-rowindex={index}>
      <td class="board-rank">{Rank}</td>
      <th scope="row" class="board-team">
        <div class="team-box">
          <span class="board-names">
            <span class="board-name" title={Name}>
              {Name}
            </span>
            {OrganisationName && <small>{OrganisationName}</small>}
          </span>
          {toggle && (
            <button
              type="button"
              class="follow"
              aria-pressed={isFollowed}
              aria-label={`Follow ${Name}`}
              title={isFollowed ? 'Stop following' : 'Follow: keep this team on top'}
              onClick={() => toggle(TeamID)}
            >
              {isFollowed ? '★' : '☆'}
            </button>
          )}
        </div>
      </th>
      <td class="board-sum">
        {style === 'ioi' ? (
          <b>{Score ?? 0}</b>
        ) : (
          <>
            <b>{NumSolved}</b> <small>{Penalty}</small>
          </>
        )}
      </td>
      {problems.map((problem, at) => (
        <Cell key={problem.ID} cell={CellList[at]} problem={problem} style={style} isCompact={isCompact} />
      ))}
    </tr>
  )
}

type CellProps = {
  readonly cell: BoardCell | undefined
  readonly problem: ContestProblem
  readonly style: ContestStyle
  readonly isCompact: boolean
}

function Cell({ cell, problem, style, isCompact }: CellProps) {
  if (!cell) return <td class="board-cell" />
  const { look, text, tries, words } = describeCell(cell, style)
  return (
    <td class={`board-cell ${look || 'untried'}`}>
      {(look !== '' || isCompact) && (
        <span class="cell-box" title={words && `${problem.Label}: ${words}`}>
          <span aria-hidden="true">
            {isCompact ? (style === 'ioi' && text ? text : problem.Label) : text}
            {look === 'first' && !isCompact && '★'}
          </span>
          {!isCompact && tries && <small aria-hidden="true">{tries}</small>}
          <span class="hidden-text">{words || 'not tried'}</span>
        </span>
      )}
    </td>
  )
}
