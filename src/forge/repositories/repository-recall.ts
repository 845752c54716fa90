/**
 * Repositories as they were last read. A row that has not changed becomes the same object again, so that what was made of it
 * need not be made anew: a change to one repository makes every list of repositories be read again.
 */
import { type OpenRepository, type RepositoryRow, toOpenRepository, type Viewer } from '../access/repository.ts'

/** With what wires make of each, some 6 MB. */
const maxRecalled = 1_000

export function makeRepositoryRecall(): (row: RepositoryRow, viewer: Viewer | undefined) => OpenRepository {
  const recalled = new Map<string, { readonly state: string; readonly repository: OpenRepository }>()
  return (row, viewer) => {
    const key = `${row.id} ${viewer?.id} ${viewer?.isSiteAdmin}`
    // All that a repository is made of, counts and the viewer's rank included.
    const state = JSON.stringify(row)
    const known = recalled.get(key)
    if (known?.state === state) return known.repository
    const repository = toOpenRepository(row, viewer)
    if (recalled.size >= maxRecalled) recalled.clear()
    recalled.set(key, { state, repository })
    return repository
  }
}
