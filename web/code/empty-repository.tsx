/** A repository that nothing was pushed to: how to begin. */
import type { Repository } from '../api/forge-types.ts'
import { Copy } from '../parts/copy.tsx'
import { CloneBox } from './clone-box.tsx'
import { ImportPanel } from './import/import-panel.tsx'
import { codePath } from './paths.ts'

type Props = { readonly repository: Repository; changed(): void }

export function EmptyRepository({ repository, changed }: Props) {
  const { clone_url, default_branch, permissions, name, mirror_url } = repository
  const fresh = [
    `echo "# ${name}" > README.md`,
    `git init --initial-branch=${default_branch}`,
    'git add README.md',
    'git commit -m "First commit"',
    `git remote add origin ${clone_url}`,
    `git push -u origin ${default_branch}`,
  ].join('\n')
  const known = `git remote add origin ${clone_url}\ngit push -u origin ${default_branch}`
  return (
    <>
      <section class="card">
        <div class="row spread">
          <h2 class="plain-heading">This repository is empty</h2>
          <CloneBox repository={repository} refName={default_branch} />
        </div>
        {permissions?.push && mirror_url === null ? (
          <>
            <p>
              <a href={codePath(repository, 'new', default_branch)}>Create its first file here</a>,{' '}
              <a href={codePath(repository, 'upload', default_branch)}>upload files</a>, or push to it:
            </p>
            <Commands title="From a new folder" text={fresh} />
            <Commands title="From an existing repository" text={known} />
          </>
        ) : (
          <p class="soft">
            {mirror_url === null ? 'Nothing has been pushed to it yet.' : 'Nothing has been fetched yet.'}
          </p>
        )}
      </section>
      {permissions?.admin && !repository.archived && (
        <section class="card below">
          <h2>Import from another git server</h2>
          <ImportPanel repository={repository} isEmpty changed={changed} />
        </section>
      )}
    </>
  )
}

const Commands = ({ title, text }: { title: string; text: string }) => (
  <>
    <p class="row spread">
      <b>{title}</b> <Copy text={text} what="the commands" />
    </p>
    <pre tabIndex={0}>{text}</pre>
  </>
)
