/** Rules of branches: what it takes to change them. */
import { useState } from 'preact/hooks'
import { readIfThere, readList, repositoryPath, send } from '../../api/forge.ts'
import { useLoad } from '../../app/load.ts'
import { ask } from '../../parts/ask.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Done, Empty, FailedAct, Ready } from '../../parts/state.tsx'
import type { SettingsProps } from './props.ts'

type Switch = { readonly enabled: boolean }

type Rules = {
  readonly required_status_checks?: { readonly strict: boolean; readonly contexts: readonly string[] } | null
  readonly required_pull_request_reviews?: {
    readonly required_approving_review_count?: number
    readonly dismiss_stale_reviews?: boolean
    readonly require_last_push_approval?: boolean
  } | null
  readonly restrictions?: {
    readonly users: readonly { readonly login: string }[]
    readonly teams: readonly { readonly slug: string }[]
    readonly apps?: readonly { readonly slug: string }[]
  } | null
  readonly enforce_admins?: Switch
  readonly required_linear_history?: Switch
  readonly allow_force_pushes?: Switch
  readonly allow_deletions?: Switch
  readonly required_conversation_resolution?: Switch
  readonly lock_branch?: Switch
}

const switches = [
  ['enforce_admins', 'Apply the rules to admins too'],
  ['required_linear_history', 'Require a linear history (no merge commits)'],
  ['required_conversation_resolution', 'Require conversations to be resolved before merging'],
  ['allow_force_pushes', 'Allow force pushes'],
  ['allow_deletions', 'Allow deleting the branch'],
  ['lock_branch', 'Lock the branch: nobody can push to it'],
] as const

export function Protection({ repository }: SettingsProps) {
  const [owner, repo] = [repository.owner.login, repository.name]
  const [chosen, choose] = useState<string>()
  const branches = useLoad(`protected branches of ${owner}/${repo}`, () =>
    readList<{ name: string }>(repositoryPath(owner, repo, 'branches'), { protected: true, per_page: 100 }),
  )
  const act = useAct()
  const remove = async (name: string) => {
    if (
      !(await ask({
        title: `Remove the rules of ${name}?`,
        text: 'Everyone with write access will be able to push to it.',
        action: 'Remove',
      }))
    )
      return
    await act.run(async () => {
      await send('DELETE', repositoryPath(owner, repo, 'branches', name, 'protection'))
      choose(undefined)
      branches.reload()
    })
  }
  return (
    <div class="text-width">
      <FailedAct act={act} />
      <Ready of={branches}>
        {({ items }) => (
          <section class="card flush">
            <h2 class="card-title">Protected branches</h2>
            {items.length === 0 && <Empty title="No branches are protected." />}
            <ul class="plain-list">
              {items.map(({ name }) => (
                <li key={name} class="list-row row spread access-row">
                  <bdi class="strong">{name}</bdi>
                  <span class="row tight-row">
                    <ActButton act={act} what={`Change the rules of ${name}`} run={() => choose(name)}>
                      Change
                    </ActButton>
                    <ActButton act={act} what={`Remove the rules of ${name}`} run={() => remove(name)}>
                      Remove
                    </ActButton>
                  </span>
                </li>
              ))}
            </ul>
          </section>
        )}
      </Ready>
      <ProtectedBranch
        key={chosen}
        owner={owner}
        repo={repo}
        name={chosen}
        usual={repository.default_branch}
        onSaved={branches.reload}
      />
    </div>
  )
}

type BranchProps = { owner: string; repo: string; name: string | undefined; usual: string; onSaved(): void }

function ProtectedBranch({ owner, repo, name, usual, onSaved }: BranchProps) {
  const path = (branch: string) => repositoryPath(owner, repo, 'branches', branch, 'protection')
  const rules = useLoad(`protection of ${owner}/${repo} ${name}`, async () =>
    name === undefined ? {} : ((await readIfThere<Rules>(path(name))) ?? {}),
  )
  return (
    <Ready of={rules}>
      {(found) => (
        <RulesForm
          rules={found}
          name={name}
          usual={usual}
          save={async (branch, next) => {
            await send('PUT', path(branch), next)
            onSaved()
          }}
        />
      )}
    </Ready>
  )
}

type FormProps = {
  rules: Rules
  name: string | undefined
  usual: string
  save(name: string, rules: object): Promise<void>
}

/** Settings that are not shown here are kept. */
function RulesForm({ rules, name, usual, save }: FormProps) {
  const [branch, setBranch] = useState(name ?? usual)
  const reviews = rules.required_pull_request_reviews
  const [needsPull, setNeedsPull] = useState(reviews != null)
  const [approvals, setApprovals] = useState(reviews?.required_approving_review_count ?? 1)
  const [isStale, setStale] = useState(reviews?.dismiss_stale_reviews ?? false)
  const [checks, setChecks] = useState(rules.required_status_checks?.contexts.join(', ') ?? '')
  const [isStrict, setStrict] = useState(rules.required_status_checks?.strict ?? false)
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>(
    Object.fromEntries(switches.map(([word]) => [word, rules[word]?.enabled ?? false])),
  )
  const [isSaved, setSaved] = useState(false)
  const act = useAct()
  const submit = async () => {
    setSaved(false)
    const contexts = checks
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean)
    const { restrictions } = rules
    await save(branch.trim(), {
      ...chosen,
      required_status_checks: contexts.length > 0 ? { strict: isStrict, contexts } : null,
      required_pull_request_reviews: needsPull
        ? {
            required_approving_review_count: approvals,
            dismiss_stale_reviews: isStale,
            require_last_push_approval: reviews?.require_last_push_approval ?? false,
          }
        : null,
      restrictions: restrictions
        ? {
            users: restrictions.users.map(({ login }) => login),
            teams: restrictions.teams.map(({ slug }) => slug),
            apps: restrictions.apps?.map(({ slug }) => slug) ?? [],
          }
        : null,
    })
    setSaved(true)
  }
  return (
    <section class="card below">
      <h2>{name ? `Rules of ${name}` : 'Protect a branch'}</h2>
      <Form act={act} submit={submit}>
        <Field label="Branch">
          <input
            value={branch}
            required
            disabled={name !== undefined}
            onInput={(event) => setBranch(event.currentTarget.value)}
          />
        </Field>
        <Check text="Require a pull request before merging" value={needsPull} change={setNeedsPull} />
        {needsPull && (
          <>
            <Field label="Required approvals">
              <input
                type="number"
                min={0}
                max={6}
                value={approvals}
                onInput={(event) => setApprovals(Number(event.currentTarget.value))}
              />
            </Field>
            <Check text="Dismiss approvals when new commits are pushed" value={isStale} change={setStale} />
          </>
        )}
        <Field label="Required checks" hint="Separate names with commas. Leave empty for none.">
          <input value={checks} onInput={(event) => setChecks(event.currentTarget.value)} />
        </Field>
        {checks.trim() !== '' && (
          <Check text="Require branches to be up to date before merging" value={isStrict} change={setStrict} />
        )}
        {switches.map(([word, text]) => (
          <Check
            key={word}
            text={text}
            value={chosen[word] ?? false}
            change={(value) => setChosen({ ...chosen, [word]: value })}
          />
        ))}
        <Submit act={act} busy="Saving …">
          Save rules
        </Submit>
        {isSaved && act.error === undefined && <Done>The branch {branch} is protected by these rules.</Done>}
      </Form>
    </section>
  )
}

const Check = ({ text, value, change }: { text: string; value: boolean; change(value: boolean): void }) => (
  <label class="check">
    <input type="checkbox" checked={value} onChange={() => change(!value)} />
    <span>{text}</span>
  </label>
)
