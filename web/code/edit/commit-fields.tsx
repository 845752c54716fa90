/** How a change made in the browser is committed: its message, and on the branch itself or on a new one with a pull request. */
import { useState } from 'preact/hooks'
import type { Repository } from '../../api/forge-types.ts'
import { queryGraphql } from '../../api/graphql.ts'
import { useLoad } from '../../app/load.ts'
import { useSession } from '../../app/session.ts'
import { Field } from '../../parts/form.tsx'
import { RadioChoice } from '../../parts/radio-choice.tsx'
import type { Target } from './commit-change.ts'

type How = 'commit' | 'pull'

export type CommitDraft = {
  readonly message: string
  readonly how: How
  /** Whether the branch has rules, and whether they refuse a commit of this person. */
  readonly rules: BranchRules
  readonly newBranch: string
  change(part: Partial<Pick<CommitDraft, 'message' | 'how' | 'newBranch'>>): void
}

const mayWrite = ({ permissions, mirror_url }: Repository): boolean => permissions?.push === true && mirror_url === null

export function useCommitDraft(repository: Repository, rules: BranchRules): CommitDraft {
  const { account } = useSession()
  const [draft, set] = useState(() => ({
    message: '',
    how: undefined as How | undefined,
    newBranch: `${account?.AccountName ?? 'change'}-patch-${Date.now().toString(36).slice(-4)}`,
  }))
  const mustAsk = !mayWrite(repository) || rules === 'refused'
  return {
    ...draft,
    rules,
    how: mustAsk ? 'pull' : (draft.how ?? 'commit'),
    change: (part) => set((now) => ({ ...now, ...part })),
  }
}

export type BranchRules = 'none' | 'refused' | 'exempt'
type RulesAnswer = {
  readonly repository: {
    readonly ref: { readonly refUpdateRule: { readonly viewerCanPush: boolean } | null } | null
  } | null
}

const rulesQuery = `query($owner: String!, $name: String!, $ref: String!) {
  repository(owner: $owner, name: $name) { ref(qualifiedName: $ref) { refUpdateRule { viewerCanPush } } }
}`

/** Without an answer the server still refuses what the rules forbid. */
export function useBranchRules(repository: Repository, branch: string): BranchRules {
  const loaded = useLoad(`rules of ${repository.full_name} ${branch}`, async (): Promise<BranchRules> => {
    if (!mayWrite(repository)) return 'none'
    const variables = { owner: repository.owner.login, name: repository.name, ref: `refs/heads/${branch}` }
    const answer = await queryGraphql<RulesAnswer>(rulesQuery, variables)
    const rule = answer.repository?.ref?.refUpdateRule
    return rule ? (rule.viewerCanPush ? 'exempt' : 'refused') : 'none'
  })
  return loaded.value ?? 'none'
}

export const targetOf = ({ how, newBranch }: CommitDraft, repository: Repository, branch: string): Target => ({
  repository,
  branch,
  newBranch: how === 'pull' ? newBranch.trim() : undefined,
})

const exempt = 'The branch is protected, but its rules let you commit.'

type Props = {
  readonly draft: CommitDraft
  readonly repository: Repository
  readonly branch: string
  /** The message unless another one is written. */
  readonly usual: string
}

export function CommitFields({ draft, repository, branch, usual }: Props) {
  const { message, how, rules, newBranch, change } = draft
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
      {mayWrite(repository) && rules === 'refused' && (
        <p role="status">
          <bdi class="strong">{branch}</bdi> is protected: changes reach it through a pull request. Your change is
          committed to a new branch, and you can describe the pull request on the next page.
        </p>
      )}
      {mayWrite(repository) && rules !== 'refused' && repository.size > 0 && (
        <RadioChoice<How>
          legend="Where"
          name="how"
          value={how}
          options={[
            ['commit', `On ${branch}`, rules === 'exempt' ? exempt : 'The change takes effect immediately.'],
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
