/** Opening a pull: title, description from the repository's template, and whether it is a draft. The page of a comparison shows it, too. */
import { useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Pull } from '../api/issue-types.ts'
import { useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useSession } from '../app/session.ts'
import { pathOf } from '../issues/issue-rows.tsx'
import { readPullTemplates, type Template } from '../issues/templates.ts'
import { ask } from '../parts/ask.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { DraftNotice } from '../parts/markdown/draft-notice.tsx'
import { useDraft } from '../parts/markdown/drafts.ts'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
import { SelectChoice } from '../parts/select-choice.tsx'
import { Ready } from '../parts/state.tsx'

type Props = {
  readonly repository: Repository
  /** A branch of the repository. */
  readonly base: string
  /** A branch, or one of a fork as `owner:branch`. */
  readonly head: string
  /** What the title is unless another one is written: the first line of a single commit, say. */
  readonly title?: string
}

export function OpenPullForm({ repository, base, head, title }: Props) {
  const { account } = useSession()
  const templates = useLoad(`pull templates ${repository.full_name}`, () => readPullTemplates(repository))
  if (!account)
    return (
      <p class="card">
        <a href={`/-/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`}>Sign in</a> to open a pull
        request.
      </p>
    )
  return (
    <Ready of={templates}>
      {(found) => (
        <Written
          key={`${base} ${head}`}
          repository={repository}
          base={base}
          head={head}
          title={title ?? titleOf(head)}
          templates={found}
        />
      )}
    </Ready>
  )
}

/** `ann:fix-the-lamp` becomes `Fix the lamp`. */
const titleOf = (head: string): string =>
  head
    .replace(/^[^:]*:/, '')
    .replace(/[-_/]+/g, ' ')
    .trim()
    .replace(/^./, (first) => first.toUpperCase())

type WrittenProps = Required<Props> & { readonly templates: readonly Template[] }

function Written({ repository, base, head, title: first, templates }: WrittenProps) {
  const body = templates[0]?.body ?? ''
  const name = `new pull ${repository.full_name} ${base} ${head}`
  const title = useDraft(`${name} title`, first)
  const text = useDraft(name, body)
  const [isDraft, setDraft] = useState(false)
  const [isOpen, setOpen] = useState(true)
  const act = useAct()
  const isOfFork = head.includes(':')
  const submit = async () => {
    const pull = await send<Pull>('POST', `/repos/${repository.full_name}/pulls`, {
      title: title.text.trim(),
      body: text.text,
      head,
      base,
      draft: isDraft,
      ...(isOfFork && { maintainer_can_modify: isOpen }),
    })
    title.clear()
    text.clear()
    go(pathOf(pull))
  }
  return (
    <Form act={act} submit={submit} class="card">
      <Field label="Title">
        <input
          required
          maxLength={256}
          value={title.text}
          onInput={(event) => title.write(event.currentTarget.value)}
        />
      </Field>
      <DraftNotice draft={text} />
      {templates.length > 1 && <TemplateChoice templates={templates} text={text.text} write={text.write} />}
      <MarkdownField
        label="Description"
        rows={8}
        value={text.text}
        change={text.write}
        repository={repository.full_name}
        submit={() => title.text.trim() && void act.run(submit)}
      />
      <label class="check">
        <input type="checkbox" checked={isDraft} onChange={(event) => setDraft(event.currentTarget.checked)} />
        <span>
          Draft <small class="soft">It can’t be merged until it is marked as ready.</small>
        </span>
      </label>
      {isOfFork && (
        <label class="check">
          <input type="checkbox" checked={isOpen} onChange={(event) => setOpen(event.currentTarget.checked)} />
          <span>
            Allow edits by maintainers <small class="soft">They can push to this branch.</small>
          </span>
        </label>
      )}
      <Submit act={act}>{isDraft ? 'Create draft pull request' : 'Create pull request'}</Submit>
    </Form>
  )
}

type ChoiceProps = { readonly templates: readonly Template[]; readonly text: string; write(text: string): void }

/** Another template replaces the text; what somebody has written only if they say so. */
function TemplateChoice({ templates, text, write }: ChoiceProps) {
  const [chosen, setChosen] = useState(templates[0]!.file)
  const choose = async (file: string) => {
    const isOwn = text.trim() !== '' && templates.every(({ body }) => body !== text)
    const question = {
      title: 'Replace the description?',
      text: 'What you have written will be lost.',
      action: 'Replace',
    }
    if (isOwn && !(await ask(question))) return
    setChosen(file)
    write(templates.find((one) => one.file === file)?.body ?? '')
  }
  return (
    <SelectChoice
      label="Template"
      value={chosen}
      options={templates.map(({ file, name }) => [file, name] as const)}
      choose={(file) => void choose(file)}
    />
  )
}
