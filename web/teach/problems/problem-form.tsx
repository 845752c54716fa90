/** Writing a problem: name, limits, statement with a preview as it is written, examples. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Example, ProblemDraft } from '../../api/operations.ts'
import { go } from '../../app/location.ts'
import { useUnsavedGuard } from '../../app/page.ts'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Preview, StatementField } from './statement-field.tsx'

const mebibyte = 1024 * 1024

export type ProblemFields = ProblemDraft & { readonly TagList: readonly string[] }

type Props = {
  /** The existing problem, whose files the pictures become. */
  readonly uuid?: string
  readonly first: ProblemFields
  readonly action: string
  /** Content above the button. */
  readonly children?: ComponentChildren
  /** Answers the address to go to, or undefined if the user decided not to save. `begun`: as the form opened. */
  save(draft: ProblemFields, begun: ProblemFields): Promise<string | undefined>
}

export function ProblemForm({ uuid, first, action, children, save }: Props) {
  const act = useAct()
  const [begun] = useState(first)
  const [draft, setDraft] = useState<ProblemDraft>(begun)
  const [tags, setTags] = useState(begun.TagList.join(', '))
  const guard = useUnsavedGuard()
  const change = (part: Partial<ProblemDraft>) => {
    guard.note()
    setDraft((now) => ({ ...now, ...part }))
  }
  const submit = async () => {
    const ExampleList = draft.ExampleList.filter(({ Input, Output }) => Input !== '' || Output !== '')
    const TagList = tags
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean)
    const next = await save({ ...draft, ExampleList, TagList }, begun)
    if (next === undefined) return
    guard.clear()
    go(next)
  }
  return (
    <Form act={act} submit={submit}>
      <div class="solve">
        <div>
          <Field label="Name">
            <input
              value={draft.DisplayName}
              onInput={(event) => change({ DisplayName: event.currentTarget.value })}
              maxLength={256}
              required
            />
          </Field>
          <div class="pair">
            <Field label="Time limit (ms)">
              <input
                type="number"
                min={1}
                max={60_000}
                value={draft.TimeLimitInMillisecond}
                onInput={(event) => change({ TimeLimitInMillisecond: Number(event.currentTarget.value) })}
                required
              />
            </Field>
            <Field label="Memory limit (MiB)">
              <input
                type="number"
                min={4}
                max={8192}
                value={Math.round(draft.MemoryLimitInByte / mebibyte)}
                onInput={(event) => change({ MemoryLimitInByte: Number(event.currentTarget.value) * mebibyte })}
                required
              />
            </Field>
          </div>
          <Field label="Tags" hint="Separate with commas: loops, easy. People can search for tags.">
            <input
              value={tags}
              onInput={(event) => {
                guard.note()
                setTags(event.currentTarget.value)
              }}
              maxLength={700}
            />
          </Field>
          <StatementField uuid={uuid} text={draft.Description} change={(Description) => change({ Description })} />
          <Examples list={draft.ExampleList} change={(ExampleList) => change({ ExampleList })} />
          {children}
          <Submit act={act} busy="Saving …">
            {action}
          </Submit>
        </div>
        <Preview uuid={uuid} text={draft.Description} />
      </div>
    </Form>
  )
}

function Examples({ list, change }: { list: readonly Example[]; change(list: readonly Example[]): void }) {
  const set = (at: number, part: Partial<Example>) =>
    change(list.map((example, place) => (place === at ? { ...example, ...part } : example)))
  return (
    <fieldset class="plain">
      <legend class="label">Examples</legend>
      {list.map((example, at) => (
        <div class="pair" key={at}>
          <Field label={`Input ${at + 1}`}>
            <textarea
              class="mono"
              rows={3}
              value={example.Input}
              onInput={(event) => set(at, { Input: event.currentTarget.value })}
            />
          </Field>
          <Field label={`Output ${at + 1}`}>
            <textarea
              class="mono"
              rows={3}
              value={example.Output}
              onInput={(event) => set(at, { Output: event.currentTarget.value })}
            />
          </Field>
        </div>
      ))}
      <div class="row">
        {list.length < 20 && (
          <button type="button" class="button tight" onClick={() => change([...list, { Input: '', Output: '' }])}>
            Add an example
          </button>
        )}
        {list.length > 0 && (
          <button type="button" class="button tight quiet" onClick={() => change(list.slice(0, -1))}>
            Remove the last
          </button>
        )}
      </div>
      <br />
    </fieldset>
  )
}
