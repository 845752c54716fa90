/** A test of a problem, added or changed by hand. */
import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { plural } from '../../../src/lib/text/plural.ts'
import type { TestCaseJudging } from '../../api/judging.ts'
import type { TestCase } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { ArgumentFields, type CalledKind, type TestWords, toArgumentChange, toTestWords } from './test-arguments.tsx'
import { noWorth, toWorth, toWorthChange, WorthFields } from './test-worth.tsx'

type Draft = { readonly Input: string; readonly Output: string; readonly IsHidden: boolean }

type FieldsProps = {
  readonly draft: Draft
  readonly first?: RefObject<HTMLTextAreaElement | null>
  change(draft: Draft): void
}

const Fields = ({ draft, first, change }: FieldsProps) => (
  <>
    <Field label="Input">
      <textarea
        {...(first && { ref: first })}
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
      Hidden from contestants
    </label>
  </>
)

const blank: Draft = { Input: '', Output: '', IsHidden: true }

/** The judging options that the problem offers for its tests. */
export type Judgeable = {
  /** If the problem has groups or gives points. */
  readonly groups: readonly string[] | undefined
  /** If the problem's comparison takes arguments. */
  readonly checker: CalledKind | undefined
}

type AddProps = Judgeable & { readonly uuid: string; reload(): void }

export function AddTest({ uuid, groups, checker, reload }: AddProps) {
  const act = useAct()
  const [draft, setDraft] = useState(blank)
  const [added, setAdded] = useState(0)
  const input = useRef<HTMLTextAreaElement>(null)
  const [worth, setWorth] = useState(noWorth)
  const [words, setWords] = useState<TestWords>(null)
  const submit = async () => {
    const change = {
      ...(groups && worth !== noWorth && toWorthChange(worth)),
      ...(checker && words !== null && toArgumentChange(checker, words)),
    }
    const { TestCaseSnippet } = await call('create_test_case', { ProblemUUID: uuid, ...draft })
    setDraft({ ...blank, IsHidden: draft.IsHidden })
    setAdded((now) => now + 1)
    // The button is off for a moment, and would lose the focus; the next test begins here.
    input.current?.focus()
    try {
      if (Object.keys(change).length > 0)
        await call('update_test_case_judging', { UUID: TestCaseSnippet.UUID, ...change })
    } finally {
      // The test was added even if a later step failed.
      reload()
    }
  }
  return (
    <section class="card" aria-labelledby="add-test">
      <h2 id="add-test">Add a test</h2>
      <Form act={act} submit={submit}>
        <Fields draft={draft} first={input} change={setDraft} />
        {groups && <WorthFields worth={worth} groups={groups} change={setWorth} />}
        {checker && <ArgumentFields kind={checker} words={words} change={setWords} />}
        <div class="row">
          <Submit act={act}>Add</Submit>
          <span class="soft small" role="status">
            {added > 0 && `Added: ${plural(added, 'test')}.`}
          </span>
        </div>
      </Form>
    </section>
  )
}

type EditProps = Judgeable & {
  readonly test: TestCase
  readonly judging: TestCaseJudging | undefined
  close(): void
}

export function EditTest({ test, judging, groups, checker, close }: EditProps) {
  const act = useAct()
  const [draft, setDraft] = useState<Draft>(test)
  const [worth, setWorth] = useState(() => toWorth(judging))
  const [words, setWords] = useState(() => toTestWords(judging))
  const submit = async () => {
    const { Input, Output, IsHidden } = draft
    const change = {
      ...(groups && toWorthChange(worth)),
      // An argument may hold what a line of text can't: what is not changed here stays.
      ...(checker && words !== toTestWords(judging) && toArgumentChange(checker, words)),
    }
    if (Object.keys(change).length > 0) await call('update_test_case_judging', { UUID: test.UUID, ...change })
    await call('update_test_case', { UUID: test.UUID, Input, Output, IsHidden })
    close()
  }
  return (
    <Form act={act} submit={submit}>
      <Fields draft={draft} change={setDraft} />
      {groups && <WorthFields worth={worth} groups={groups} change={setWorth} />}
      {checker && <ArgumentFields kind={checker} words={words} change={setWords} />}
      <div class="row">
        <Submit act={act}>Save</Submit>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Form>
  )
}
