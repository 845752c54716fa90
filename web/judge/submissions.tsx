/**
 * Submissions, one's own or all, by person, problem, language and result; what is judged meanwhile changes in place.
 */
import type { Operations, SubmissionSnippet } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import { isSetter, useSession } from '../app/session.ts'
import { Heading } from '../parts/heading.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { finished } from './results.ts'
import { type Filter, Filters, useFilter } from './submission-filters.tsx'
import { SubmissionTable } from './submission-table.tsx'
import { useWatchedList } from './watched-list.ts'

export function Submissions() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <List /> : null
}

type Found = {
  readonly list: readonly SubmissionSnippet[]
  /** Undefined for searches, which are not counted. */
  readonly total: number | undefined
  readonly next: number | null
}

async function readNumbered({ accountId: AccountID, problem: ProblemUUID }: Filter, Offset: number, Limit: number) {
  if (AccountID !== undefined && ProblemUUID)
    return call('get_account_problem_submission_snippet_list', { AccountID, ProblemUUID, Offset, Limit })
  if (AccountID !== undefined) return call('get_account_submission_snippet_list', { AccountID, Offset, Limit })
  if (ProblemUUID) return call('get_problem_submission_snippet_list', { ProblemUUID, Offset, Limit })
  return call('get_submission_snippet_list', { Offset, Limit })
}

type Find = Operations['find_submission_snippet_list']

/** One call scans a few thousand submissions; if matches are rare, it takes several calls to fill a page. */
const mostCalls = 10

async function findNarrow(filter: Filter, before: number | undefined, Limit: number): Promise<Found> {
  const { accountId: AccountID, problem: ProblemUUID, language: Language, result: Result, status: Status } = filter
  const list: SubmissionSnippet[] = []
  let next: number | null | undefined = before
  for (let calls = 0; calls < mostCalls && list.length < Limit && next !== null; calls++) {
    const params: Find['params'] = {
      AccountID,
      ProblemUUID,
      Language,
      Result,
      Status,
      BeforeID: next,
      Limit: Limit - list.length,
    }
    const found: Find['result'] = await call('find_submission_snippet_list', params)
    list.push(...found.SubmissionSnippetList)
    next = found.NextBeforeID
  }
  return { list, total: undefined, next: next ?? null }
}

function List() {
  const filter = useFilter()
  const { query } = usePlace()
  const { page, Offset, Limit } = usePage()
  const isKeeper = isSetter(useSession())
  // The numbered list has no submissions to unreleased problems, not even for their authors.
  const isFound = filter.isNarrow || (isKeeper && (filter.by === 'all' || filter.by === 'me') && !filter.problem)
  const before = /^\d{1,15}$/.test(query.get('before') ?? '') ? Number(query.get('before')) : undefined
  const loaded = useLoad(`submissions ${query}`, async (): Promise<Found> => {
    if (isFound) return findNarrow(filter, before, Limit)
    const { SubmissionSnippetList, TotalSubmissionCount } = await readNumbered(filter, Offset, Limit)
    return { list: SubmissionSnippetList, total: TotalSubmissionCount, next: null }
  })
  const list = loaded.value?.list ?? []
  const isFirstPage = page === 1 && before === undefined
  const waiting = list.filter(({ Status }) => Status !== finished).map(({ ID }) => ID)
  useWatchedList(loaded.reload, 300, { ids: isFirstPage ? undefined : waiting.join(',') })
  return (
    <>
      <Heading title={filter.by === 'me' ? 'My submissions' : 'Submissions'} />
      <Filters authorName={list[0]?.Author.DisplayName} problemName={list[0]?.Problem.DisplayName} />
      <Ready of={loaded}>
        {(found) => (
          <>
            {found.list.length === 0 ? (
              <div class="card">
                <Nothing filter={filter} hasMore={found.next !== null} />
              </div>
            ) : (
              <SubmissionTable list={found.list} hasAuthor={filter.by !== 'me'} />
            )}
            {found.total !== undefined && found.total > 0 && <Pager total={found.total} what="submissions" />}
            {found.next !== null && <Older before={found.next} />}
          </>
        )}
      </Ready>
    </>
  )
}

function Nothing({ filter, hasMore }: { filter: ReturnType<typeof useFilter>; hasMore: boolean }) {
  if (filter.isNarrow)
    return (
      <Empty title={hasMore ? 'No match among the newer submissions' : 'No submissions match'}>
        <p>{hasMore ? 'Older ones may match: continue below.' : 'Choose “any” to see more.'}</p>
      </Empty>
    )
  const where = filter.problem ? ' to this problem' : ''
  if (filter.by === 'me')
    return (
      <Empty title={`You have submitted nothing${where} yet`}>
        <p>
          <a href="/-/judge">Choose a problem</a> and write a program.
        </p>
      </Empty>
    )
  return (
    <Empty
      title={filter.by === 'all' ? `There are no submissions${where} yet` : `This person has submitted nothing${where}`}
    >
      <p>Only submissions that you can see are listed.</p>
    </Empty>
  )
}

function Older({ before }: { before: number }) {
  const { path, query } = usePlace()
  const next = new URLSearchParams(query)
  next.set('before', String(before))
  return (
    <nav class="pager" aria-label="Pages">
      <span />
      <a class="button tight" href={`${path}?${next}`} rel="next">
        Older
      </a>
    </nav>
  )
}
