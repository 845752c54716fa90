/** The merge, now or as soon as the rules allow it: in which of three ways, and with which words. */
import { useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { MergeMethod, Pull } from '../api/issue-types.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { RadioChoice } from '../parts/radio-choice.tsx'

type Props = { readonly pull: Pull; readonly repository: Repository; reload(): void }

const methods: readonly (readonly [method: MergeMethod, name: string, hint: string])[] = [
  ['merge', 'Merge commit', 'All commits are added to the base with a merge commit.'],
  ['squash', 'Squash', 'All commits are combined into one commit on the base.'],
  ['rebase', 'Rebase', 'The commits are added on top of the base one by one.'],
]

export function MergeForm({ pull, repository, reload }: Props) {
  const act = useAct()
  const [open, setOpen] = useState<'now' | 'later'>()
  const allowed = methods.filter(([method]) =>
    method === 'merge'
      ? repository.allow_merge_commit !== false
      : method === 'squash'
        ? repository.allow_squash_merge !== false
        : repository.allow_rebase_merge !== false,
  )
  const [method, setMethod] = useState<MergeMethod>(allowed[0]?.[0] ?? 'merge')
  const [title, setTitle] = useState('')
  const [message, setMessage] = useState('')
  const mayTry = pull.mergeable === true && !pull.draft
  const isBlocked = ['blocked', 'behind'].includes(pull.mergeable_state)
  const mayWait = isBlocked && repository.allow_auto_merge === true && !pull.draft && !pull.auto_merge
  const merge = async () => {
    const act = open === 'later' ? 'auto-merge' : 'merge'
    await send('PUT', `/repos/${repository.full_name}/pulls/${pull.number}/${act}`, {
      merge_method: method,
      // Commits pushed in the meantime are not merged unseen.
      sha: pull.head.sha,
      ...(title.trim() && { commit_title: title.trim() }),
      ...(message.trim() && { commit_message: message.trim() }),
    })
    setOpen(undefined)
    reload()
  }
  if (!open)
    return (
      <div class="merge-part">
        <div class="row">
          {mayWait && (
            <button type="button" class="button main" onClick={() => setOpen('later')}>
              Merge when ready
            </button>
          )}
          <button
            type="button"
            class={`button ${isBlocked ? '' : 'main'}`}
            disabled={!mayTry}
            onClick={() => setOpen('now')}
          >
            Merge pull request
          </button>
        </div>
        {isBlocked && mayTry && (
          <p class="small soft">Admins may still be able to merge. If not, the server says why.</p>
        )}
      </div>
    )
  return (
    <Form act={act} submit={merge} class="merge-part">
      <RadioChoice<MergeMethod>
        legend="How to merge"
        name="merge-method"
        value={method}
        options={allowed}
        choose={setMethod}
      />
      {method !== 'rebase' && (
        <>
          <Field label="Title of the commit" hint="Leave empty for the default title.">
            <input
              value={title}
              maxLength={1_000}
              placeholder={
                method === 'squash'
                  ? `${pull.title} (#${pull.number})`
                  : `Merge pull request #${pull.number} from ${pull.head.label.replace(':', '/')}`
              }
              onInput={(event) => setTitle(event.currentTarget.value)}
            />
          </Field>
          <Field label="Message of the commit">
            <textarea rows={3} value={message} onInput={(event) => setMessage(event.currentTarget.value)} />
          </Field>
        </>
      )}
      <div class="row">
        <Submit act={act} busy={open === 'later' ? 'Saving …' : 'Merging …'}>
          {open === 'later' ? 'Merge when ready' : 'Confirm merge'}
        </Submit>
        <button type="button" class="button" onClick={() => setOpen(undefined)}>
          Cancel
        </button>
      </div>
    </Form>
  )
}
