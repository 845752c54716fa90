/** The fields of an issue form. */
import { request } from '../api/forge.ts'
import { useLoad } from '../app/load.ts'
import { Field } from '../parts/form.tsx'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
import { Rendered } from '../parts/rendered.tsx'
import type { Answers, FormField, IssueForm } from './issue-forms.ts'

type Props = {
  readonly form: IssueForm
  readonly repository: string
  readonly answers: Answers
  change(answers: Answers): void
}

export const IssueFormFields = ({ form, repository, answers, change }: Props) => (
  <>
    {form.fields.map((field, at) => {
      if (field.kind === 'markdown') return <Explanation key={`text ${at}`} text={field.text} repository={repository} />
      const write = (answer: Answers[string]) => change({ ...answers, [field.id]: answer })
      return (
        <Question key={field.id} field={field} repository={repository} answer={answers[field.id] ?? ''} write={write} />
      )
    })}
  </>
)

function Explanation({ text, repository }: { readonly text: string; readonly repository: string }) {
  const html = useLoad(`explanation ${repository} ${text}`, async () => {
    const body = { text, mode: 'gfm', context: repository }
    return (await request('/markdown', { method: 'POST', body, accept: 'text/html' })).text()
  })
  if (!html.value) return null
  return (
    <div class="field">
      <Rendered html={html.value} />
    </div>
  )
}

type QuestionProps = {
  readonly field: Exclude<FormField, { kind: 'markdown' }>
  readonly repository: string
  readonly answer: Answers[string]
  write(answer: Answers[string]): void
}

function Question({ field, repository, answer, write }: QuestionProps) {
  const { label, about, isRequired } = field
  const name = isRequired ? `${label} (required)` : label
  const text = typeof answer === 'string' ? answer : ''
  const chosen = typeof answer === 'string' ? [] : answer
  const hint = about ? { hint: about } : {}
  if (field.kind === 'checkboxes')
    return (
      <fieldset class="plain field">
        <legend class="label">{name}</legend>
        {field.boxes.map(({ label, isRequired: isBoxRequired }, at) => (
          <label key={label} class="check">
            <input
              type="checkbox"
              required={isBoxRequired}
              checked={chosen.includes(at)}
              onChange={(event) =>
                write(event.currentTarget.checked ? [...chosen, at] : chosen.filter((one) => one !== at))
              }
            />
            <span>{isBoxRequired ? `${label} (required)` : label}</span>
          </label>
        ))}
        {about && <small>{about}</small>}
      </fieldset>
    )
  if (field.kind === 'dropdown')
    return (
      <Field label={name} {...hint}>
        <select
          multiple={field.isMultiple}
          required={isRequired}
          onChange={(event) =>
            write([...event.currentTarget.selectedOptions].flatMap(({ value }) => (value === '' ? [] : Number(value))))
          }
        >
          {!field.isMultiple && <option value="">None</option>}
          {field.options.map((option, at) => (
            <option key={option} value={at} selected={chosen.includes(at)}>
              {option}
            </option>
          ))}
        </select>
      </Field>
    )
  const shared = {
    required: isRequired,
    value: text,
    placeholder: field.example,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => write(event.currentTarget.value),
  }
  if (field.kind === 'input')
    return (
      <Field label={name} {...hint}>
        <input {...shared} />
      </Field>
    )
  if (field.render !== '')
    return (
      <Field label={name} {...hint}>
        <textarea class="mono" rows={6} {...shared} />
      </Field>
    )
  return (
    <div class="field">
      <MarkdownField
        label={name}
        rows={5}
        value={text}
        placeholder={field.example}
        change={write}
        repository={repository}
      />
      {about && <small>{about}</small>}
    </div>
  )
}
