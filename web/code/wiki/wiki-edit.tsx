/** A page of a wiki that is written, changed, renamed or deleted in the browser. */
import { useState } from 'preact/hooks'
import { send, toPath } from '../../api/forge.ts'
import type { Repository } from '../../api/forge-types.ts'
import { forgetAll } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import { ask } from '../../parts/ask.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { DraftNotice } from '../../parts/markdown/draft-notice.tsx'
import { useDraft } from '../../parts/markdown/drafts.ts'
import { MarkdownField } from '../../parts/markdown/markdown-field.tsx'
import { FailedAct } from '../../parts/state.tsx'
import { codePath } from '../paths.ts'
import type { WikiPage, WikiText } from './wiki-data.ts'

type Props = {
  readonly repository: Repository
  /** Undefined for a new page. */
  readonly page: WikiText | undefined
  /** What a new page is called at first. */
  readonly name: string
  onSaved(): void
}

export function WikiEdit({ repository, page, name: first, onSaved }: Props) {
  const draft = useDraft(`wiki ${repository.full_name} ${page?.path ?? 'new'}`, page?.text ?? '')
  const [name, setName] = useState(page?.name ?? first)
  const [message, setMessage] = useState('')
  const act = useAct()
  const pagePath = (of: string) =>
    toPath('repos', ...repository.full_name.split('/'), 'wiki', 'pages', ...of.split('/'))
  const submit = async () => {
    const written = await send<WikiPage>('PUT', pagePath(page?.name ?? name.trim()), {
      text: draft.text,
      ...(page && { sha: page.sha, name: name.trim() }),
      ...(message.trim() && { message: message.trim() }),
    })
    draft.clear()
    forgetAll()
    onSaved()
    go(codePath(repository, 'wiki', ...written.name.split('/')))
  }
  return (
    <Form act={act} submit={submit}>
      <div class="heading">
        <h1>{page ? `Edit ${page.title}` : 'New page'}</h1>
        <a class="button" href={codePath(repository, 'wiki', ...(page?.name ?? '').split('/'))}>
          Cancel
        </a>
      </div>
      <Field label="Name" hint="Links name it with [[double brackets]]. Use slashes for folders.">
        <input required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <DraftNotice draft={draft} />
      <MarkdownField
        label="Text"
        rows={18}
        value={draft.text}
        change={draft.write}
        repository={repository.full_name}
        submit={() => name.trim() && void act.run(submit)}
      />
      <Field label="What changed" hint="For the history; optional.">
        <input maxLength={200} value={message} onInput={(event) => setMessage(event.currentTarget.value)} />
      </Field>
      <div class="row end">
        <Submit act={act}>{page ? 'Save page' : 'Create page'}</Submit>
      </div>
    </Form>
  )
}

export function DeleteWikiPage({ repository, page }: { repository: Repository; page: WikiText }) {
  const act = useAct()
  const remove = async () => {
    const text = 'It stays in the history of the wiki’s repository.'
    if (!(await ask({ title: `Delete the page ${page.title}?`, text, action: 'Delete page' }))) return
    await act.run(async () => {
      await send(
        'DELETE',
        toPath('repos', ...repository.full_name.split('/'), 'wiki', 'pages', ...page.name.split('/')),
        {
          sha: page.sha,
        },
      )
      forgetAll()
      go(codePath(repository, 'wiki'))
    })
  }
  return (
    <>
      <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void remove()}>
        Delete
      </button>
      <FailedAct act={act} />
    </>
  )
}
