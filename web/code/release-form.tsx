/** A release that is written or changed: its tag, its words, and files that are uploaded with it. */
import { useState } from 'preact/hooks'
import { Fault } from '../api/fault.ts'
import { read, repositoryPath, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useSignedIn, useTitle, useUnsavedGuard } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { ActButton, Field, Form, Submit, useAct } from '../parts/form.tsx'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { FailedAct, Ready } from '../parts/state.tsx'
import { codePath } from './paths.ts'
import type { Release } from './releases.tsx'

export const NewReleaseView = ({ params }: ViewProps) => {
  if (!useSignedIn()) return null
  return (
    <RepositoryPage params={params} tab="releases">
      {(repository) => <ReleaseForm repository={repository} release={undefined} />}
    </RepositoryPage>
  )
}

export const EditReleaseView = ({ params }: ViewProps) => {
  if (!useSignedIn()) return null
  return (
    <RepositoryPage params={params} tab="releases">
      {(repository) => <Loaded repository={repository} id={params.id ?? ''} />}
    </RepositoryPage>
  )
}

function Loaded({ repository, id }: { repository: Repository; id: string }) {
  const path = repositoryPath(repository.owner.login, repository.name, 'releases', id)
  const release = useLoad(`release ${path}`, () => read<Release>(path))
  return <Ready of={release}>{(found) => <ReleaseForm repository={repository} release={found} />}</Ready>
}

function ReleaseForm({ repository, release }: { repository: Repository; release: Release | undefined }) {
  const [owner, repo] = [repository.owner.login, repository.name]
  const path = (...rest: (string | number)[]) => repositoryPath(owner, repo, 'releases', ...rest)
  useTitle(release ? `Edit ${release.name || release.tag_name}` : 'New release')
  const [tag, setTag] = useState(release?.tag_name ?? '')
  const [target, setTarget] = useState(release?.target_commitish ?? repository.default_branch)
  const [name, setName] = useState(release?.name ?? '')
  const [body, setBody] = useState(release?.body ?? '')
  const [isPrerelease, setPrerelease] = useState(release?.prerelease ?? false)
  const [isDraft, setDraft] = useState(release?.draft ?? false)
  const [files, setFiles] = useState<readonly File[]>([])
  const [removed, setRemoved] = useState<readonly number[]>([])
  const act = useAct()
  const noting = useAct()
  const guard = useUnsavedGuard()
  const kept = release?.assets.filter(({ id }) => !removed.includes(id)) ?? []
  const writeNotes = () =>
    noting.run(async () => {
      const asked = { tag_name: tag || 'next', target_commitish: target }
      const notes = await send<{ body: string }>('POST', path('generate-notes'), asked)
      setBody(body ? `${body}\n\n${notes.body}` : notes.body)
    })
  const submit = async () => {
    const draft = { tag_name: tag.trim(), target_commitish: target.trim(), name, body, prerelease: isPrerelease }
    // Files come first: nobody is told of a release whose files are still on their way.
    const made = release
      ? await send<Release>('PATCH', path(release.id), { ...draft, draft: release.draft })
      : await send<Release>('POST', path(), { ...draft, draft: true })
    for (const id of removed) await send('DELETE', path('assets', id))
    for (const file of files) await upload(path(made.id, 'assets'), file)
    const done = made.draft === isDraft ? made : await send<Release>('PATCH', path(made.id), { draft: isDraft })
    guard.clear()
    go(done.draft ? codePath(repository, 'releases') : codePath(repository, 'releases', 'tag', done.tag_name))
  }
  return (
    <>
      <div class="heading">
        <h1>{release ? 'Edit release' : 'New release'}</h1>
      </div>
      <section class="card text-width">
        <Form act={act} submit={submit}>
          <div class="pair">
            <Field label="Tag" hint="An existing tag or a new one.">
              <input
                value={tag}
                required
                maxLength={200}
                onInput={(event) => {
                  setTag(event.currentTarget.value)
                  guard.note()
                }}
              />
            </Field>
            <Field label="Target" hint="The branch or commit that a new tag points to.">
              <input value={target} onInput={(event) => setTarget(event.currentTarget.value)} />
            </Field>
          </div>
          <Field label="Title">
            <input value={name} maxLength={255} onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
          <MarkdownField
            label="Release notes"
            value={body}
            repository={repository.full_name}
            rows={10}
            change={(text) => {
              setBody(text)
              guard.note()
            }}
          />
          <p class="row">
            <ActButton act={noting} what="Generate notes from commits" run={writeNotes}>
              Generate notes from commits
            </ActButton>
          </p>
          <FailedAct act={noting} />
          {kept.length > 0 && (
            <ul class="plain-list assets">
              {kept.map((asset) => (
                <li key={asset.id} class="row spread">
                  <bdi>{asset.name}</bdi>
                  <ActButton act={act} what={`Remove ${asset.name}`} run={() => setRemoved([...removed, asset.id])}>
                    Remove
                  </ActButton>
                </li>
              ))}
            </ul>
          )}
          <Field label="Files" hint="Files are uploaded when you save the release.">
            <input type="file" multiple onChange={(event) => setFiles([...(event.currentTarget.files ?? [])])} />
          </Field>
          <label class="check">
            <input type="checkbox" checked={isPrerelease} onChange={() => setPrerelease(!isPrerelease)} />
            <span>Pre-release: not ready for everyone yet</span>
          </label>
          <label class="check">
            <input type="checkbox" checked={isDraft} onChange={() => setDraft(!isDraft)} />
            <span>Draft: only people with write access can see it</span>
          </label>
          <Submit act={act} busy="Saving …">
            {isDraft ? 'Save draft' : release && !release.draft ? 'Save' : 'Publish release'}
          </Submit>
        </Form>
      </section>
    </>
  )
}

async function upload(path: string, file: File): Promise<void> {
  const response = await fetch(`${path}?name=${encodeURIComponent(file.name)}`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': file.type || 'application/octet-stream' },
    body: file,
  })
  if (response.ok) return
  const { message = '' } = (await response.json().catch(() => ({}))) as { message?: string }
  throw new Fault(response.status, `${file.name} was not uploaded. ${message}`)
}
