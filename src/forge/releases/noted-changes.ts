/** The changes that notes of a release tell of: a merged pull as one of them, and no merge that only joins branches. */
import type { Commit } from '../git/read/commit.ts'

export type NotedChange = { readonly commit: Commit; readonly title: string; readonly pull: number | undefined }

const mergedPull = /^Merge pull request #(\d{1,9}) from \S+/

const maxTitle = 200

/** In the order of the commits. What came with a pull is told by the pull alone. */
export function listNotedChanges(commits: readonly Commit[]): readonly NotedChange[] {
  const known = new Map(commits.map((commit) => [commit.sha, commit]))
  const found = new Map<string, NotedChange>()
  const seen = new Set<string>()
  const parents = new Set(commits.flatMap((commit) => commit.parents))
  // Of a cut list there may be several.
  const open = commits.map(({ sha }) => sha).filter((sha) => !parents.has(sha))
  for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
    const commit = known.get(sha)
    if (!commit || seen.has(sha)) continue
    seen.add(sha)
    const change = describe(commit)
    const isPlainMerge = commit.parents.length > 1 && change.pull === undefined
    if (!isPlainMerge) found.set(sha, change)
    open.push(...(isPlainMerge ? commit.parents : commit.parents.slice(0, 1)))
  }
  return commits.flatMap(({ sha }) => found.get(sha) ?? [])
}

/** The message of a merged pull has the pull's title below. */
function describe(commit: Commit): NotedChange {
  const [subject = '', ...rest] = commit.message.split('\n')
  const number = commit.parents.length > 1 ? mergedPull.exec(subject)?.[1] : undefined
  const title = (number === undefined ? undefined : rest.find((line) => line.trim() !== '')?.trim()) ?? subject
  return { commit, title: title.slice(0, maxTitle), pull: number === undefined ? undefined : Number(number) }
}
