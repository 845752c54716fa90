/** Chooses the repositories to export and the parts to leave out. */
import { useState } from 'preact/hooks'
import { Fault } from '../api/fault.ts'
import { readList, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { Form, Submit, useAct } from '../parts/form.tsx'
import { Ready } from '../parts/state.tsx'

const flags = [
  ['lock_repositories', 'Lock the repositories: nobody can change them until you unlock them here'],
  ['exclude_git_data', 'Without the code'],
  ['exclude_metadata', 'Only the code: without issues, pull requests and the rest'],
  ['exclude_attachments', 'Without attachments'],
  ['exclude_releases', 'Without releases'],
] as const

export function NewMigration({ onStarted }: { onStarted(): void }) {
  const found = useLoad('repositories to export', async () => {
    const { items, hasMore } = await readList<Repository>('/user/repos', { per_page: 100, sort: 'full_name' })
    return { list: items.filter(({ permissions }) => permissions?.admin), hasMore }
  })
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [more, setMore] = useState('')
  const [set, setSet] = useState<Readonly<Record<string, boolean>>>({})
  const act = useAct()
  const submit = async () => {
    const repositories = [...chosen, ...more.split(/[\s,]+/).filter(Boolean)]
    if (repositories.length === 0) throw new Fault(0, 'Choose a repository first.')
    await send('POST', '/user/migrations', { ...set, repositories, exclude: ['repositories'] })
    setChosen([])
    setMore('')
    onStarted()
  }
  return (
    <section class="card" aria-labelledby="new-migration">
      <h2 id="new-migration">New export</h2>
      <Form act={act} submit={submit}>
        <Ready of={found}>
          {({ list, hasMore }) => (
            <fieldset class="plain">
              <legend class="label">Repositories</legend>
              {list.length === 0 && <p class="soft small">You administer no repositories.</p>}
              <div class="choice-list">
                {list.map(({ id, full_name: name }) => (
                  <label class="check" key={id}>
                    <input
                      type="checkbox"
                      checked={chosen.includes(name)}
                      onChange={(event) =>
                        setChosen(
                          event.currentTarget.checked ? [...chosen, name] : chosen.filter((one) => one !== name),
                        )
                      }
                    />
                    <span>{name}</span>
                  </label>
                ))}
              </div>
              {hasMore && (
                <label class="field">
                  <span>Other repositories, as owner/name</span>
                  <input value={more} onInput={(event) => setMore(event.currentTarget.value)} />
                </label>
              )}
            </fieldset>
          )}
        </Ready>
        <fieldset class="plain">
          <legend class="label">Options</legend>
          {flags.map(([name, text]) => (
            <label class="check" key={name}>
              <input
                type="checkbox"
                checked={set[name] ?? false}
                onChange={(event) => setSet({ ...set, [name]: event.currentTarget.checked })}
              />
              <span>{text}</span>
            </label>
          ))}
        </fieldset>
        <Submit act={act} busy="Starting …">
          Start export
        </Submit>
      </Form>
    </section>
  )
}
