/** Rejudgings: their changes are compared, then applied or cancelled as a whole. */
import { plural } from '../../../src/lib/text/plural.ts'
import type { Contest, RejudgedSubmission, Rejudging } from '../../api/contests.ts'
import { isMissing } from '../../api/fault.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import type { ViewProps } from '../../app/view.ts'
import { ResultBadge } from '../../judge/badge.tsx'
import { executing, finished } from '../../judge/results.ts'
import { ask } from '../../parts/ask.tsx'
import { useAct } from '../../parts/form.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { Pager, usePage } from '../../parts/pager.tsx'
import { Empty, FailedAct, Ready } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { When } from '../../parts/when.tsx'
import { usePolling } from '../polling.ts'
import { ProblemLabel } from '../problem-label.tsx'
import { contestPath } from '../shown.ts'
import { useTeamNames } from '../teams.ts'
import { ManagePage } from './manage-page.tsx'

export const ManageRejudgings = ({ params }: ViewProps) => (
  <ManagePage id={params.contest!} tab="rejudgings">
    {({ contest }) => <List contest={contest} />}
  </ManagePage>
)

export const ManageRejudging = ({ params }: ViewProps) => (
  <ManagePage id={params.contest!} tab="rejudgings">
    {({ contest }) => <One contest={contest} id={Number(params.id)} />}
  </ManagePage>
)

const State = ({
  rejudging: { State: state, TotalSubmissionCount, JudgedSubmissionCount },
}: {
  rejudging: Rejudging
}) =>
  state === 'applied' ? (
    <span class="badge good">Applied</span>
  ) : state === 'cancelled' ? (
    <span class="badge">Cancelled</span>
  ) : JudgedSubmissionCount < TotalSubmissionCount ? (
    <span class="badge wait">
      <span class="spinner" aria-hidden="true" /> {JudgedSubmissionCount} of {TotalSubmissionCount} judged
    </span>
  ) : (
    <span class="badge wait">Ready to compare</span>
  )

function List({ contest }: { contest: Contest }) {
  const columns: readonly Column<Rejudging>[] = [
    { head: 'No.', cell: ({ ID }) => <a href={contestPath(contest.ID, `manage/rejudgings/${ID}`)}>{ID}</a> },
    { head: 'Reason', cell: ({ Reason }) => Reason },
    { head: 'State', cell: (one) => <State rejudging={one} /> },
    { head: 'Changes', class: 'number', cell: ({ ChangedSubmissionCount }) => ChangedSubmissionCount },
    {
      head: 'Started',
      class: 'number wide-only',
      look: 'soft',
      cell: ({ CreatedTime, CreatedBy }) => (
        <>
          {CreatedBy}, <When at={CreatedTime} />
        </>
      ),
    },
  ]
  return (
    <PagedList
      name={`rejudgings ${contest.ID}`}
      what="rejudgings"
      empty={
        <Empty title="There are no rejudgings">
          <p>
            Filter the <a href={contestPath(contest.ID, 'submissions')}>submissions</a>, then rejudge the ones shown.
          </p>
        </Empty>
      }
      read={async (range) => {
        const { RejudgingList, TotalRejudgingCount } = await call('get_rejudging_list', {
          ContestID: contest.ID,
          ...range,
        })
        return { total: TotalRejudgingCount, list: RejudgingList }
      }}
    >
      {(list) => <Table rows={list} columns={columns} keyOf={({ ID }) => ID} />}
    </PagedList>
  )
}

const size = 50
const openMs = 3_000
const calmMs = 60_000

function One({ contest, id }: { contest: Contest; id: number }) {
  const { page, Offset, Limit } = usePage(size)
  const loaded = useLoad(`rejudging ${contest.ID} ${id} ${page}`, () =>
    call('get_rejudging', { ContestID: contest.ID, ID: id, Offset, Limit }),
  )
  usePolling(loaded.reload, loaded.value?.Rejudging.State === 'open' ? openMs : calmMs)
  if (loaded.value === undefined && isMissing(loaded.error))
    return (
      <div class="card">
        <Empty title="There is no such rejudging" />
      </div>
    )
  return (
    <Ready of={loaded}>
      {({ Rejudging: rejudging, SubmissionList, TotalSubmissionCount }) => (
        <div class="stack">
          <Head contest={contest} rejudging={rejudging} reload={loaded.reload} />
          <Changes contest={contest} list={SubmissionList} />
          <Pager total={TotalSubmissionCount} size={size} what="submissions" />
        </div>
      )}
    </Ready>
  )
}

type HeadProps = { readonly contest: Contest; readonly rejudging: Rejudging; reload(): void }

function Head({ contest, rejudging, reload }: HeadProps) {
  const act = useAct()
  const { ID, Reason, State: state, ChangedSubmissionCount: changed } = rejudging
  const isJudged = rejudging.JudgedSubmissionCount === rejudging.TotalSubmissionCount
  // A score can change while the result stays the same.
  const isIdle = isJudged && changed === 0 && contest.Style === 'icpc'
  const apply = () =>
    act.run(async () => {
      const text = `${plural(changed, 'result')} will change, here and on the scoreboard. This can’t be undone.`
      if (!(await ask({ title: 'Apply the new results?', text, action: 'Apply' }))) return
      await call('apply_rejudging', { ContestID: contest.ID, ID })
      reload()
    })
  const cancel = () =>
    act.run(async () => {
      const text = 'All results stay as they are.'
      if (!(await ask({ title: 'Cancel this rejudging?', text, action: 'Cancel rejudging' }))) return
      await call('cancel_rejudging', { ContestID: contest.ID, ID })
      reload()
    })
  return (
    <section class="card" aria-labelledby="rejudging">
      <div class="row spread">
        <h2 id="rejudging">Rejudging {ID}</h2>
        <State rejudging={rejudging} />
      </div>
      <p>{Reason}</p>
      <p role="status">
        {changed === 0
          ? isJudged
            ? isIdle
              ? 'Nothing changes.'
              : 'No result changes; points may.'
            : 'No change so far.'
          : `${plural(changed, 'result')} ${changed === 1 ? 'changes' : 'change'}${isJudged ? '' : ' so far'}.`}
      </p>
      {state === 'open' && (
        <div class="row">
          <button
            type="button"
            class="button main"
            disabled={act.isBusy || !isJudged || isIdle}
            onClick={() => void apply()}
          >
            Apply
          </button>
          <button type="button" class="button" disabled={act.isBusy} onClick={() => void cancel()}>
            Cancel rejudging
          </button>
        </div>
      )}
      <FailedAct act={act} />
    </section>
  )
}

function Changes({ contest, list }: { contest: Contest; list: readonly RejudgedSubmission[] }) {
  const nameOf = useTeamNames(contest.ID)
  const columns: readonly Column<RejudgedSubmission>[] = [
    { head: 'No.', cell: ({ SubmissionID }) => <a href={`/-/judge/submissions/${SubmissionID}`}>{SubmissionID}</a> },
    { head: 'Team', cell: ({ TeamID }) => nameOf(TeamID) },
    {
      head: 'Problem',
      cell: ({ ProblemID }) => {
        const problem = contest.ProblemList.find(({ ID }) => ID === ProblemID)
        return problem ? <ProblemLabel problem={problem} /> : ProblemID
      },
    },
    { head: 'Before', cell: ({ OldResult }) => <ResultBadge status={finished} result={OldResult} /> },
    {
      head: 'After',
      cell: ({ OldResult, NewResult }) =>
        NewResult === null ? (
          <ResultBadge status={executing} result={0} />
        ) : NewResult === OldResult ? (
          <span class="soft">the same</span>
        ) : (
          <ResultBadge status={finished} result={NewResult} />
        ),
    },
  ]
  return (
    <div class="card flush scroll">
      {list.length === 0 ? (
        <Empty title="No submission matched" />
      ) : (
        <Table class="table fold" rows={list} columns={columns} keyOf={({ SubmissionID }) => SubmissionID} />
      )}
    </div>
  )
}
