/** The tests of a problem: one by one, or as a zip. */
import { useState } from 'preact/hooks'
import type { Example, TestCase } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { useSignedIn } from '../app/page.ts'
import type { ViewProps } from '../app/routes.ts'
import { ask } from '../parts/ask.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Pager, usePage } from '../parts/pager.tsx'
import { Empty, Failed, Ready } from '../parts/state.tsx'
import { HeldNotice } from './held.tsx'
import { ZipUpload } from './zip-upload.tsx'

export function TestCases({ params }: ViewProps) {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View uuid={params.uuid!} /> : null
}

function View({ uuid }: { uuid: string }) {
  const { page, Offset, Limit } = usePage()
  const problem = useLoad(`name ${uuid}`, async () => (await call('get_problem', { UUID: uuid })).Problem)
  const list = useLoad(`tests ${uuid} ${page}`, () =>
    call('get_problem_test_case_snippet_list', { ProblemUUID: uuid, Offset, Limit }),
  )
  return (
    <Ready of={problem}>
      {({ DisplayName, ExampleList }) => (
        <>
          <Heading
            title={`Tests of ${DisplayName}`}
            note="A program is run on them in this order, up to the first that it fails."
          >
            <a class="button" href={`/-/judge/problems/${uuid}`}>
              Try a solution
            </a>
            <a class="button" href={`/-/judge/problems/${uuid}/rejudge`}>
              Judge again
            </a>
          </Heading>
          <HeldNotice uuid={uuid} />
          <div class="solve">
            <div>
              <Ready of={list}>
                {({ TotalTestCaseCount, TestCaseSnippetList }) => (
                  <>
                    <div class="card flush scroll">
                      {TotalTestCaseCount === 0 ? (
                        <Empty title="There are no tests yet">
                          <p>Until there are, every program that compiles is accepted.</p>
                          {ExampleList.length > 0 && (
                            <AddExamples uuid={uuid} list={ExampleList} reload={list.reload} />
                          )}
                        </Empty>
                      ) : (
                        <Table list={TestCaseSnippetList} first={Offset + 1} reload={list.reload} />
                      )}
                    </div>
                    <Pager total={TotalTestCaseCount} what="tests" />
                  </>
                )}
              </Ready>
            </div>
            <div class="stack">
              <AddTest uuid={uuid} reload={list.reload} />
              <ZipUpload uuid={uuid} reload={list.reload} />
            </div>
          </div>
        </>
      )}
    </Ready>
  )
}

function Table({ list, first, reload }: { list: readonly TestCase[]; first: number; reload(): void }) {
  const act = useAct()
  const [edited, setEdited] = useState<TestCase>()
  const remove = (test: TestCase, number: number) =>
    act.run(async () => {
      const question = { title: `Delete test ${number}?`, text: 'Its input and output are lost.', action: 'Delete' }
      if (!(await ask(question))) return
      await call('delete_test_case', { UUID: test.UUID })
      reload()
    })
  const edit = (UUID: string) => act.run(async () => setEdited((await call('get_test_case', { UUID })).TestCase))
  return (
    <>
      {act.error !== undefined && <Failed error={act.error} />}
      <table class="table">
        <thead>
          <tr>
            <th scope="col">No.</th>
            <th scope="col">Input</th>
            <th scope="col">Output</th>
            <th scope="col">Shown</th>
            <th scope="col">
              <span class="hidden-text">Acts</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((test, at) =>
            edited?.UUID === test.UUID ? (
              <tr key={test.UUID}>
                <td colSpan={5}>
                  <EditTest
                    test={edited}
                    close={() => {
                      setEdited(undefined)
                      reload()
                    }}
                  />
                </td>
              </tr>
            ) : (
              <tr key={test.UUID}>
                <td>{first + at}</td>
                <td class="excerpt">{test.Input}</td>
                <td class="excerpt">{test.Output}</td>
                <td>{test.IsHidden ? <span class="badge">Hidden</span> : <span class="badge good">Open</span>}</td>
                <td class="number">
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
              </tr>
            ),
          )}
        </tbody>
      </table>
    </>
  )
}

type Draft = { readonly Input: string; readonly Output: string; readonly IsHidden: boolean }

const Fields = ({ draft, change }: { draft: Draft; change(draft: Draft): void }) => (
  <>
    <Field label="Input">
      <textarea
        class="mono"
        rows={4}
        value={draft.Input}
        onInput={(event) => change({ ...draft, Input: event.currentTarget.value })}
      />
    </Field>
    <Field label="Output">
      <textarea
        class="mono"
        rows={4}
        value={draft.Output}
        onInput={(event) => change({ ...draft, Output: event.currentTarget.value })}
      />
    </Field>
    <label class="check">
      <input
        type="checkbox"
        checked={draft.IsHidden}
        onChange={(event) => change({ ...draft, IsHidden: event.currentTarget.checked })}
      />
      Hidden from those who solve it
    </label>
  </>
)

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

const blank: Draft = { Input: '', Output: '', IsHidden: true }

function AddTest({ uuid, reload }: { uuid: string; reload(): void }) {
  const act = useAct()
  const [draft, setDraft] = useState(blank)
  const submit = async () => {
    await call('create_test_case', { ProblemUUID: uuid, ...draft })
    setDraft({ ...blank, IsHidden: draft.IsHidden })
    reload()
  }
  return (
    <section class="card" aria-labelledby="add-test">
      <h2 id="add-test">Add a test</h2>
      <Form act={act} submit={submit}>
        <Fields draft={draft} change={setDraft} />
        <Submit act={act}>Add</Submit>
      </Form>
    </section>
  )
}

function EditTest({ test, close }: { test: TestCase; close(): void }) {
  const act = useAct()
  const [draft, setDraft] = useState<Draft>(test)
  const submit = async () => {
    const { Input, Output, IsHidden } = draft
    await call('update_test_case', { UUID: test.UUID, Input, Output, IsHidden })
    close()
  }
  return (
    <Form act={act} submit={submit}>
      <Fields draft={draft} change={setDraft} />
      <div class="row">
        <Submit act={act}>Save</Submit>
        <button type="button" class="button" onClick={close}>
          Leave as it is
        </button>
      </div>
    </Form>
  )
}
