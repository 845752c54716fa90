/** Writing a problem: name, limits, statement with a preview as it is written, examples. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { explain } from '../api/fault.ts'
import type { Example, ProblemDraft } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { go, setGuard } from '../app/location.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Rendered } from '../parts/rendered.tsx'

const mebibyte = 1024 * 1024

type Props = {
  readonly first: ProblemDraft
  readonly action: string
  /** What stands above the button. */
  readonly children?: ComponentChildren
  /** Answers where to go on. */
  save(draft: ProblemDraft): Promise<string>
}

export function ProblemForm({ first, action, children, save }: Props) {
  const act = useAct()
  const [draft, setDraft] = useState(first)
  const isChanged = useRef(false)
  const change = (part: Partial<ProblemDraft>) => {
    isChanged.current = true
    setDraft((now) => ({ ...now, ...part }))
  }
  useEffect(() => {
    setGuard(() => (isChanged.current ? 'What you wrote is not saved yet. Leave it?' : undefined))
    return () => setGuard(undefined)
  }, [])
  const submit = async () => {
    const next = await save(draft)
    isChanged.current = false
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
          <StatementField text={draft.Description} change={(Description) => change({ Description })} />
          <Examples list={draft.ExampleList} change={(ExampleList) => change({ ExampleList })} />
          {children}
          <Submit act={act} busy="Saving …">
            {action}
          </Submit>
        </div>
        <Preview text={draft.Description} />
      </div>
    </Form>
  )
}

/** A picture in the text itself: a larger one would fill the statement. */
const mostPictureBytes = 60_000

function StatementField({ text, change }: { text: string; change(text: string): void }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [complaint, setComplaint] = useState('')
  const addPicture = async (file: File | undefined) => {
    if (!file) return
    if (!/^image\/(?:png|jpeg|gif|webp)$/.test(file.type) || file.size > mostPictureBytes) {
      setComplaint('A picture is a PNG, JPEG, GIF or WebP of at most 60 kB: make it smaller.')
      return
    }
    setComplaint('')
    const address = await new Promise<string>((resolve) => {
      const reader = new FileReader()
      reader.onload = () => resolve(String(reader.result))
      reader.readAsDataURL(file)
    })
    const at = field.current?.selectionStart ?? text.length
    change(`${text.slice(0, at)}\n\n![${file.name.replace(/[[\]\\]/g, '')}](${address})\n\n${text.slice(at)}`)
  }
  return (
    <>
      <Field
        label="Statement"
        hint="Markdown, with tables, and maths between dollars: $n \le 10^5$, or $$…$$ for a line of its own."
      >
        <textarea
          ref={field}
          class="mono"
          rows={16}
          maxLength={100_000}
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
        />
      </Field>
      <Field label="Add a picture">
        <input
          type="file"
          accept="image/png,image/jpeg,image/gif,image/webp"
          onChange={(event) => void addPicture(event.currentTarget.files?.[0])}
        />
      </Field>
      {complaint && <p role="alert">{complaint}</p>}
    </>
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

/** Waits until one pauses: the server renders it, as it will for everybody. */
const pauseMs = 400

function Preview({ text }: { text: string }) {
  const [html, setHtml] = useState('')
  const [complaint, setComplaint] = useState('')
  useEffect(() => {
    const controller = new AbortController()
    const timer = setTimeout(() => {
      call('preview_statement', { Description: text }, controller.signal).then(
        ({ HTML }) => {
          setHtml(HTML)
          setComplaint('')
        },
        (error) => controller.signal.aborted || setComplaint(explain(error)),
      )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text])
  return (
    <section class="card preview" aria-label="Preview">
      <p class="label soft">Preview</p>
      {complaint && <p role="alert">{complaint}</p>}
      {html ? <Rendered html={html} /> : <p class="soft">What you write appears here as others will read it.</p>}
    </section>
  )
}
