/** Issue forms: templates of fields instead of a text. What is filled in becomes the issue's text. */

type Labelled = { readonly id: string; readonly label: string; readonly about: string; readonly isRequired: boolean }
export type FormField =
  | { readonly kind: 'markdown'; readonly text: string }
  | (Labelled & { readonly kind: 'input'; readonly first: string; readonly example: string })
  | (Labelled & {
      readonly kind: 'textarea'
      readonly first: string
      readonly example: string
      /** The language of a block of code that the answer becomes; '' for Markdown. */
      readonly render: string
    })
  | (Labelled & { readonly kind: 'dropdown'; readonly options: readonly string[]; readonly isMultiple: boolean })
  | (Labelled & { readonly kind: 'checkboxes'; readonly boxes: readonly Box[] })
type Box = { readonly label: string; readonly isRequired: boolean }

export type IssueForm = {
  readonly name: string
  readonly about: string
  readonly title: string
  readonly labels: readonly string[]
  readonly assignees: readonly string[]
  readonly fields: readonly FormField[]
}

export type ContactLink = { readonly name: string; readonly about: string; readonly url: string }
export type TemplateConfig = { readonly isBlankOffered: boolean; readonly links: readonly ContactLink[] }

/** By the field's id: the text, or the indexes of what is chosen. */
export type Answers = Readonly<Record<string, string | readonly number[]>>

/** What a form begins with. */
export const firstAnswers = ({ fields }: IssueForm): Answers =>
  Object.fromEntries(
    fields.flatMap((field) =>
      field.kind === 'markdown'
        ? []
        : [[field.id, field.kind === 'input' || field.kind === 'textarea' ? field.first : []]],
    ),
  )

/** The label of a field that must be filled in and is not. */
export const findMissing = ({ fields }: IssueForm, answers: Answers): string | undefined => {
  for (const field of fields) {
    if (field.kind === 'markdown') continue
    const answer = answers[field.id] ?? ''
    const isEmpty = typeof answer === 'string' ? answer.trim() === '' : answer.length === 0
    if (field.isRequired && isEmpty) return field.label
    if (field.kind !== 'checkboxes') continue
    const left = field.boxes.find(({ isRequired }, at) => isRequired && !answer.includes(at as never))
    if (left) return left.label
  }
  return undefined
}

/** As the public platform writes it: a heading for each field, and what was answered below it. */
export const composeText = ({ fields }: IssueForm, answers: Answers): string =>
  fields
    .flatMap((field) => {
      if (field.kind === 'markdown') return []
      const answer = answers[field.id]
      return [`### ${field.label}\n\n${spellAnswer(field, answer) || '_No response_'}`]
    })
    .join('\n\n')

function spellAnswer(field: Exclude<FormField, { kind: 'markdown' }>, answer: Answers[string] | undefined): string {
  if (field.kind === 'input' || field.kind === 'textarea') {
    const text = typeof answer === 'string' ? answer.trim() : ''
    if (text === '' || field.kind === 'input' || field.render === '') return text
    const longest = Math.max(0, ...(text.match(/^`+/gm) ?? []).map(({ length }) => length))
    const fence = '`'.repeat(Math.max(3, longest + 1))
    return `${fence}${field.render}\n${text}\n${fence}`
  }
  const chosen = Array.isArray(answer) ? answer : []
  if (field.kind === 'dropdown') return chosen.map((at) => field.options[at] ?? '').join(', ')
  return field.boxes.map(({ label }, at) => `- [${chosen.includes(at) ? 'X' : ' '}] ${label}`).join('\n')
}
