/** Files uploaded to a folder in the browser: several in one commit, on the branch or as a pull request. */
import { useState } from 'preact/hooks'
import { plural } from '../../src/lib/text/plural.ts'
import type { Repository } from '../api/forge-types.ts'
import { forgetAll } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useTitle, useUnsavedGuard } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { formatBytes } from '../parts/figures.ts'
import { FileButton } from '../parts/file-button.tsx'
import { Form, Submit, useAct } from '../parts/form.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Problem } from '../parts/state.tsx'
import { CommitFields, targetOf, useBranchRules, useCommitDraft } from './edit/commit-fields.tsx'
import { Signed, WritablePlace } from './edit.tsx'
import { codePath } from './paths.ts'
import type { CodePlace } from './place.ts'
import { addFiles, type ChosenFile, findFault, fromPicker, takeHeldFiles } from './upload/chosen-files.ts'
import { commitFiles } from './upload/commit-files.ts'
import { DropZone } from './upload/drop-zone.tsx'

export const UploadView = ({ params }: ViewProps) => (
  <Signed>
    <RepositoryPage params={params} tab="code">
      {(repository) => (
        <WritablePlace repository={repository} rest={params['*'] ?? ''}>
          {(place) => <Upload repository={repository} place={place} />}
        </WritablePlace>
      )}
    </RepositoryPage>
  </Signed>
)

function Upload({ repository, place }: { repository: Repository; place: CodePlace }) {
  const { ref: branch, path: folder } = place
  const [files, setFiles] = useState(takeHeldFiles)
  const [sent, setSent] = useState(0)
  const draft = useCommitDraft(repository, useBranchRules(repository, branch))
  const act = useAct()
  const guard = useUnsavedGuard()
  useTitle('Upload files')
  const fault = findFault(files)
  const usual =
    files.length === 1
      ? `Add ${files[0]!.path}`
      : files.length === 0
        ? 'Add files'
        : `Add ${plural(files.length, 'file')}`
  const back = codePath(repository, 'tree', branch, folder)
  const take = (more: readonly ChosenFile[]) => {
    guard.note()
    setFiles((known) => addFiles(known, more))
  }
  const submit = async () => {
    setSent(0)
    const to = await commitFiles(targetOf(draft, repository, branch), {
      folder: folder === '' ? '' : `${folder}/`,
      files,
      message: draft.message.trim() || usual,
      progress: setSent,
    })
    guard.clear()
    forgetAll()
    go(to === 'done' ? back : to)
  }
  return (
    <Form act={act} submit={submit} class="edit-form">
      <div class="heading">
        <h1>Upload files{folder && ` to ${folder}`}</h1>
        <a class="button" href={back}>
          Cancel
        </a>
      </div>
      <DropZone class="card drop" isDisabled={act.isBusy} take={take}>
        <FileButton
          label="Choose files"
          hint="Or drop files and folders here."
          accept=""
          isMany
          isDisabled={act.isBusy}
          choose={(chosen) => take(fromPicker(chosen))}
        />
      </DropZone>
      {files.length > 0 && (
        <ul class="plain-list card flush below" aria-label="Files to upload">
          {files.map(({ path, file }) => (
            <li key={path} class="list-row row spread">
              <bdi class="mono">{path}</bdi>
              <span class="row">
                <span class="soft small">{formatBytes(file.size)}</span>
                <button
                  type="button"
                  class="button quiet tight"
                  aria-label={`Remove ${path}`}
                  disabled={act.isBusy}
                  onClick={() => setFiles(files.filter((each) => each.path !== path))}
                >
                  Remove
                </button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {fault && <Problem message={fault} />}
      <section class="card below text-width">
        <CommitFields draft={draft} repository={repository} branch={branch} usual={usual} />
        {files.length > 0 && !fault ? (
          <Submit act={act} busy={`Uploading ${sent} of ${files.length} …`}>
            {draft.how === 'pull' ? 'Propose change' : 'Commit'}
          </Submit>
        ) : (
          <p class="small soft">Choose at least one file.</p>
        )}
      </section>
    </Form>
  )
}
