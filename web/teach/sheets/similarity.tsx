/** How alike the students' programs for a problem of a sheet are: pairs, most alike first, and one pair side by side. */
import { useEffect, useState } from 'preact/hooks'
import { plural } from '../../../src/lib/text/plural.ts'
import type { AlikePair, AlikePart, SheetProblem, Similarity } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { usePlace } from '../../app/location.ts'
import type { ViewProps } from '../../app/view.ts'
import { formatCount } from '../../parts/figures.ts'
import { NotFound } from '../../parts/not-found.tsx'
import { Empty, Failed } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Name, percent } from './alike.tsx'
import { PairView } from './pair-view.tsx'
import { SheetPage } from './sheet-page.tsx'

export const SimilarityView = ({ params }: ViewProps) => (
  <SheetPage id={Number(params.id)} tab="similarity">
    {({ sheet }) => {
      const problem = sheet.ProblemList.find(({ UUID }) => UUID === params.uuid?.toLowerCase())
      if (!problem)
        return <NotFound title="The sheet has no such problem">It may have been removed from the sheet.</NotFound>
      return <View id={sheet.ID} problem={problem} />
    }}
  </SheetPage>
)

function View({ id, problem: { UUID, DisplayName } }: { id: number; problem: SheetProblem }) {
  const { path, query } = usePlace()
  const found = useLoad(`similarity ${id} ${UUID}`, () => call('get_similarity', { SheetID: id, UUID }))
  const chosen = query.get('pair')
  const pairs = found.value?.PairList ?? []
  const at = chosen ? pairs.findIndex((pair) => keyOf(pair) === chosen) : -1
  const linkTo = (place: number) => pairs[place] && `${path}?pair=${keyOf(pairs[place])}`
  return (
    <>
      <h2>
        Similarity: <a href={`/-/judge/problems/${UUID}`}>{DisplayName}</a>
      </h2>
      {found.error !== undefined && <Failed error={found.error} retry={found.reload} />}
      {found.value === undefined && found.error === undefined && <Comparing />}
      {found.value &&
        (at >= 0 ? (
          <PairView
            key={chosen}
            pair={pairs[at]!}
            place={`${at + 1} of ${pairs.length}`}
            all={path}
            previous={linkTo(at - 1)}
            next={linkTo(at + 1)}
          />
        ) : (
          <>
            {chosen && (
              <p class="notice wait">
                This pair is no longer in the list: one of the students has a better submission, or other pairs are more
                similar.
              </p>
            )}
            <Pairs found={found.value} path={path} />
          </>
        ))}
    </>
  )
}

const keyOf = ({ Left, Right }: AlikePair): string => `${Left.SubmissionID}-${Right.SubmissionID}`

/** The server tells nothing before it is done. */
function Comparing() {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((now) => now + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <div class="card">
      <div class="loading" role="status">
        <span class="spinner" aria-hidden="true" />
        Comparing the programs …
      </div>
      <p class="soft small">
        {seconds >= 2 && `${seconds} s so far. `}Each program is compared with every other one; for a large class this
        takes up to half a minute.
      </p>
    </div>
  )
}

const columnsFor = (path: string): readonly Column<AlikePair>[] => [
  {
    head: 'Similarity',
    class: 'number',
    cell: (pair) => (
      <a
        href={`${path}?pair=${keyOf(pair)}`}
        aria-label={`${percent(pair.Similarity)}: ${pair.Left.RosterName} (${pair.Left.AccountName}) and ${pair.Right.RosterName} (${pair.Right.AccountName})`}
      >
        {percent(pair.Similarity)}
      </a>
    ),
  },
  { head: 'Student', cell: ({ Left }) => <Name side={Left} /> },
  { head: 'Other student', cell: ({ Right }) => <Name side={Right} /> },
  {
    head: 'Shared',
    class: 'number',
    look: 'soft',
    cell: ({ PartList }) => `${plural(PartList.length, 'part')}, ${plural(countLines(PartList), 'line')}`,
  },
]

/** Lines of the left program. */
function countLines(parts: readonly AlikePart[]): number {
  const lines = new Set<number>()
  for (const { LeftStart, LeftEnd } of parts) for (let line = LeftStart; line <= LeftEnd; line++) lines.add(line)
  return lines.size
}

const mostPairs = 100

function Pairs({ found: { PairList, ComparedCount, LeftOutCount }, path }: { found: Similarity; path: string }) {
  const leftOut =
    LeftOutCount === 0
      ? ''
      : LeftOutCount === 1
        ? ' 1 program was left out: it is too large.'
        : ` ${formatCount(LeftOutCount)} programs were left out: together they are too large.`
  if (PairList.length === 0)
    return (
      <div class="card">
        <Empty title={emptyTitle(ComparedCount, LeftOutCount)}>
          <p>
            {ComparedCount < 2
              ? 'At least two students must have submitted a program that counts.'
              : 'Parts shorter than a dozen tokens and code from the template do not count.'}
            {leftOut}
          </p>
        </Empty>
      </div>
    )
  return (
    <div class="stack">
      <p class="text-width">
        {formatCount(ComparedCount)} programs were compared: for each student, the one that counts.{leftOut}
        {PairList.length === mostPairs && `  The ${mostPairs} most similar pairs are shown.`} Names, numbers, layout,
        comments and code from the template do not count. Similar programs are not proof of copying: short exercises
        have few solutions.
      </p>
      <div class="card flush scroll">
        <Table class="table fold pairs" rows={PairList} columns={columnsFor(path)} keyOf={keyOf} />
      </div>
    </div>
  )
}

function emptyTitle(compared: number, leftOut: number): string {
  if (compared + leftOut === 0) return 'Nobody has submitted a program that counts yet'
  if (compared + leftOut === 1) return 'Only one student has submitted: there is nothing to compare yet'
  if (compared < 2) return 'The programs are too large to be compared'
  return `No two of the ${formatCount(compared)} programs share a part`
}
