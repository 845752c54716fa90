/** The labels of a repository, with search; people with triage access create, change and delete them. */
import { useState } from 'preact/hooks'
import { repositoryPath, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Label } from '../api/issue-types.ts'
import { useLoad } from '../app/load.ts'
import type { ViewProps } from '../app/view.ts'
import { ask } from '../parts/ask.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { readLabels } from './choices.ts'
import { rightsOn } from './issue-side.tsx'
import { LabelChip } from './label-chip.tsx'

export const LabelsView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="issues">
    {(repository) => <Labels repository={repository} />}
  </RepositoryPage>
)

function Labels({ repository }: { repository: Repository }) {
  const place = { owner: repository.owner.login, repo: repository.name }
  const loaded = useLoad(`labels ${repository.full_name}`, () => readLabels(place))
  const [words, setWords] = useState('')
  const [isMaking, setMaking] = useState(false)
  const { mayWrite } = rightsOn(repository)
  const own = `/${repository.full_name}`
  return (
    <>
      <Heading title="Labels">
        <a class="button" href={`${own}/issues`}>
          Issues
        </a>
        <a class="button" href={`${own}/milestones`}>
          Milestones
        </a>
        {mayWrite && (
          <button type="button" class="button main" aria-expanded={isMaking} onClick={() => setMaking(!isMaking)}>
            New label
          </button>
        )}
      </Heading>
      {isMaking && (
        <div class="card below-head">
          <LabelForm
            path={repositoryPath(place.owner, place.repo, 'labels')}
            close={(isChanged) => {
              setMaking(false)
              if (isChanged) loaded.reload()
            }}
          />
        </div>
      )}
      <p>
        <input
          class="input search"
          type="search"
          aria-label="Find a label"
          placeholder="Find a label"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </p>
      <Ready of={loaded}>
        {(labels) => {
          const sought = words.trim().toLowerCase()
          const found = labels.filter(({ name, description }) =>
            `${name} ${description ?? ''}`.toLowerCase().includes(sought),
          )
          return (
            <div class="card flush">
              {found.length === 0 ? (
                <Empty title="No labels." />
              ) : (
                <ul class="plain-list">
                  {found.map((label) => (
                    <LabelRow key={label.id} label={label} own={own} mayWrite={mayWrite} reload={loaded.reload} />
                  ))}
                </ul>
              )}
            </div>
          )
        }}
      </Ready>
    </>
  )
}

type RowProps = { readonly label: Label; readonly own: string; readonly mayWrite: boolean; reload(): void }

function LabelRow({ label, own, mayWrite, reload }: RowProps) {
  const [isEditing, setEditing] = useState(false)
  const act = useAct()
  const path = `/repos${own}/labels/${encodeURIComponent(label.name)}`
  const remove = async () => {
    const text = 'It will be removed from all issues and pull requests.'
    if (!(await ask({ title: `Delete the label “${label.name}”?`, text, action: 'Delete' }))) return
    await act.run(async () => {
      await send('DELETE', path)
      reload()
    })
  }
  return (
    <li class="list-row">
      <div class="row label-line">
        <span class="label-place">
          <LabelChip
            label={label}
            href={`${own}/issues?${new URLSearchParams({ q: `is:open label:"${label.name}"` })}`}
          />
        </span>
        <span class="grow soft small">{label.description}</span>
        {mayWrite && (
          <span class="row">
            <button
              type="button"
              class="button quiet tight"
              aria-label={`Edit ${label.name}`}
              aria-expanded={isEditing}
              onClick={() => setEditing(!isEditing)}
            >
              Edit
            </button>
            <button
              type="button"
              class="button quiet tight"
              aria-label={`Delete ${label.name}`}
              disabled={act.isBusy}
              onClick={() => void remove()}
            >
              Delete
            </button>
          </span>
        )}
      </div>
      <FailedAct act={act} />
      {isEditing && (
        <LabelForm
          label={label}
          path={path}
          close={(isChanged) => {
            setEditing(false)
            if (isChanged) reload()
          }}
        />
      )}
    </li>
  )
}

/** Any colour will do: the name is black or white on it, whichever is read more easily. */
const anyColor = (): string =>
  [...crypto.getRandomValues(new Uint8Array(3))].map((part) => part.toString(16).padStart(2, '0')).join('')

function LabelForm({ label, path, close }: { label?: Label; path: string; close(isChanged: boolean): void }) {
  const act = useAct()
  const [name, setName] = useState(label?.name ?? '')
  const [description, setDescription] = useState(label?.description ?? '')
  const [color, setColor] = useState(label?.color ?? anyColor)
  const save = async () => {
    const members = { color, description }
    if (label) await send('PATCH', path, { ...members, new_name: name.trim() })
    else await send('POST', path, { ...members, name: name.trim() })
    close(true)
  }
  return (
    <Form act={act} submit={save} class="label-form">
      <p>
        <LabelChip label={{ name: name || 'Preview', color }} />
      </p>
      <div class="pair">
        <Field label="Name">
          <input required maxLength={50} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <Field label="Description">
          <input maxLength={100} value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
        </Field>
        <Field label="Colour">
          <input type="color" value={`#${color}`} onInput={(event) => setColor(event.currentTarget.value.slice(1))} />
        </Field>
      </div>
      <div class="row">
        <Submit act={act}>{label ? 'Save' : 'Create label'}</Submit>
        <button type="button" class="button" onClick={() => close(false)}>
          Cancel
        </button>
      </div>
    </Form>
  )
}
