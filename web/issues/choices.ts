/** The choices in a repository: labels, milestones, people. Each list is read when its picker is opened. */
import { readIfThere, readList, repositoryPath } from '../api/forge.ts'
import type { User } from '../api/forge-types.ts'
import type { Label, Milestone } from '../api/issue-types.ts'

export type Place = { readonly owner: string; readonly repo: string }

/** Longer lists are cut: nobody picks from more. */
const mostPages = 5

async function readAll<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<readonly T[]> {
  const found: T[] = []
  for (let page = 1; page <= mostPages; page++) {
    const { items, hasMore } = await readList<T>(path, { ...query, per_page: 100, page })
    found.push(...items)
    if (!hasMore) break
  }
  return found
}

export const readLabels = ({ owner, repo }: Place) => readAll<Label>(repositoryPath(owner, repo, 'labels'))
export const readMilestones = ({ owner, repo }: Place, state = 'open') =>
  readAll<Milestone>(repositoryPath(owner, repo, 'milestones'), { state })
export const readAssignable = ({ owner, repo }: Place) => readAll<User>(repositoryPath(owner, repo, 'assignees'))

export type TeamChoice = { readonly slug: string; readonly name: string }

/** The teams of the owning organisation that may be asked for a review, as far as this person can see them. */
export async function readTeams({ owner, repo }: Place): Promise<readonly TeamChoice[]> {
  const path = `/orgs/${encodeURIComponent(owner)}/teams`
  const [first, own] = await Promise.all([
    readIfThere<readonly TeamChoice[]>(path, { per_page: 100 }),
    // Only admins are told which of them have access; the server refuses the others.
    readIfThere<readonly TeamChoice[]>(repositoryPath(owner, repo, 'teams'), { per_page: 100 }),
  ])
  return own ?? first ?? []
}
