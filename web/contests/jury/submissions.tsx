/**
 * All submissions to a contest, for its jury: filter, ignore, override, rejudge.
 */
import { useState } from 'preact/hooks'
import type { Contest, SubmissionPlace } from '../../api/contests.ts'
import type { Operations, SubmissionSnippet } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { go, setQuery, usePlace } from '../../app/location.ts'
import { languageName, useSession } from '../../app/session.ts'
import { ResultBadge } from '../../judge/badge.tsx'
import { Points } from '../../judge/points.tsx'
import { finished, results } from '../../judge/results.ts'
import { useWatchedList } from '../../judge/watched-list.ts'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { SelectChoice } from '../../parts/select-choice.tsx'
import { Empty, FailedAct, Ready } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { formatClock } from '../contest-clock.tsx'
import { ProblemLabel } from '../problem-label.tsx'
import { contestPath } from '../shown.ts'
import { useTeams } from '../teams.ts'
import { Override } from './override.tsx'

type Find = Operations['find_submission_snippet_list']
type Found = {
  readonly list: readonly SubmissionSnippet[]
  readonly places: ReadonlyMap<number, SubmissionPlace>
  readonly next: number | null
}

const size = 50
/** One call scans a few thousand submissions; if matches are rare, it takes several calls to fill a page. */
const mostCalls = 10
const calmMs = 500

type Filter = {
  readonly problem: string | undefined
  readonly team: string | undefined
  readonly language: string | undefined
  readonly result: number | undefined
}

function useFilter(): Filter {
  const { query } = usePlace()
  const result = query.get('result') ?? ''
  return {
    problem: query.get('problem') ?? undefined,
    team: query.get('team') ?? undefined,
    language: query.get('language') ?? undefined,
    result: /^\d$/.test(result) ? Number(result) : undefined,
  }
}

async function find({ ID, ProblemList }: Contest, filter: Filter, before: number | undefined): Promise<Found> {
  const list: SubmissionSnippet[] = []
  let next: number | null | undefined = before
  const { result: Result } = filter
  const ProblemUUID = ProblemList.find((one) => one.ID === filter.problem)?.UUID
  for (let calls = 0; calls < mostCalls && list.length < size && next !== null; calls++) {
    const params: Find['params'] = {
      ContestID: ID,
      ProblemUUID,
      TeamID: filter.team,
      Language: filter.language,
      Result,
      Status: Result !== undefined && Result > 0 ? finished : undefined,
      BeforeID: next,
      Limit: size - list.length,
    }
    const found: Find['result'] = await call('find_submission_snippet_list', params)
    list.push(...found.SubmissionSnippetList)
    next = found.NextBeforeID
  }
  return { list, places: await readPlaces(ID, list), next: next ?? null }
}

async function readPlaces(ContestID: string, list: readonly SubmissionSnippet[]) {
  if (list.length === 0) return new Map<number, SubmissionPlace>()
  const SubmissionIDList = list.map(({ ID }) => ID)
  const { SubmissionList } = await call('get_contest_submission_list', { ContestID, SubmissionIDList })
  return new Map(SubmissionList.map((one) => [one.SubmissionID, one]))
}

export function JurySubmissions({ contest }: { contest: Contest }) {
  const filter = useFilter()
  const { query, path } = usePlace()
  const teams = useTeams(contest.ID)
  const names = new Map((teams.value ?? []).map(({ ID, Name }) => [ID, Name]))
  const before = /^\d{1,15}$/.test(query.get('before') ?? '') ? Number(query.get('before')) : undefined
  const loaded = useLoad(`jury submissions ${contest.ID} ${query}`, () => find(contest, filter, before))
  const [overridden, setOverridden] = useState<number>()
  const act = useAct()
  const waiting = (loaded.value?.list ?? []).filter(({ Status }) => Status !== finished).map(({ ID }) => ID)
  useWatchedList(loaded.reload, calmMs, { ids: before === undefined ? undefined : waiting.join(',') })
  const ignore = (ID: number, IsIgnored: boolean) =>
    act.run(async () => {
      await call('ignore_submission', { ID, IsIgnored })
      loaded.reload()
    })
  const columns = columnsWith({
    contest,
    places: loaded.value?.places ?? new Map(),
    nameOf: (id) => names.get(id) ?? id,
    isBusy: act.isBusy || contest.FinalizedTime !== null,
    ignore: (id, isIgnored) => void ignore(id, isIgnored),
    override: setOverridden,
  })
  const next = new URLSearchParams(query)
  if (loaded.value?.next) next.set('before', String(loaded.value.next))
  return (
    <div class="stack">
      <Filters contest={contest} filter={filter} teams={[...names]} />
      <FailedAct act={act} />
      {overridden !== undefined && (
        <Override
          key={overridden}
          id={overridden}
          close={() => {
            setOverridden(undefined)
            loaded.reload()
          }}
        />
      )}
      <Ready of={loaded}>
        {(found) => (
          <>
            <div class="card flush scroll">
              {found.list.length === 0 ? (
                <Empty title={query.size > 0 ? 'No submissions match' : 'There are no submissions yet'} />
              ) : (
                <Table class="table fold" rows={found.list} columns={columns} keyOf={({ ID }) => ID} />
              )}
            </div>
            {found.next !== null && (
              <nav class="pager" aria-label="Pages">
                <span />
                <a class="button tight" href={`${path}?${next}`} rel="next">
                  Older
                </a>
              </nav>
            )}
            {found.list.length > 0 && contest.FinalizedTime === null && <Rejudge contest={contest} filter={filter} />}
          </>
        )}
      </Ready>
    </div>
  )
}

type ColumnNeeds = {
  readonly contest: Contest
  readonly places: ReadonlyMap<number, SubmissionPlace>
  readonly isBusy: boolean
  nameOf(id: string): string
  ignore(id: number, isIgnored: boolean): void
  override(id: number): void
}

function columnsWith(needs: ColumnNeeds): readonly Column<SubmissionSnippet>[] {
  const { contest, places, isBusy, nameOf, ignore, override } = needs
  const problems = new Map(contest.ProblemList.map((problem) => [problem.UUID, problem]))
  return [
    { head: 'No.', cell: ({ ID }) => <a href={`/-/judge/submissions/${ID}`}>{ID}</a> },
    {
      head: 'Contest time',
      class: 'number',
      look: 'soft',
      cell: ({ ID }) => formatClock(places.get(ID)?.ContestTime ?? 0),
    },
    {
      head: 'Team',
      cell: ({ ID, Author }) => {
        const place = places.get(ID)
        return place ? nameOf(place.TeamID) : Author.DisplayName
      },
    },
    {
      head: 'Problem',
      cell: ({ Problem }) => {
        const problem = problems.get(Problem.UUID)
        return problem ? (
          <span title={problem.DisplayName}>
            <ProblemLabel problem={problem} />
          </span>
        ) : (
          Problem.DisplayName
        )
      },
    },
    {
      head: 'Result',
      cell: ({ ID, Status, Result, Score, MaximumScore }) => (
        <>
          <ResultBadge status={Status} result={Result} /> <Points score={Score} maximum={MaximumScore} />{' '}
          {places.get(ID)?.IsIgnored && <span class="badge wait">Ignored</span>}
        </>
      ),
    },
    { head: 'Language', class: 'roomy-only', look: 'soft', cell: ({ Language }) => languageName(Language) },
    {
      head: <span class="hidden-text">Actions</span>,
      look: 'acts',
      cell: ({ ID, Status }) => {
        const isIgnored = places.get(ID)?.IsIgnored ?? false
        return (
          <span class="row row-acts">
            <button
              type="button"
              class="button quiet tight"
              disabled={isBusy}
              aria-label={`${isIgnored ? 'Count' : 'Ignore'} submission ${ID}`}
              onClick={() => ignore(ID, !isIgnored)}
            >
              {isIgnored ? 'Count' : 'Ignore'}
            </button>
            {Status === finished && (
              <button
                type="button"
                class="button quiet tight"
                disabled={isBusy}
                aria-label={`Override the result of submission ${ID}`}
                onClick={() => override(ID)}
              >
                Override
              </button>
            )}
          </span>
        )
      },
    },
  ]
}

const any = ['', 'any'] as const
const ask = (change: Readonly<Record<string, string | undefined>>) => setQuery({ ...change, before: undefined })

type FilterProps = {
  readonly contest: Contest
  readonly filter: Filter
  readonly teams: readonly (readonly [id: string, name: string])[]
}

function Filters({ contest, filter, teams }: FilterProps) {
  const { info } = useSession()
  return (
    <search class="row filters">
      <SelectChoice
        label="Problem"
        value={filter.problem ?? ''}
        choose={(problem) => ask({ problem })}
        options={[
          any,
          ...contest.ProblemList.map(({ ID, Label, DisplayName }) => [ID, `${Label}. ${DisplayName}`] as const),
        ]}
      />
      <SelectChoice label="Team" value={filter.team ?? ''} choose={(team) => ask({ team })} options={[any, ...teams]} />
      <SelectChoice
        label="Language"
        value={filter.language ?? ''}
        choose={(language) => ask({ language })}
        options={[any, ...info.SupportedLanguageList.map(({ Value, Name }) => [Value, Name] as const)]}
      />
      <SelectChoice
        label="Result"
        value={filter.result === undefined ? '' : String(filter.result)}
        choose={(result) => ask({ result })}
        options={[any, ...results.map((text, at) => [String(at), text] as const)]}
      />
    </search>
  )
}

/** Rejudges the filtered submissions; the results are compared before they count. */
function Rejudge({ contest, filter }: { contest: Contest; filter: Filter }) {
  const act = useAct()
  const [reason, setReason] = useState('')
  const submit = async () => {
    const { Rejudging } = await call('create_rejudging', {
      ContestID: contest.ID,
      ProblemID: filter.problem,
      TeamID: filter.team,
      Language: filter.language,
      ...(filter.result !== undefined && filter.result > 0 && { Result: filter.result }),
      Reason: reason,
    })
    go(contestPath(contest.ID, `manage/rejudgings/${Rejudging.ID}`))
  }
  const isNarrow = Object.values(filter).some((one) => one !== undefined)
  return (
    <section class="card text-width" aria-labelledby="rejudge">
      <h2 id="rejudge">Rejudge</h2>
      <p class="soft">
        {isNarrow ? 'All submissions that match the filters' : 'All submissions of the contest'} are judged again. You
        compare the new results with the current ones before anything changes.
      </p>
      <Form act={act} submit={submit}>
        <Field label="Reason">
          <input value={reason} maxLength={1_000} required onInput={(event) => setReason(event.currentTarget.value)} />
        </Field>
        <Submit act={act} busy="Starting …">
          Start rejudging
        </Submit>
      </Form>
    </section>
  )
}
