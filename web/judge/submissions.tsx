/** Submissions, one's own or all, by person and problem; what is judged meanwhile changes in place. */
import { useEffect } from 'preact/hooks'
import { watchAll, watchSubmission } from '../api/live.ts'
import type { SubmissionSnippet } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import { isSetter, languageName, useSession } from '../app/session.ts'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { Heading } from '../parts/heading.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { ResultBadge } from './badge.tsx'
import { finished } from './results.ts'

export function Submissions() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <List /> : null
}

type Filter = { readonly accountId: number | undefined; readonly problem: string | undefined }

async function readPage({ accountId: AccountID, problem: ProblemUUID }: Filter, Offset: number, Limit: number) {
  if (AccountID !== undefined && ProblemUUID)
    return call('get_account_problem_submission_snippet_list', { AccountID, ProblemUUID, Offset, Limit })
  if (AccountID !== undefined) return call('get_account_submission_snippet_list', { AccountID, Offset, Limit })
  if (ProblemUUID) return call('get_problem_submission_snippet_list', { ProblemUUID, Offset, Limit })
  return call('get_submission_snippet_list', { Offset, Limit })
}

/** Waits a moment, so that a class that hands in at once is one reading and not thirty. */
function useLive(list: readonly SubmissionSnippet[], isFirstPage: boolean, reload: () => void): void {
  const waiting = list.filter(({ Status }) => Status !== finished).map(({ ID }) => ID)
  const key = waiting.join(',')
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        reload()
      }, 300)
    }
    const stops = isFirstPage
      ? [watchAll(soon)]
      : key
          .split(',')
          .filter(Boolean)
          .map((id) => watchSubmission(Number(id), soon))
    return () => {
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }, [key, isFirstPage, reload])
}

function List() {
  const session = useSession()
  const { query } = usePlace()
  const by = query.get('by') ?? 'me'
  const problem = query.get('problem') ?? undefined
  const accountId = by === 'me' ? session.account!.ID : /^\d+$/.test(by) ? Number(by) : undefined
  const { page, Offset, Limit } = usePage()
  const loaded = useLoad(`submissions ${by} ${problem} ${page}`, () => readPage({ accountId, problem }, Offset, Limit))
  const list = loaded.value?.SubmissionSnippetList ?? []
  useLive(list, page === 1, loaded.reload)
  const shownProblem = problem && list[0]?.Problem.DisplayName
  return (
    <>
      <Heading title={by === 'me' ? 'My submissions' : 'Submissions'} />
      <div class="row filters">
        <label class="row small">
          <span class="soft">By</span>
          <select
            class="input"
            value={by}
            onChange={(event) => setQuery({ by: event.currentTarget.value, page: undefined })}
          >
            <option value="me">me</option>
            <option value="all">everyone</option>
            {isSetter(session) && accountId !== undefined && by !== 'me' && (
              <option value={by}>{list[0]?.Author.DisplayName ?? `account ${by}`}</option>
            )}
          </select>
        </label>
        {problem && (
          <span class="badge">
            {shownProblem || 'one problem'}
            <button
              type="button"
              class="button quiet tight"
              aria-label="All problems"
              onClick={() => setQuery({ problem: undefined, page: undefined })}
            >
              ×
            </button>
          </span>
        )}
      </div>
      <Ready of={loaded}>
        {({ TotalSubmissionCount, SubmissionSnippetList }) =>
          TotalSubmissionCount === 0 ? (
            <div class="card">
              <Empty title="Nothing has been handed in yet">
                <p>
                  <a href="/-/judge">Choose a problem</a> and write a program for it.
                </p>
              </Empty>
            </div>
          ) : (
            <>
              <Table list={SubmissionSnippetList} hasAuthor={by !== 'me'} />
              <Pager total={TotalSubmissionCount} what="submissions" />
            </>
          )
        }
      </Ready>
    </>
  )
}

const Table = ({ list, hasAuthor }: { list: readonly SubmissionSnippet[]; hasAuthor: boolean }) => (
  <div class="card flush scroll">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">No.</th>
          <th scope="col">Problem</th>
          {hasAuthor && <th scope="col">By</th>}
          <th scope="col">Result</th>
          <th scope="col" class="wide-only">
            Language
          </th>
          <th scope="col" class="number wide-only">
            Time
          </th>
          <th scope="col" class="number wide-only">
            Memory
          </th>
          <th scope="col" class="number">
            When
          </th>
        </tr>
      </thead>
      <tbody>
        {list.map((one) => (
          <tr key={one.ID}>
            <td>
              <a href={`/-/judge/submissions/${one.ID}`}>{one.ID}</a>
            </td>
            <td>
              <a href={`/-/judge/problems/${one.Problem.UUID}`}>{one.Problem.DisplayName}</a>
            </td>
            {hasAuthor && (
              <td>
                <a href={`/-/judge/submissions?by=${one.Author.ID}`}>{one.Author.DisplayName}</a>
              </td>
            )}
            <td>
              <ResultBadge status={one.Status} result={one.Result} />
            </td>
            <td class="soft wide-only">{languageName(one.Language)}</td>
            <td class="number soft wide-only">
              {one.CPUTimeInMillisecond === null ? '' : formatMs(one.CPUTimeInMillisecond)}
            </td>
            <td class="number soft wide-only">
              {one.PeakMemoryInByte === null ? '' : formatBytes(one.PeakMemoryInByte)}
            </td>
            <td class="number soft">
              <When at={one.CreatedTime} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
