/** Problem links: files that are handed in to a problem of the judge when a push changes them. */
import { useState } from 'preact/hooks'
import type { ProblemLink, ProblemLinkDraft } from '../../api/classes.ts'
import { Fault } from '../../api/fault.ts'
import type { FoundProblem } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { languageName, useSession } from '../../app/session.ts'
import { ask } from '../../parts/ask.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { ProblemFinder } from '../../parts/problem-finder.tsx'
import { Empty, FailedAct, Ready } from '../../parts/state.tsx'
import { codePath } from '../paths.ts'
import type { SettingsProps } from './props.ts'

export function ProblemLinks({ repository }: SettingsProps) {
  const Repository = repository.full_name
  const links = useLoad(
    `problem links of ${Repository}`,
    async () => (await call('get_problem_link_list', { Repository })).ProblemLinkList,
  )
  const act = useAct()
  const remove = async ({ UUID, DisplayName, Path }: ProblemLink) => {
    const title = `Remove the link to “${DisplayName}”?`
    const text = `Pushes that change ${Path} will no longer be submitted. Earlier submissions stay.`
    if (!(await ask({ title, text, action: 'Remove link' }))) return
    await act.run(async () => {
      await call('delete_problem_link', { Repository, UUID })
      links.reload()
    })
  }
  return (
    <div class="text-width">
      <p>
        When someone pushes a change to a linked file, the file is submitted in their name. The verdict appears at the
        commit and in their inbox.
      </p>
      <FailedAct act={act} />
      <Ready of={links}>
        {(list) => (
          <section class="card flush">
            <h2 class="card-title">Problem links</h2>
            {list.length === 0 && <Empty title="No files are linked to problems yet." />}
            <ul class="plain-list">
              {list.map((link) => (
                <li key={link.UUID} class="list-row row spread access-row link-row">
                  <span>
                    <a class="strong" href={`/-/judge/problems/${link.UUID}`}>
                      {link.DisplayName}
                    </a>
                    <br />
                    <span class="small soft">
                      <a href={codePath(repository, 'blob', link.Branch ?? repository.default_branch, link.Path)}>
                        <code>{link.Path}</code>
                      </a>{' '}
                      on {link.Branch ?? `${repository.default_branch} (the default branch)`} ·{' '}
                      {languageName(link.Language)}
                    </span>
                  </span>
                  <ActButton act={act} what={`Remove the link to ${link.DisplayName}`} run={() => remove(link)}>
                    Remove
                  </ActButton>
                </li>
              ))}
            </ul>
          </section>
        )}
      </Ready>
      {!repository.archived && (
        <NewLink
          linked={links.value ?? []}
          usual={repository.default_branch}
          add={async (draft) => {
            await call('put_problem_link', { ...draft, Repository })
            links.reload()
          }}
        />
      )}
    </div>
  )
}

type NewProps = {
  readonly linked: readonly ProblemLink[]
  readonly usual: string
  add(draft: Omit<ProblemLinkDraft, 'Repository'>): Promise<void>
}

function NewLink({ linked, usual, add }: NewProps) {
  const { SupportedLanguageList } = useSession().info
  const [problem, setProblem] = useState<FoundProblem>()
  const [path, setPath] = useState('')
  const [branch, setBranch] = useState('')
  const [language, setLanguage] = useState('')
  const act = useAct()
  const submit = async () => {
    if (!problem) throw new Fault(0, 'Choose a problem first.')
    const Branch = branch.trim()
    await add({
      UUID: problem.UUID,
      Path: path.trim(),
      ...(Branch && { Branch }),
      ...(language && { Language: language }),
    })
    setProblem(undefined)
    setPath('')
    setBranch('')
    setLanguage('')
  }
  return (
    <section class="card below">
      <h2>Link a file</h2>
      <Form act={act} submit={submit}>
        {problem ? (
          <p class="row">
            <span>
              Problem: <strong>{problem.DisplayName}</strong>
            </span>
            <button type="button" class="button tight" onClick={() => setProblem(undefined)}>
              Choose another
            </button>
          </p>
        ) : (
          <div class="below-fields">
            <ProblemFinder
              hint="Search by name or tag. A problem can have one linked file per repository."
              action="Choose"
              isOffered={({ UUID }) => !linked.some((link) => link.UUID === UUID)}
              choose={setProblem}
            />
          </div>
        )}
        <Field label="Path of the file" hint="From the root of the repository, such as src/main.py.">
          <input value={path} required maxLength={1_024} onInput={(event) => setPath(event.currentTarget.value)} />
        </Field>
        <div class="pair">
          <Field label="Branch" hint={`Leave empty for the default branch, currently ${usual}.`}>
            <input value={branch} maxLength={244} onInput={(event) => setBranch(event.currentTarget.value)} />
          </Field>
          <Field label="Language">
            <select value={language} onChange={(event) => setLanguage(event.currentTarget.value)}>
              <option value="">Detect from the file name</option>
              {SupportedLanguageList.map(({ Value, Name }) => (
                <option key={Value} value={Value}>
                  {Name}
                </option>
              ))}
            </select>
          </Field>
        </div>
        <Submit act={act}>Link file</Submit>
      </Form>
    </section>
  )
}
