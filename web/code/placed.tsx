/** A page of a ref and a path: finds what its address means, or says that there is no such thing. */
import type { ComponentChildren } from 'preact'
import { isMissing } from '../api/fault.ts'
import type { Repository } from '../api/forge-types.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { NotFound } from '../parts/not-found.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Ready } from '../parts/state.tsx'
import { type CodePlace, findPlace } from './place.ts'

type Props = {
  readonly params: Readonly<Record<string, string>>
  children(repository: Repository, place: CodePlace): ComponentChildren
}

export function Placed({ params, children }: Props) {
  const { owner = '', repo = '' } = params
  const rest = params['*'] ?? ''
  const place = useLoad(`place ${owner}/${repo} ${rest}`, () => findPlace(owner, repo, rest))
  return (
    <RepositoryPage params={params} tab="code">
      {(repository) => (
        <OrMissing of={place} owner={owner} repo={repo}>
          {(found) => children(repository, found)}
        </OrMissing>
      )}
    </RepositoryPage>
  )
}

type OrMissingProps<T> = {
  readonly of: Loaded<T>
  readonly owner: string
  readonly repo: string
  children(value: T): ComponentChildren
}

export const OrMissing = <T,>({ of, owner, repo, children }: OrMissingProps<T>) =>
  of.value === undefined && isMissing(of.error) ? (
    <NotFound title="This file or folder does not exist">
      The file or the branch may have been renamed or deleted. <a href={`/${owner}/${repo}`}>Browse the files</a>
    </NotFound>
  ) : (
    <Ready of={of}>{children}</Ready>
  )
