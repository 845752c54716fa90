/** A file that is written, changed, moved or deleted in the browser: as a commit, or as a pull request. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Repository } from '../api/forge-types.ts'
import { forgetAll, useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useSignedIn, useTitle, useUnsavedGuard } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { Code } from '../judge/code.tsx'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { languageOfFile } from '../parts/languages.ts'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty } from '../parts/state.tsx'
import { commitChange } from './edit/commit-change.ts'
import { type BranchRules, CommitFields, targetOf, useBranchRules, useCommitDraft } from './edit/commit-fields.tsx'
import { readBody } from './file/file-text.ts'
import { codePath } from './paths.ts'
import { type CodePlace, findPlace, toRef } from './place.ts'
import { OrMissing, Placed } from './placed.tsx'
import { type Content, readContent } from './tree/folder.ts'

type Purpose = 'edit' | 'delete' | 'new'

export const EditView = ({ params }: ViewProps) => (
  <Signed>
    <Placed params={params}>
      {(repository, place) => <Existing repository={repository} place={place} purpose="edit" />}
    </Placed>
  </Signed>
)

export const DeleteView = ({ params }: ViewProps) => (
  <Signed>
    <Placed params={params}>
      {(repository, place) => <Existing repository={repository} place={place} purpose="delete" />}
    </Placed>
  </Signed>
)

/** Also works in an empty repository, where the first commit creates the branch. */
export const NewFileView = ({ params }: ViewProps) => (
  <Signed>
    <RepositoryPage params={params} tab="code">
      {(repository) => <New repository={repository} rest={params['*'] ?? ''} />}
    </RepositoryPage>
  </Signed>
)

const New = ({ repository, rest }: { repository: Repository; rest: string }) => (
  <WritablePlace repository={repository} rest={rest}>
    {(found) => <NewEditor repository={repository} place={found} />}
  </WritablePlace>
)

const NewEditor = (props: Omit<PlacedProps, 'purpose'>) => (
  <Editor {...props} purpose="new" rules={useBranchRules(props.repository, props.place.ref)} />
)

type WritableProps = {
  readonly repository: Repository
  readonly rest: string
  children(place: CodePlace): ComponentChildren
}

/** A branch and a folder to write to; the branch of an empty repository comes with its first commit. */
export function WritablePlace({ repository, rest, children }: WritableProps) {
  const [owner, repo] = [repository.owner.login, repository.name]
  const { default_branch: ref } = repository
  const place = useLoad(`place ${owner}/${repo} ${rest}`, async (): Promise<CodePlace> => {
    // It may be there only with the first commit, and no tag of this name stands before it.
    return rest === ref ? { ref, kind: 'branch', path: '' } : findPlace(owner, repo, rest)
  })
  return (
    <OrMissing of={place} owner={owner} repo={repo}>
      {children}
    </OrMissing>
  )
}

export function Signed({ children }: { children: ComponentChildren }) {
  return useSignedIn() ? children : null
}

type PlacedProps = { readonly repository: Repository; readonly place: CodePlace; readonly purpose: Purpose }

function Existing({ repository, place, purpose }: PlacedProps) {
  const [owner, repo] = [repository.owner.login, repository.name]
  const rules = useBranchRules(repository, place.ref)
  const loaded = useLoad(`edited ${owner}/${repo} ${toRef(place)} ${place.path}`, async () => {
    const content = await readContent(owner, repo, place.path, toRef(place))
    if (content.type !== 'file') return { content, text: undefined }
    const body = await readBody(owner, repo, content, toRef(place))
    return { content, text: body.kind === 'text' ? body.text : body.kind === 'empty' ? '' : undefined }
  })
  return (
    <OrMissing of={loaded} owner={owner} repo={repo}>
      {({ content, text }) =>
        place.kind !== 'branch' || content.type !== 'file' || (text === undefined && purpose === 'edit') ? (
          <div class="card">
            <h1 class="hidden-text">{place.path}</h1>
            <Empty title="This file can’t be edited here.">
              <p>Only text files on a branch can be edited in the browser.</p>
              <a href={codePath(repository, 'blob', place.ref, place.path)}>Back to the file</a>
            </Empty>
          </div>
        ) : (
          <Editor {...{ repository, place, purpose, content, rules }} text={text ?? ''} />
        )
      }
    </OrMissing>
  )
}

type EditorProps = PlacedProps & {
  readonly rules: BranchRules
  readonly content?: Content
  readonly text?: string
}

function Editor({ repository, place, purpose, rules, content, text: given = '' }: EditorProps) {
  const { ref: branch } = place
  const folder = purpose === 'new' && place.path !== '' ? `${place.path}/` : ''
  const [path, setPath] = useState(content?.path ?? folder)
  const [text, setText] = useState(given)
  const draft = useCommitDraft(repository, rules)
  const act = useAct()
  const guard = useUnsavedGuard()
  const name = path.slice(path.lastIndexOf('/') + 1) || 'the file'
  const usual = purpose === 'delete' ? `Delete ${name}` : purpose === 'new' ? `Create ${name}` : `Update ${name}`
  useTitle(usual)
  const submit = async () => {
    const to = await commitChange(targetOf(draft, repository, branch), {
      text: purpose === 'delete' ? undefined : text,
      path: path.replace(/^\/+/, ''),
      before: content && { path: content.path, sha: content.sha },
      message: draft.message.trim() || usual,
    })
    guard.clear()
    forgetAll()
    const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
    const own =
      purpose === 'delete' ? codePath(repository, 'tree', branch, parent) : codePath(repository, 'blob', branch, path)
    go(to === 'done' ? own : to)
  }
  return (
    <Form act={act} submit={submit} class="edit-form">
      <div class="heading">
        <h1>{purpose === 'new' ? 'New file' : purpose === 'delete' ? `Delete ${name}` : `Edit ${name}`}</h1>
        <a class="button" href={codePath(repository, purpose === 'new' ? 'tree' : 'blob', branch, place.path)}>
          Cancel
        </a>
      </div>
      {purpose !== 'delete' && (
        <>
          <Field label="Path" hint="Use slashes to create folders.">
            <input
              class="mono"
              value={path}
              required
              maxLength={1_000}
              onInput={(event) => {
                setPath(event.currentTarget.value)
                guard.note()
              }}
            />
          </Field>
          <div class="card flush edit-code">
            <Code
              text={text}
              language={languageOfFile(path) ?? ''}
              label="Text of the file"
              onChange={(next) => {
                setText(next)
                guard.note()
              }}
            />
          </div>
        </>
      )}
      <section class="card below text-width">
        <CommitFields draft={draft} repository={repository} branch={branch} usual={usual} />
        <Submit act={act} busy="Saving …">
          {draft.how === 'pull' ? 'Propose change' : 'Commit'}
        </Submit>
      </section>
    </Form>
  )
}
