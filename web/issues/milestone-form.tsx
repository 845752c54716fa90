/** Making a milestone, and changing one. */
import { useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import type { Milestone } from '../api/issue-types.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'

type Props = { readonly repository: string; readonly milestone?: Milestone; close(isChanged: boolean): void }

export function MilestoneForm({ repository, milestone, close }: Props) {
  const act = useAct()
  const [title, setTitle] = useState(milestone?.title ?? '')
  const [due, setDue] = useState(milestone?.due_on?.slice(0, 10) ?? '')
  const [description, setDescription] = useState(milestone?.description ?? '')
  const save = async () => {
    const members = { title: title.trim(), description, due_on: due ? `${due}T12:00:00Z` : null }
    const path = `/repos/${repository}/milestones`
    if (milestone) await send('PATCH', `${path}/${milestone.number}`, members)
    else await send('POST', path, members)
    close(true)
  }
  return (
    <Form act={act} submit={save}>
      <div class="pair">
        <Field label="Title">
          <input required maxLength={255} value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
        </Field>
        <Field label="Due date" hint="Optional.">
          <input type="date" value={due} onInput={(event) => setDue(event.currentTarget.value)} />
        </Field>
      </div>
      <MarkdownField label="Description" rows={4} value={description} change={setDescription} repository={repository} />
      <div class="row">
        <Submit act={act}>{milestone ? 'Save' : 'Create milestone'}</Submit>
        <button type="button" class="button" onClick={() => close(false)}>
          Cancel
        </button>
      </div>
    </Form>
  )
}
