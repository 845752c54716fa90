/** Opening a pull: title, description from the repository's template, and whether it is a draft. The page of a comparison shows it, too. */
import { useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Pull } from '../api/issue-types.ts'
import { useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useSession } from '../app/session.ts'
import { pathOf } from '../issues/issue-rows.tsx'
import { readPullTemplates } from '../issues/templates.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { DraftNotice } from '../parts/markdown/draft-notice.tsx'
import { useDraft } from '../parts/markdown/drafts.ts'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
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
          body={found[0]?.body ?? ''}
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

function Written({ repository, base, head, title: first, body }: Required<Props> & { readonly body: string }) {
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
