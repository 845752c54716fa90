/** The head of a folder or a file: branch, path and actions. */
import type { ComponentChildren } from 'preact'
import type { Repository } from '../api/forge-types.ts'
import { RefPicker } from '../parts/ref-picker.tsx'
import { codePath, shortSha } from './paths.ts'
import type { CodePlace } from './place.ts'

type Props = {
  readonly repository: Repository
  readonly place: CodePlace
  /** The part of the address that stands before a ref: `tree`, `commits`. */
  readonly page: string
  readonly isFile?: boolean
  readonly children?: ComponentChildren
}

export function CodeHead({ repository, place, page, isFile = false, children }: Props) {
  const { ref, kind, path } = place
  return (
    <div class="code-head">
      <RefPicker
        owner={repository.owner.login}
        repo={repository.name}
        current={kind === 'commit' && ref.length === 40 ? shortSha(ref) : ref}
        kind={kind}
        hrefOf={(name) => codePath(repository, page, name, path)}
      />
      {path !== '' && <Trail repository={repository} place={place} isFile={isFile} />}
      {children && <span class="row code-acts no-print">{children}</span>}
    </div>
  )
}

function Trail({
  repository,
  place: { ref, path },
  isFile,
}: Pick<Props, 'repository' | 'place'> & { isFile: boolean }) {
  const steps = path.split('/')
  return (
    <nav class="trail" aria-label="Path">
      <a href={codePath(repository, 'tree', ref)}>{repository.name}</a>
      {steps.map((step, at) => (
        <span key={`${at} ${step}`}>
          <span class="soft"> / </span>
          {at === steps.length - 1 ? (
            <b {...(isFile && { class: 'trail-file' })}>
              <bdi>{step}</bdi>
            </b>
          ) : (
            <a href={codePath(repository, 'tree', ref, steps.slice(0, at + 1).join('/'))}>
              <bdi>{step}</bdi>
            </a>
          )}
        </span>
      ))}
    </nav>
  )
}
