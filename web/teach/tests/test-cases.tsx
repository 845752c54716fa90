/** The tests of a problem: one by one, or as a zip. */
import type { Judging, TestCaseJudging } from '../../api/judging.ts'
import type { Example } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { useSignedIn } from '../../app/page.ts'
import { ownsProblem, useSession } from '../../app/session.ts'
import type { ViewProps } from '../../app/view.ts'
import { describePoints } from '../../judge/points.tsx'
import { useAct } from '../../parts/form.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Pager, usePage } from '../../parts/pager.tsx'
import { Empty, Failed, Ready } from '../../parts/state.tsx'
import { HeldNotice } from '../problems/held.tsx'
import { AddTest } from './test-form.tsx'
import { TestTable } from './test-table.tsx'
import { ManyWorth } from './test-worth.tsx'
import { ZipUpload } from './zip-upload.tsx'

export function TestCases({ params }: ViewProps) {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View uuid={params.uuid!} /> : null
}

async function readProblem(UUID: string) {
  const [{ Problem }, { Judging }] = await Promise.all([
    call('get_problem', { UUID }),
    call('get_problem_judging', { UUID }),
  ])
  return { ...Problem, judging: Judging }
}

function View({ uuid }: { uuid: string }) {
  const problem = useLoad(`judged ${uuid}`, () => readProblem(uuid))
  const session = useSession()
  return (
    <Ready of={problem}>
      {(value) => {
        const isOwn = ownsProblem(session, value)
        return (
          <>
            <Heading title={`Tests of ${value.DisplayName}`} note={describeOrder(value.judging)}>
              <a class="button" href={`/-/judge/problems/${uuid}`}>
                Try a solution
              </a>
              {isOwn && (
                <>
                  <a class="button" href={`/-/judge/problems/${uuid}/judging`}>
                    Judging
                  </a>
                  <a class="button" href={`/-/judge/problems/${uuid}/rejudge`}>
                    Rejudge
                  </a>
                </>
              )}
            </Heading>
            {isOwn ? (
              <HeldNotice uuid={uuid} />
            ) : (
              <p class="notice">Only its author, {value.Author.DisplayName}, and admins can change them.</p>
            )}
            <Tests
              uuid={uuid}
              isOwn={isOwn}
              judging={value.judging}
              examples={value.ExampleList}
              reloadProblem={problem.reload}
            />
          </>
        )
      }}
    </Ready>
  )
}

const describeOrder = (judging: Judging): string =>
  judging.IsScored
    ? `${describePoints(judging)}. Open tests run first and give no points. The other tests give points by group.`
    : 'Tests run in this order until the first one fails.'

type TestsProps = {
  readonly uuid: string
  readonly isOwn: boolean
  readonly judging: Judging
  readonly examples: readonly Example[]
  reloadProblem(): void
}

function Tests({ uuid, isOwn, judging, examples, reloadProblem }: TestsProps) {
  const { page, Offset, Limit } = usePage()
  const groups = judging.GroupList.map(({ Name }) => Name)
  const kind = isOwn ? judging.Checker?.Kind : undefined
  const checker = kind === 'lines' ? undefined : kind
  const hasWorth = isOwn && (judging.IsScored || judging.GroupList.length > 0)
  const list = useLoad(`tests ${uuid} ${page}`, async () => {
    const range = { ProblemUUID: uuid, Offset, Limit }
    const [tests, judgings] = await Promise.all([
      call('get_problem_test_case_snippet_list', range),
      isOwn ? call('get_problem_test_case_judging_list', range) : undefined,
    ])
    const byTest = (judgings?.TestCaseJudgingList ?? []).map((one): [string, TestCaseJudging] => [one.UUID, one])
    return { ...tests, judgings: new Map(byTest) }
  })
  return (
    <div class={isOwn ? 'solve wide-first' : ''}>
      <div class="stack">
        <Ready of={list}>
          {({ TotalTestCaseCount, TestCaseSnippetList, judgings }) => (
            <div>
              <div class="card flush scroll">
                {TotalTestCaseCount === 0 ? (
                  <Empty title="There are no tests yet">
                    <p>Without tests, every program that compiles is accepted.</p>
                    {isOwn && examples.length > 0 && <AddExamples uuid={uuid} list={examples} reload={list.reload} />}
                  </Empty>
                ) : (
                  <TestTable
                    list={TestCaseSnippetList}
                    first={Offset + 1}
                    judgings={judgings}
                    groups={hasWorth ? groups : undefined}
                    checker={checker}
                    isOwn={isOwn}
                    reload={list.reload}
                  />
                )}
              </div>
              <Pager total={TotalTestCaseCount} what="tests" />
            </div>
          )}
        </Ready>
        {isOwn && judging.GroupList.length > 0 && (
          <ManyWorth uuid={uuid} groups={groups} total={list.value?.TotalTestCaseCount ?? 0} reload={list.reload} />
        )}
      </div>
      {isOwn && (
        <div class="stack">
          <AddTest uuid={uuid} groups={hasWorth ? groups : undefined} checker={checker} reload={list.reload} />
          <ZipUpload
            uuid={uuid}
            reload={() => {
              list.reload()
              // Its folders may have become groups.
              reloadProblem()
            }}
          />
        </div>
      )}
    </div>
  )
}

function AddExamples({ uuid, list, reload }: { uuid: string; list: readonly Example[]; reload(): void }) {
  const act = useAct()
  const add = () =>
    act.run(async () => {
      for (const example of list) await call('create_test_case', { ProblemUUID: uuid, ...example, IsHidden: false })
      reload()
    })
  return (
    <>
      <button type="button" class="button" disabled={act.isBusy} onClick={() => void add()}>
        {list.length === 1 ? 'Add the example as an open test' : `Add the ${list.length} examples as open tests`}
      </button>
      {act.error !== undefined && <Failed error={act.error} />}
    </>
  )
}
