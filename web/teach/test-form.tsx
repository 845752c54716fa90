/** A test of a problem, added or changed by hand. */
import { useState } from 'preact/hooks'
import type { TestCaseJudging } from '../api/judging.ts'
import type { TestCase } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { noWorth, toWorth, toWorthChange, WorthFields } from './test-worth.tsx'

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

const blank: Draft = { Input: '', Output: '', IsHidden: true }

type AddProps = {
  readonly uuid: string
  /** Of a problem that has groups or gives points. */
  readonly groups: readonly string[] | undefined
  reload(): void
}

export function AddTest({ uuid, groups, reload }: AddProps) {
  const act = useAct()
  const [draft, setDraft] = useState(blank)
  const [worth, setWorth] = useState(noWorth)
  const submit = async () => {
    const { TestCaseSnippet } = await call('create_test_case', { ProblemUUID: uuid, ...draft })
    setDraft({ ...blank, IsHidden: draft.IsHidden })
    if (groups && worth !== noWorth)
      await call('update_test_case_judging', { UUID: TestCaseSnippet.UUID, ...toWorthChange(worth) })
    reload()
  }
  return (
    <section class="card" aria-labelledby="add-test">
      <h2 id="add-test">Add a test</h2>
      <Form act={act} submit={submit}>
        <Fields draft={draft} change={setDraft} />
        {groups && <WorthFields worth={worth} groups={groups} change={setWorth} />}
        <Submit act={act}>Add</Submit>
      </Form>
    </section>
  )
}

type EditProps = {
  readonly test: TestCase
  /** Undefined unless the problem has groups or gives points. */
  readonly judging: TestCaseJudging | undefined
  readonly groups: readonly string[]
  close(): void
}

export function EditTest({ test, judging, groups, close }: EditProps) {
  const act = useAct()
  const [draft, setDraft] = useState<Draft>(test)
  const [worth, setWorth] = useState(() => toWorth(judging))
  const submit = async () => {
    const { Input, Output, IsHidden } = draft
    if (judging) await call('update_test_case_judging', { UUID: test.UUID, ...toWorthChange(worth) })
    await call('update_test_case', { UUID: test.UUID, Input, Output, IsHidden })
    close()
  }
  return (
    <Form act={act} submit={submit}>
      <Fields draft={draft} change={setDraft} />
      {judging && <WorthFields worth={worth} groups={groups} change={setWorth} />}
      <div class="row">
        <Submit act={act}>Save</Submit>
        <button type="button" class="button" onClick={close}>
          Leave as it is
        </button>
      </div>
    </Form>
  )
}
