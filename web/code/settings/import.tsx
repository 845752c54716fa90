/** Where a repository comes from: its import, or the mirror that it is. */
import { readList, repositoryPath } from '../../api/forge.ts'
import { useLoad } from '../../app/load.ts'
import { Ready } from '../../parts/state.tsx'
import { ImportPanel } from '../import/import-panel.tsx'
import type { SettingsProps } from './props.ts'

export function Import({ repository, loaded }: SettingsProps) {
  const { owner, name, full_name } = repository
  const branches = useLoad(`any branch ${full_name}`, () =>
    readList(repositoryPath(owner.login, name, 'branches'), { per_page: 1 }),
  )
  return (
    <section class="card text-width">
      <h2>Import and mirror</h2>
      <p class="soft">
        Brings branches and tags from another git server. Files in Git LFS, issues and the wiki do not come.
      </p>
      <Ready of={branches}>
        {({ items }) => (
          <ImportPanel
            repository={repository}
            isEmpty={items.length === 0}
            changed={() => {
              loaded.reload()
              branches.reload()
            }}
          />
        )}
      </Ready>
    </section>
  )
}
