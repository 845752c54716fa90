/** How a change made in the browser is committed: its message, and on the branch itself or on a new one with a pull request. */
import { useState } from 'preact/hooks'
import type { Repository } from '../../api/forge-types.ts'
import { useSession } from '../../app/session.ts'
import { Field } from '../../parts/form.tsx'
import { RadioChoice } from '../../parts/radio-choice.tsx'
import type { Target } from './commit-change.ts'

export type CommitDraft = {
  readonly message: string
  readonly how: 'commit' | 'pull'
  readonly newBranch: string
  change(part: Partial<Pick<CommitDraft, 'message' | 'how' | 'newBranch'>>): void
}

const mayWrite = ({ permissions, mirror_url }: Repository): boolean => permissions?.push === true && mirror_url === null

export function useCommitDraft(repository: Repository): CommitDraft {
  const { account } = useSession()
  const [draft, set] = useState(() => ({
    message: '',
    how: mayWrite(repository) ? ('commit' as const) : ('pull' as const),
    newBranch: `${account?.AccountName ?? 'change'}-patch-${Date.now().toString(36).slice(-4)}`,
  }))
  return { ...draft, change: (part) => set((now) => ({ ...now, ...part }) as typeof now) }
}

export const targetOf = ({ how, newBranch }: CommitDraft, repository: Repository, branch: string): Target => ({
  repository,
  branch,
  newBranch: how === 'pull' ? newBranch.trim() : undefined,
})

type Props = {
  readonly draft: CommitDraft
  readonly repository: Repository
  readonly branch: string
  /** The message unless another one is written. */
  readonly usual: string
}

export function CommitFields({ draft, repository, branch, usual }: Props) {
  const { message, how, newBranch, change } = draft
  return (
    <>
      <h2>Commit</h2>
      <Field label="Message">
        <textarea
          rows={3}
          value={message}
          placeholder={usual}
          maxLength={60_000}
          onInput={(event) => change({ message: event.currentTarget.value })}
        />
      </Field>
      {mayWrite(repository) && repository.size > 0 && (
        <RadioChoice<'commit' | 'pull'>
          legend="Where"
          name="how"
          value={how}
          options={[
            ['commit', `On ${branch}`, 'The change takes effect immediately.'],
            ['pull', 'On a new branch, with a pull request', `Proposes to merge the change into ${branch}.`],
          ]}
          choose={(next) => change({ how: next })}
        />
      )}
      {!mayWrite(repository) && (
        <p class="small soft">
          You don’t have write access to this repository. Your change is made in your own fork and proposed with a pull
          request.
        </p>
      )}
      {how === 'pull' && (
        <Field label="New branch">
          <input
            value={newBranch}
            required
            maxLength={200}
            onInput={(event) => change({ newBranch: event.currentTarget.value })}
          />
        </Field>
      )}
    </>
  )
}
