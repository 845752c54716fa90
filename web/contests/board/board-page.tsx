/** The public scoreboard of a contest: live, filtered by group and name, with followed teams on top. */
import { useState } from 'preact/hooks'
import { plural } from '../../../src/lib/text/plural.ts'
import type { Contest, Scoreboard } from '../../api/contests.ts'
import { isMissing } from '../../api/fault.ts'
import { setQuery, usePlace } from '../../app/location.ts'
import type { ViewProps } from '../../app/view.ts'
import { Moment } from '../../parts/due.tsx'
import { SelectChoice } from '../../parts/select-choice.tsx'
import { Empty, Ready } from '../../parts/state.tsx'
import { isRunning } from '../contest-clock.tsx'
import { ContestPage } from '../contest-page.tsx'
import { contestPath, isJury } from '../shown.ts'
import { Awards } from './awards.tsx'
import { countPending, useBoard } from './board-data.ts'
import { BoardTable } from './board-table.tsx'
import { useFollowed } from './following.ts'

export const ContestBoard = ({ params }: ViewProps) => (
  <ContestPage id={params.contest!} tab="board">
    {({ contest }) => <Board contest={contest} />}
  </ContestPage>
)

function Board({ contest }: { contest: Contest }) {
  const { query } = usePlace()
  const groupId = query.get('group') ?? undefined
  // The jury can choose; everyone else gets the public board.
  const isPublic = isJury(contest) && query.get('edition') !== 'jury'
  const [sought, setSought] = useState('')
  const loaded = useBoard(contest.ID, { isPublic, groupId }, isRunning(contest))
  const { followed, toggle } = useFollowed(contest.ID)
  if (loaded.value === undefined && isMissing(loaded.error))
    return (
      <div class="card">
        <Empty title="There is no scoreboard here">
          <p>This contest does not show its scoreboard.</p>
        </Empty>
      </div>
    )
  return (
    <>
      <search class="row filters board-filters no-print">
        <input
          class="input small"
          type="search"
          aria-label="Find a team"
          placeholder="Find a team"
          value={sought}
          onInput={(event) => setSought(event.currentTarget.value)}
        />
        {contest.GroupList.length > 0 && (
          <SelectChoice
            label="Group"
            value={groupId ?? ''}
            choose={(group) => setQuery({ group })}
            options={[['', 'all'], ...contest.GroupList.map(({ ID, Name }) => [ID, Name] as const)]}
          />
        )}
        {isJury(contest) && (
          <SelectChoice
            label="Scoreboard"
            value={isPublic ? 'public' : 'jury'}
            choose={(edition) => setQuery({ edition: edition === 'jury' ? 'jury' : undefined })}
            options={[
              ['public', 'as the public sees it'],
              ['jury', 'of the jury'],
            ]}
          />
        )}
        <a
          class="button tight"
          href={`${contestPath(contest.ID, 'projector')}${groupId ? `?group=${encodeURIComponent(groupId)}` : ''}`}
        >
          Projector view
        </a>
      </search>
      <Ready of={loaded}>
        {(board) => (
          <>
            <BoardNotice contest={contest} board={board} />
            <Rows contest={contest} board={board} sought={sought} followed={followed} toggle={toggle} />
            {contest.State === 'finalized' && <Awards contest={contest} board={board} />}
          </>
        )}
      </Ready>
    </>
  )
}

type NoticeProps = { readonly contest: Contest; readonly board: Scoreboard }

/** Explains the freeze. */
export function BoardNotice({ contest, board }: NoticeProps) {
  if (!board.IsFrozen || board.Edition === 'jury') return null
  const pending = countPending(board)
  return (
    <p class="notice frozen" role="status">
      <span>
        <b>The scoreboard is frozen</b>
        {contest.FrozenTime !== null && (
          <>
            {' '}
            since <Moment at={contest.FrozenTime} />
          </>
        )}
        . Later submissions are pending until the results are revealed
        {pending > 0 && `: ${pending.toLocaleString('en')} so far`}.
      </span>
    </p>
  )
}

type RowsProps = NoticeProps & {
  readonly sought: string
  readonly followed: readonly string[]
  toggle(id: string): void
}

function Rows({ contest, board, sought, followed, toggle }: RowsProps) {
  const words = sought.trim().toLowerCase()
  const rows = words
    ? board.RowList.filter(({ Name, Label, OrganisationName }) =>
        [Name, Label, OrganisationName ?? ''].some((text) => text.toLowerCase().includes(words)),
      )
    : board.RowList
  if (rows.length === 0)
    return (
      <div class="card">
        <Empty title={board.RowList.length === 0 ? 'There are no teams yet' : 'No team matches'} />
      </div>
    )
  return (
    <>
      <BoardTable
        board={board}
        style={contest.Style}
        rows={rows}
        ownId={contest.TeamID}
        followed={followed}
        toggle={toggle}
      />
      <div class="soft small board-legend">
        <span>
          {words ? `${rows.length.toLocaleString('en')} of ` : ''}
          {plural(board.RowList.length, 'team')}
        </span>
        <span class="legend solved">solved</span>
        <span class="legend first">
          first to solve<span class="when-full"> ★</span>
        </span>
        {contest.Style === 'icpc' ? (
          <span class="legend wrong">wrong</span>
        ) : (
          <span class="legend some">some points</span>
        )}
        <span class="legend pending">
          pending<span class="when-full"> ?</span>
        </span>
        {contest.Style === 'icpc' && <span class="when-full">A solved cell shows the minute and the tries.</span>}
        <span class="when-compact">
          {contest.Style === 'icpc' ? 'Each letter is a problem.' : 'Points, or the letter of the problem.'}
        </span>
      </div>
    </>
  )
}
