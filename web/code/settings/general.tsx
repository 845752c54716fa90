/** General settings: name, description, features and merge methods. */
import { useState } from 'preact/hooks'
import { repositoryPath, send } from '../../api/forge.ts'
import type { Repository } from '../../api/forge-types.ts'
import { go } from '../../app/location.ts'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Done } from '../../parts/state.tsx'
import type { SettingsProps } from './props.ts'

const flags = [
  ['has_issues', 'Issues'],
  ['has_wiki', 'Wiki'],
  ['is_template', 'Template: others can create repositories from its files'],
  ['allow_forking', 'Forks'],
  ['allow_merge_commit', 'Allow merge commits'],
  ['allow_squash_merge', 'Allow squash merging'],
  ['allow_rebase_merge', 'Allow rebase merging'],
  ['allow_auto_merge', 'Allow auto-merge: merge as soon as the rules allow it'],
  ['delete_branch_on_merge', 'Delete branches automatically after they are merged'],
] as const

export function General({ repository, loaded }: SettingsProps) {
  const [name, setName] = useState(repository.name)
  const [description, setDescription] = useState(repository.description ?? '')
  const [homepage, setHomepage] = useState(repository.homepage ?? '')
  const [branch, setBranch] = useState(repository.default_branch)
  const [topics, setTopics] = useState(repository.topics.join(', '))
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>(
    Object.fromEntries(flags.map(([flag]) => [flag, repository[flag] ?? true])),
  )
  const [isSaved, setSaved] = useState(false)
  const act = useAct()
  const path = repositoryPath(repository.owner.login, repository.name)
  const submit = async () => {
    setSaved(false)
    const names = topics.split(/[\s,]+/).filter(Boolean)
    if (names.join() !== repository.topics.join()) await send('PUT', `${path}/topics`, { names })
    const changed = await send<Repository>('PATCH', path, {
      ...chosen,
      description: description.trim(),
      homepage: homepage.trim(),
      ...(name.trim() !== repository.name && { name: name.trim() }),
      ...(branch !== repository.default_branch && { default_branch: branch.trim() }),
    })
    setSaved(true)
    if (changed.full_name !== repository.full_name) go(`/${changed.full_name}/settings`)
    else loaded.reload()
  }
  if (repository.archived)
    return <p class="notice">This repository is archived. Unarchive it below to change its settings.</p>
  return (
    <section class="card text-width">
      <h2>General</h2>
      <Form act={act} submit={submit}>
        <div class="pair">
          <Field label="Name" hint="The old address will redirect to the new one.">
            <input value={name} required maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
          <Field label="Default branch">
            <input value={branch} required onInput={(event) => setBranch(event.currentTarget.value)} />
          </Field>
        </div>
        <Field label="Description">
          <input value={description} maxLength={350} onInput={(event) => setDescription(event.currentTarget.value)} />
        </Field>
        <Field label="Website">
          <input value={homepage} maxLength={500} onInput={(event) => setHomepage(event.currentTarget.value)} />
        </Field>
        <Field label="Topics" hint="Separate words with commas.">
          <input value={topics} onInput={(event) => setTopics(event.currentTarget.value)} />
        </Field>
        <fieldset class="plain">
          <legend class="label">Features</legend>
          {flags.map(([flag, text]) => (
            <label class="check" key={flag}>
              <input
                type="checkbox"
                checked={chosen[flag]}
                onChange={() => setChosen({ ...chosen, [flag]: !chosen[flag] })}
              />
              <span>{text}</span>
            </label>
          ))}
        </fieldset>
        <Submit act={act} busy="Saving …">
          Save
        </Submit>
        {isSaved && !act.isBusy && act.error === undefined && <Done>Saved.</Done>}
      </Form>
    </section>
  )
}
