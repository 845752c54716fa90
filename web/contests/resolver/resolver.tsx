/** The resolver: reveals the frozen results on a projector from the last place up, step by step by keyboard. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Contest, ContestProblem, Scoreboard } from '../../api/contests.ts'
import { callAll, openAnswer } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import { useSignedIn, useTitle } from '../../app/page.ts'
import type { ViewProps } from '../../app/view.ts'
import { Refusal } from '../../parts/only.tsx'
import { Empty, Ready } from '../../parts/state.tsx'
import { describeCell } from '../board/board-data.ts'
import { useBareFrame } from '../board/projector.tsx'
import { useContest } from '../contest-page.tsx'
import { ProblemLabel } from '../problem-label.tsx'
import { contestPath, isJury } from '../shown.ts'
import { type Frame, makeResolver, type ResolvedRow, type Resolver } from './resolving.ts'

export function ContestResolver({ params }: ViewProps) {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <Loading id={params.contest!} /> : null
}

function Loading({ id }: { id: string }) {
  const loaded = useContest(id)
  return (
    <Ready of={loaded}>
      {({ contest }) =>
        isJury(contest) ? (
          <Boards contest={contest} />
        ) : (
          <Refusal title={contest.Name}>This page is for the jury of the contest.</Refusal>
        )
      }
    </Ready>
  )
}

type BothBoards = { readonly open: Scoreboard; readonly truth: Scoreboard }

async function readBoards(ContestID: string): Promise<BothBoards> {
  const [open, truth] = await callAll([
    ['get_scoreboard', { ContestID, IsPublic: true }],
    ['get_scoreboard', { ContestID }],
  ])
  return {
    open: openAnswer<{ Scoreboard: Scoreboard }>(open!).Scoreboard,
    truth: openAnswer<{ Scoreboard: Scoreboard }>(truth!).Scoreboard,
  }
}

/** Reads the boards once, so that the show does not change while it runs. */
function Boards({ contest }: { contest: Contest }) {
  const loaded = useLoad(`resolver ${contest.ID}`, () => readBoards(contest.ID))
  useBareFrame()
  return <Ready of={loaded}>{(boards) => <Show contest={contest} boards={boards} />}</Ready>
}

function Show({ contest, boards }: { contest: Contest; boards: BothBoards }) {
  const { open, truth } = boards
  const medals = contest.GoldMedalCount + contest.SilverMedalCount + contest.BronzeMedalCount
  const resolver = useMemo(() => {
    const rules = { style: contest.Style, penaltyMinutes: contest.PenaltyMinute }
    return makeResolver(open, truth, rules, Math.max(1, medals))
  }, [open, truth])
  useTitle(`Resolver of ${contest.Name}`)
  const hasPending = open.RowList.some(({ CellList }) => CellList.some(({ NumPending }) => NumPending > 0))
  return (
    <>
      {hasPending ? (
        <Stage contest={contest} problems={open.ProblemList} resolver={resolver} />
      ) : (
        <>
          <h1>{contest.Name}</h1>
          <div class="card">
            <Empty title="There is nothing to reveal">
              <p>
                The resolver reveals the results hidden by the freeze. Open it after the contest ends and before the
                results are revealed.
              </p>
              <p>
                <a href={contestPath(contest.ID, 'manage')}>Back to the contest</a>
              </p>
            </Empty>
          </div>
        </>
      )}
    </>
  )
}

type StageProps = {
  readonly contest: Contest
  readonly problems: readonly ContestProblem[]
  readonly resolver: Resolver
}

function Stage({ contest, problems, resolver }: StageProps) {
  const [step, setStep] = useState(0)
  const frame = resolver.at(step)!
  const latest = useRef(step)
  latest.current = step
  const move = (by: 1 | -1) => {
    const next = latest.current + by
    if (next < 0 || !resolver.at(next)) return
    latest.current = next
    setStep(next)
  }
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isOnControl = event.target instanceof HTMLElement && event.target.closest('button, a') !== null
      if (event.key === 'ArrowRight' || event.key === 'PageDown') move(1)
      // The key would also press the focused button.
      else if (event.key === ' ' && !isOnControl) move(1)
      else if (event.key === 'ArrowLeft' || event.key === 'PageUp') move(-1)
      else if (event.key === 'Escape') return void go(contestPath(contest.ID, 'manage'))
      else return
      if (event.key !== ' ' || !isOnControl) event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [resolver, contest.ID])
  return (
    <>
      <div class="row hall-head">
        <h1 class="grow">{contest.Name}</h1>
        <button type="button" class="button tight" disabled={step === 0} onClick={() => move(-1)}>
          ← Back
        </button>
        <button type="button" class="button tight main" disabled={frame.kind === 'end'} onClick={() => move(1)}>
          Next step →
        </button>
        <a class="button tight" href={contestPath(contest.ID, 'manage')}>
          Leave
        </a>
      </div>
      <p class="resolver-message" role="status">
        {describe(frame, problems, contest)}
      </p>
      <Rows contest={contest} problems={problems} frame={frame} />
    </>
  )
}

function describe(frame: Frame, problems: readonly ContestProblem[], contest: Contest): string {
  const { kind, cell, from, team, rows } = frame
  if (kind === 'start') return 'Press Space or → to begin. ← goes back.'
  if (kind === 'end') return `${rows[0]?.name ?? 'Nobody'} wins.`
  const row = rows.find(({ id }) => id === team)!
  if (kind === 'place') return `${row.name}: rank ${row.rank}${medalOf(row, contest, ', ')}`
  const problem = problems[cell!]!
  if (kind === 'select') return `${row.name}: ${problem.Label}, ${problem.DisplayName} …`
  const { words } = describeCell(row.cells[cell!]!, contest.Style)
  const moved = from !== row.rank ? `, from rank ${from} to ${row.rank}` : ''
  return `${row.name}: ${problem.Label} ${words || 'not solved'}${moved}`
}

const medals = ['Gold', 'Silver', 'Bronze'] as const

function medalOf({ rank, solved, score }: ResolvedRow, contest: Contest, before = ''): string {
  if (solved === 0 && score === 0) return ''
  let last = 0
  for (const [at, count] of [contest.GoldMedalCount, contest.SilverMedalCount, contest.BronzeMedalCount].entries()) {
    last += count
    if (rank <= last) return `${before}${medals[at]!.toLowerCase()} medal`
  }
  return ''
}

const rowHeight = 64
/** How many rows above and below the current one are drawn. */
const above = 16
const below = 8

/** The rows around the current one. A row whose place changes moves there by animation. */
function Rows({ contest, problems, frame }: { contest: Contest; problems: readonly ContestProblem[]; frame: Frame }) {
  const { rows, current, cell, kind } = frame
  const middle = Math.max(0, current)
  const from = Math.max(0, middle - above)
  // In the order of names: a moving row keeps its place in the document, so the animation works.
  const shown = rows
    .slice(from, middle + below + 1)
    .map((row, at) => ({ row, at: from + at }))
    .sort((a, b) => (a.row.id < b.row.id ? -1 : 1))
  const team = rows.find(({ id }) => id === frame.team)
  const risen = kind === 'reveal' && team ? rows.indexOf(team) : -1
  if (risen >= 0 && risen < from) shown.push({ row: team!, at: risen })
  return (
    <section class="resolver" aria-label="Scoreboard">
      <ul class="resolver-rows" style={{ '--at': String(middle), height: `${rows.length * rowHeight}px` }}>
        {shown.map(({ row, at }) => (
          <li
            key={row.id}
            class={lookOf(frame, row, at)}
            style={{ transform: `translateY(${at * rowHeight}px)` }}
            {...(row.id === frame.team && { 'aria-current': 'true' as const })}
          >
            <span class="resolver-rank">{row.rank}</span>
            <span class="board-names">
              <b class="board-name">{row.name}</b>
              <small>
                {at > current && medalOf(row, contest) ? (
                  <span class="badge good">{medalOf(row, contest)}</span>
                ) : kind === 'place' && row.id === frame.team ? (
                  <span class="badge good">{medalOf(row, contest) || `rank ${row.rank}`}</span>
                ) : (
                  row.organisation
                )}
              </small>
            </span>
            <span class="resolver-sum">
              {contest.Style === 'ioi' ? (
                <b>{row.score}</b>
              ) : (
                <>
                  <b>{row.solved}</b> <small>{row.penalty}</small>
                </>
              )}
            </span>
            <span class="board resolver-cells">
              {problems.map((problem, place) => (
                <ResolverCell
                  key={problem.ID}
                  problem={problem}
                  row={row}
                  place={place}
                  contest={contest}
                  isChosen={row.id === frame.team && place === cell}
                />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function lookOf({ current, team, kind }: Frame, row: ResolvedRow, at: number): string {
  if (row.id === team) return kind === 'place' ? 'current placed' : 'current'
  return at > current ? 'final' : ''
}

type CellProps = {
  readonly problem: ContestProblem
  readonly row: ResolvedRow
  readonly place: number
  readonly contest: Contest
  readonly isChosen: boolean
}

function ResolverCell({ problem, row, place, contest, isChosen }: CellProps) {
  const { look, text, tries, words } = describeCell(row.cells[place]!, contest.Style)
  return (
    <span class={`resolver-cell ${look} ${isChosen ? 'chosen-cell' : ''}`}>
      {look === '' ? (
        <ProblemLabel problem={problem} />
      ) : (
        <span class="cell-box">
          <span aria-hidden="true">
            {problem.Label} {text}
          </span>
          <small aria-hidden="true">{tries}</small>
        </span>
      )}
      <span class="hidden-text">
        {problem.Label}: {words || 'not tried'}
      </span>
    </span>
  )
}
