/** A repository that nothing was pushed to: how to begin. */
import type { Repository } from '../api/forge-types.ts'
import { Copy } from '../parts/copy.tsx'
import { CloneBox } from './clone-box.tsx'
import { codePath } from './paths.ts'

export function EmptyRepository({ repository }: { repository: Repository }) {
  const { clone_url, default_branch, permissions, name } = repository
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
    <section class="card">
      <div class="row spread">
        <h2 class="plain-heading">This repository is empty</h2>
        <CloneBox repository={repository} refName={default_branch} />
      </div>
      {permissions?.push ? (
        <>
          <p>
            <a href={codePath(repository, 'new', default_branch)}>Create its first file here</a>,{' '}
            <a href={codePath(repository, 'upload', default_branch)}>upload files</a>, or push to it:
          </p>
          <Commands title="From a new folder" text={fresh} />
          <Commands title="From an existing repository" text={known} />
        </>
      ) : (
        <p class="soft">Nothing has been pushed to it yet.</p>
      )}
    </section>
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
