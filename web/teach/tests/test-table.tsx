/** The tests of a problem as a table, with groups and points for the problem's author and admins. */
import { useState } from 'preact/hooks'
import type { TestCaseJudging } from '../../api/judging.ts'
import type { TestCase } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import { ask } from '../../parts/ask.tsx'
import { formatBytes } from '../../parts/figures.ts'
import { useAct } from '../../parts/form.tsx'
import { Failed } from '../../parts/state.tsx'
import { EditTest, type Judgeable } from './test-form.tsx'

type Props = Judgeable & {
  readonly list: readonly TestCase[]
  readonly first: number
  /** Empty except for the problem's author and admins. */
  readonly judgings: ReadonlyMap<string, TestCaseJudging>
  readonly isOwn: boolean
  reload(): void
}

export function TestTable({ list, first, judgings, groups, checker, isOwn, reload }: Props) {
  const act = useAct()
  const [edited, setEdited] = useState<TestCase>()
  const remove = (test: TestCase, number: number) =>
    act.run(async () => {
      const question = { title: `Delete test ${number}?`, text: 'Its input and output are deleted.', action: 'Delete' }
      if (!(await ask(question))) return
      await call('delete_test_case', { UUID: test.UUID })
      reload()
    })
  const edit = (UUID: string) => act.run(async () => setEdited((await call('get_test_case', { UUID })).TestCase))
  return (
    <>
      {act.error !== undefined && <Failed error={act.error} />}
      <table class="table fold">
        <thead>
          <tr>
            <th scope="col">No.</th>
            <th scope="col">Input</th>
            <th scope="col">Output</th>
            <th scope="col">Shown</th>
            {groups && (
              <>
                <th scope="col">Group</th>
                <th scope="col" class="number">
                  Points
                </th>
              </>
            )}
            {isOwn && (
              <th scope="col">
                <span class="hidden-text">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {list.map((test, at) =>
            edited?.UUID === test.UUID ? (
              <tr key={test.UUID}>
                <td colSpan={7} class="grow">
                  <EditTest
                    test={edited}
                    judging={judgings.get(test.UUID)}
                    groups={groups}
                    checker={checker}
                    close={() => {
                      setEdited(undefined)
                      reload()
                    }}
                  />
                </td>
              </tr>
            ) : (
              <tr key={test.UUID}>
                <td>
                  {first + at}
                  <TestName name={judgings.get(test.UUID)?.Name} />
                  <Size bytes={judgings.get(test.UUID)?.ByteCount} />
                </td>
                <td class="excerpt several">
                  <div>{test.Input}</div>
                </td>
                <td class="excerpt several">
                  <div>{test.Output}</div>
                </td>
                <td>
                  {test.IsHidden ? <span class="badge">Hidden</span> : <span class="badge good">Open</span>}{' '}
                  {checker && judgings.get(test.UUID)?.ArgumentList && <span class="badge">Own arguments</span>}
                </td>
                {groups && <Worth test={test} judging={judgings.get(test.UUID)} />}
                {isOwn && (
                  <td class="acts stacked">
                    <button
                      type="button"
                      class="button quiet tight"
                      onClick={() => void edit(test.UUID)}
                      aria-label={`Edit test ${first + at}`}
                    >
                      Edit
                    </button>
                    <button
                      type="button"
                      class="button quiet tight"
                      onClick={() => void remove(test, first + at)}
                      aria-label={`Delete test ${first + at}`}
                    >
                      Delete
                    </button>
                  </td>
                )}
              </tr>
            ),
          )}
        </tbody>
      </table>
    </>
  )
}

/** Its name in the package. */
const TestName = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : <small class="soft"> {name}</small>

/** Two tests may begin alike. */
const Size = ({ bytes }: { bytes: number | undefined }) =>
  bytes === undefined ? null : <small class="soft nowrap block">{formatBytes(bytes)}</small>

/** Open tests are run first, and give nothing. */
const Worth = ({ test, judging }: { test: TestCase; judging: TestCaseJudging | undefined }) => (
  <>
    <td>{judging?.Group}</td>
    <td class="number">
      {test.IsHidden ? (judging?.Points ?? <span class="soft">equal share</span>) : 0}
      <span class="narrow-only"> points</span>
    </td>
  </>
)
