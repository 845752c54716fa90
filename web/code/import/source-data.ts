/** The import or mirror of a repository, read again while something is under way. */
import { useEffect } from 'preact/hooks'
import { readIfThere, repositoryPath } from '../../api/forge.ts'
import type { Repository, User } from '../../api/forge-types.ts'
import { type Loaded, useLoad } from '../../app/load.ts'

export type Source = {
  readonly source_url: string
  readonly username: string | null
  readonly has_password: boolean
  readonly status: 'pending' | 'fetching' | 'complete' | 'failed'
  readonly failure: string | null
  readonly mirror: boolean
  readonly interval_minutes: number | null
  readonly received_bytes: number
  readonly branches: number
  readonly tags: number
  readonly skipped_refs: { readonly count: number; readonly names: readonly string[] }
  readonly requested_by: User
  readonly fetched_at: string | null
  readonly next_fetch_at: string | null
}

export const importPath = ({ owner, name }: Repository): string => repositoryPath(owner.login, name, 'import')

export const isUnderWay = ({ status }: Source): boolean => status === 'pending' || status === 'fetching'

const lookMs = 2_000

/** Null if there is none. */
export function useSource(repository: Repository): Loaded<Source | null> {
  const loaded = useLoad(
    `import ${repository.full_name}`,
    async () => (await readIfThere<Source>(importPath(repository))) ?? null,
  )
  const { reload, value } = loaded
  const isWaiting = value !== null && value !== undefined && isUnderWay(value)
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(reload, lookMs)
    return () => clearInterval(timer)
  }, [isWaiting, reload])
  return loaded
}
