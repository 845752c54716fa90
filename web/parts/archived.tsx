/** Stands where something would be written if the repository were not archived. */
import type { ComponentChildren } from 'preact'
import type { Repository } from '../api/forge-types.ts'
import { Empty } from './state.tsx'

type Props = { readonly repository: Repository; readonly title: string; readonly children: ComponentChildren }

export const UnlessArchived = ({ repository, title, children }: Props) =>
  repository.archived ? (
    <>
      <h1 class="hidden-text">{title}</h1>
      <div class="card">
        <Empty title="This repository is archived.">
          <p>It can be read, and nothing in it can be changed.</p>
          <a href={`/${repository.full_name}`}>Back to the repository</a>
        </Empty>
      </div>
    </>
  ) : (
    children
  )
