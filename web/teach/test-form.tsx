/** A test of a problem, added or changed by hand. */
import { useState } from 'preact/hooks'
import type { TestCase } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'

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

export function AddTest({ uuid, reload }: { uuid: string; reload(): void }) {
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

export function EditTest({ test, close }: { test: TestCase; close(): void }) {
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
