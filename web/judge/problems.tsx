/** The list of problems: found by name and tag, with what one has solved, what it gives and when it is due. */
import type { FoundProblem, SubmissionSnippet } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import { isSetter, useSession } from '../app/session.ts'
import { Countdown } from '../parts/due.tsx'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { Heading } from '../parts/heading.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { type PlacedProblem, useOwnSheets } from './own-sheets.ts'
import { describePoints } from './points.tsx'
import { ProblemSearch, useProblemSearch } from './problem-search.tsx'
import { finished } from './results.ts'
import { AddSamples } from './samples.tsx'

type Standing = 'solved' | 'tried'

export function Problems() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <List /> : null
}

function List() {
  const session = useSession()
  const { page, Offset, Limit } = usePage()
  const { path, query } = usePlace()
  const { text, tag } = useProblemSearch()
  const isMine = query.get('by') === 'me'
  const problems = useLoad(`problems ${isMine} ${page} ${tag} ${text}`, () =>
    call('find_problem_snippet_list', { Text: text, ...(tag && { Tag: tag }), IsOwn: isMine, Offset, Limit }),
  )
  const standings = useLoad('standings', () => readStandings(session.account!.ID))
  const places = useOwnSheets()
  const mayWrite = isSetter(session) && !session.info.Setting.Problem.DisableProblemCreation
  const columns = columnsWith(standings.value, places.value ?? new Map())
  return (
    <>
      <Heading title="Problems">
        {mayWrite && (
          <>
            <a class="button" href="/-/judge/problems/import">
              Import a package
            </a>
            <a class="button main" href="/-/judge/problems/new">
              Write a problem
            </a>
          </>
        )}
      </Heading>
      {isSetter(session) && (
        <Tabs
          label="Problems"
          tabs={[
            [path, 'All problems', !isMine],
            [`${path}?by=me`, 'Mine', isMine],
          ]}
        />
      )}
      <ProblemSearch />
      <Ready of={problems}>
        {({ TotalProblemCount, ProblemSnippetList }) =>
          TotalProblemCount === 0 ? (
            <div class="card">
              <Nothing isSearch={Boolean(text || tag)} isMine={isMine} mayWrite={mayWrite} reload={problems.reload} />
            </div>
          ) : (
            <>
              <div class="card flush scroll">
                <Table
                  class={places.value?.size ? 'table fold' : 'table'}
                  rows={ProblemSnippetList}
                  columns={columns}
                  keyOf={({ UUID }) => UUID}
                />
              </div>
              <Pager total={TotalProblemCount} what="problems" />
            </>
          )
        }
      </Ready>
    </>
  )
}

type NothingProps = {
  readonly isSearch: boolean
  readonly isMine: boolean
  readonly mayWrite: boolean
  reload(): void
}

function Nothing({ isSearch, isMine, mayWrite, reload }: NothingProps) {
  if (isSearch)
    return (
      <Empty title="No problem matches">
        <p>
          <a href="/-/judge">Show all problems</a>
        </p>
      </Empty>
    )
  if (isMine)
    return (
      <Empty title="You have not written a problem yet">
        <p>Your problems appear here, released or not.</p>
      </Empty>
    )
  return (
    <Empty title="There are no problems yet">
      {mayWrite ? (
        <>
          <p>
            <a href="/-/judge/problems/new">Write the first one</a>: a statement, limits and a few tests. Or start with
            samples:
          </p>
          <AddSamples reload={reload} />
        </>
      ) : (
        <p>Problems appear here once they are released.</p>
      )}
    </Empty>
  )
}

type Places = ReadonlyMap<string, readonly PlacedProblem[]>

function columnsWith(
  standings: ReadonlyMap<string, Standing> | undefined,
  places: Places,
): readonly Column<FoundProblem>[] {
  return [
    {
      head: 'Problem',
      cell: ({ UUID, DisplayName, IsHeld, TagList, IsScored, MaximumScore }) => (
        <>
          <a href={`/-/judge/problems/${UUID}`}>{DisplayName}</a>{' '}
          {IsScored && <span class="soft small nowrap">{describePoints({ MaximumScore })}</span>}{' '}
          {IsHeld && <span class="badge wait">Not released</span>}{' '}
          {TagList.map((tag) => (
            <a key={tag} class="tag" href={`/-/judge?tag=${encodeURIComponent(tag)}`}>
              {tag}
            </a>
          ))}
        </>
      ),
    },
    {
      head: 'State',
      cell: ({ UUID }) => {
        const standing = standings?.get(UUID)
        if (standing === 'solved') return <span class="badge good">Solved</span>
        return standing === 'tried' && <span class="badge">Attempted</span>
      },
    },
    ...(places.size === 0
      ? []
      : [
          {
            head: 'Sheet',
            cell: ({ UUID }: FoundProblem) =>
              (places.get(UUID) ?? []).map((place) => <Place key={place.sheetId} {...place} />),
          },
        ]),
    { head: 'By', class: 'wide-only', look: 'soft', cell: ({ Author }) => Author.DisplayName },
    {
      head: 'Time',
      class: 'number wide-only',
      look: 'soft',
      cell: ({ TimeLimitInMillisecond }) => formatMs(TimeLimitInMillisecond),
    },
    {
      head: 'Memory',
      class: 'number wide-only',
      look: 'soft',
      cell: ({ MemoryLimitInByte }) => formatBytes(MemoryLimitInByte),
    },
  ]
}

const Place = ({ sheetId, title, points, due, lateUntil }: PlacedProblem) => (
  <div class="small">
    <a href={`/-/sheets/${sheetId}`}>{title}</a> <span class="nowrap">{points} points</span>{' '}
    <Countdown due={due} lateUntil={lateUntil} />
  </div>
)

/** From one's latest submissions: those of long ago would cost a request for each hundred. */
const mostLooked = 500

async function readStandings(AccountID: number): Promise<Map<string, Standing>> {
  const standings = new Map<string, Standing>()
  for (let Offset = 0; Offset < mostLooked; Offset += 100) {
    const list = await call('get_account_submission_snippet_list', { AccountID, Offset, Limit: 100 })
    for (const submission of list.SubmissionSnippetList) note(standings, submission)
    if (Offset + 100 >= list.TotalSubmissionCount) break
  }
  return standings
}

function note(standings: Map<string, Standing>, { Problem: { UUID }, Status, Result }: SubmissionSnippet): void {
  if (Status === finished && Result === 1) standings.set(UUID, 'solved')
  else if (!standings.has(UUID)) standings.set(UUID, 'tried')
}
