/** Web addresses, by which records refer to each other. Each part is URL-encoded. */

export type RepositoryPlace = { readonly owner: string; readonly name: string }

export type Addresses = ReturnType<typeof makeAddresses>

export function makeAddresses(origin: string) {
  const repository = ({ owner, name }: RepositoryPlace) => `${origin}/${owner}/${name}`
  return {
    account: (login: string) => `${origin}/${login}`,
    team: (organisation: string, slug: string) => `${origin}/orgs/${organisation}/teams/${slug}`,
    repository,
    label: (place: RepositoryPlace, name: string) => `${repository(place)}/labels/${encodeURIComponent(name)}`,
    milestone: (place: RepositoryPlace, number: number) => `${repository(place)}/milestone/${number}`,
    issue: (place: RepositoryPlace, number: number, isPull: boolean) =>
      `${repository(place)}/${isPull ? 'pull' : 'issues'}/${number}`,
    /** Parts of an issue or a pull, by its address. */
    issueComment: (issue: string, id: number) => `${issue}#issuecomment-${id}`,
    issueEvent: (issue: string, id: number) => `${issue}#event-${id}`,
    review: (pull: string, id: number) => `${pull}#pullrequestreview-${id}`,
    reviewComment: (pull: string, id: number) => `${pull}#discussion_r${id}`,
    commitComment: (place: RepositoryPlace, sha: string, id: number) =>
      `${repository(place)}/commit/${sha}#commitcomment-${id}`,
    protectedBranch: (place: RepositoryPlace, name: string) =>
      `${repository(place)}/protected_branches/${encodeURIComponent(name)}`,
    release: (place: RepositoryPlace, tag: string) => `${repository(place)}/releases/tag/${encodeURIComponent(tag)}`,
    attachment: (uuid: string, name: string) => `${origin}/-/attachments/${uuid}/${encodeURIComponent(name)}`,
  }
}

/** `2026-03-10T12:00:00Z`. */
export const formatTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
export const formatTimeOrNull = (ms: number | null): string | null => (ms === null ? null : formatTime(ms))

/** The address of a file within the archive. */
export const inArchive = (path: string): string => `tarball://root/${path}`
