/** The import or mirror of a repository, or the form to start one while the repository is empty. */
import { useEffect, useRef } from 'preact/hooks'
import type { Repository } from '../../api/forge-types.ts'
import { Ready } from '../../parts/state.tsx'
import { ImportForm } from './import-form.tsx'
import { isUnderWay, useSource } from './source-data.ts'
import { SourceState } from './source-state.tsx'

type Props = {
  readonly repository: Repository
  readonly isEmpty: boolean
  /** Called when something has changed that the page around shows. */
  changed(): void
}

export function ImportPanel({ repository, isEmpty, changed }: Props) {
  const loaded = useSource(repository)
  const { value } = loaded
  const status = value?.status
  const before = useRef(status)
  useEffect(() => {
    if (before.current !== undefined && before.current !== status && value && !isUnderWay(value)) changed()
    before.current = status
  }, [status, value, changed])
  return (
    <Ready of={loaded}>
      {(source) =>
        source ? (
          <SourceState repository={repository} source={source} loaded={loaded} ended={changed} />
        ) : isEmpty ? (
          <ImportForm
            repository={repository}
            started={(made) => {
              loaded.replace(made)
              if (made.mirror) changed()
            }}
          />
        ) : (
          <p class="soft">
            Only an empty repository can be imported into. <a href="/-/repositories/new">Create a new one</a> without a
            README.
          </p>
        )
      }
    </Ready>
  )
}
