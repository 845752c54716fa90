/** The list of problems, with what one has solved. */
import type { Judging } from '../api/judging.ts'
import type { ProblemSnippet, SubmissionSnippet } from '../api/operations.ts'
import { call, callAll } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import { isSetter, useSession } from '../app/session.ts'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { Heading } from '../parts/heading.tsx'
import { Pager, pageSize, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
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
  const isMine = query.get('by') === 'me'
  const problems = useLoad(`problems ${isMine} ${page}`, () =>
    isMine ? readOwn(session.account!.ID, Offset, Limit) : call('get_problem_snippet_list', { Offset, Limit }),
  )
  const held = useLoad('held', async () => (isSetter(session) ? countHeld(session.account!.ID) : ''))
  const standings = useLoad('standings', () => readStandings(session.account!.ID))
  const mayWrite = isSetter(session) && !session.info.Setting.Problem.DisableProblemCreation
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
      {!isMine && held.value && (
        <p class="soft">
          You have {held.value} not yet released: see <a href={`${path}?by=me`}>Mine</a>.
        </p>
      )}
      <Ready of={problems}>
        {({ TotalProblemCount, ProblemSnippetList }) =>
          TotalProblemCount === 0 ? (
            <div class="card">
              <Empty
                title={
                  isMine
                    ? 'You have not written a problem yet'
                    : held.value
                      ? 'No problem is released yet'
                      : 'There are no problems yet'
                }
              >
                {isMine ? (
                  <p>Your problems appear here, released or not.</p>
                ) : mayWrite ? (
                  <>
                    <p>
                      <a href="/-/judge/problems/new">Write the first one</a>: a statement, limits and a few tests. Or
                      start with samples:
                    </p>
                    <AddSamples reload={problems.reload} />
                  </>
                ) : (
                  <p>Problems appear here once somebody writes one.</p>
                )}
              </Empty>
            </div>
          ) : (
            <>
              <div class="card flush scroll">
                <table class="table">
                  <thead>
                    <tr>
                      <th scope="col">Problem</th>
                      <th scope="col">State</th>
                      <th scope="col" class="wide-only">
                        By
                      </th>
                      <th scope="col" class="number wide-only">
                        Time
                      </th>
                      <th scope="col" class="number wide-only">
                        Memory
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {ProblemSnippetList.map((problem) => (
                      <Row key={problem.UUID} problem={problem} standing={standings.value?.get(problem.UUID)} />
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager total={TotalProblemCount} what="problems" />
            </>
          )
        }
      </Ready>
    </>
  )
}

const Row = ({ problem, standing }: { problem: Listed; standing: Standing | undefined }) => (
  <tr>
    <td>
      <a href={`/-/judge/problems/${problem.UUID}`}>{problem.DisplayName}</a>{' '}
      {problem.isHeld && <span class="badge wait">Not released</span>}
    </td>
    <td>
      {standing === 'solved' && <span class="badge good">Solved</span>}
      {standing === 'tried' && <span class="badge">Attempted</span>}
    </td>
    <td class="soft wide-only">{problem.Author.DisplayName}</td>
    <td class="number soft wide-only">{formatMs(problem.TimeLimitInMillisecond)}</td>
    <td class="number soft wide-only">{formatBytes(problem.MemoryLimitInByte)}</td>
  </tr>
)

type Listed = ProblemSnippet & { readonly isHeld?: boolean }

/** Those that are held back are in the list of their author alone, and say so. */
async function readOwn(AccountID: number, Offset: number, Limit: number) {
  const list = await call('get_account_problem_snippet_list', { AccountID, Offset, Limit })
  const asked = list.ProblemSnippetList.map(({ UUID }) => ['get_problem_judging', { UUID }] as const)
  const answers = await callAll(asked)
  const own = list.ProblemSnippetList.map((problem, at): Listed => {
    const { Judging } = (answers[at]?.result ?? {}) as { Judging?: Judging }
    return { ...problem, isHeld: Judging?.IsHeld ?? false }
  })
  return { ...list, ProblemSnippetList: own }
}

/** Of one's newest problems: how many are held back, in words; empty where none is. */
async function countHeld(AccountID: number): Promise<string> {
  const { TotalProblemCount, ProblemSnippetList } = await readOwn(AccountID, 0, pageSize)
  const count = ProblemSnippetList.filter(({ isHeld }) => isHeld).length
  return count === 0 ? '' : `${count}${TotalProblemCount > pageSize ? ' or more' : ''}`
}

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
