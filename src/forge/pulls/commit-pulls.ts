/** Finds the pulls of a commit: those that end in it, else the one that brought it, else open ones that have it. */
import type { Store } from '../../store/store.ts'
import type { Repository } from '../access/repository.ts'
import type { Git } from '../git/process/git.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import type { Merging } from '../git/write/merging.ts'
import { pullRef } from './pull.ts'
import type { PullEnds } from './pull-ends.ts'

export type CommitPullOrder = { readonly sort: 'created' | 'updated'; readonly direction: 'asc' | 'desc' }

/** A commit that a pull brought has its merge among as many that follow it: a pull has 250 commits at most. */
const mostFollowing = 250
/** The most merges that are compared with the commit, nearest first. */
const mostMerges = 5
/** The most open pulls that are asked, newest first. */
const mostOpen = 100

type Needs = {
  store: Store
  git: Git
  reading: Pick<GitReading, 'head'>
  merging: Pick<Merging, 'isAncestor'>
  ends: Pick<PullEnds, 'recallTip'>
}

export type FindCommitPulls = ReturnType<typeof makeCommitPulls>

export function makeCommitPulls({ store: { db }, git, reading, merging, ends }: Needs) {
  const selectPulls = ({ id }: Repository) =>
    db.selectFrom('pull').innerJoin('issue', 'issue.id', 'pull.issue_id').where('pull.repository_id', '=', id)

  /** The commits between this and the tip of the default branch, nearest first; undefined if it is not part of it. */
  async function listFollowing(repository: Repository, sha: string): Promise<string[] | undefined> {
    const tip = await ends.recallTip(repository, repository.defaultBranch)
    if (!tip || !(await merging.isAncestor(repository, sha, tip))) return undefined
    const words = ['rev-list', '--ancestry-path', '--topo-order', `${sha}..${tip}`, '--']
    const lines = (await git.read(repository, words)).toString().trim().split('\n')
    return lines.slice(-mostFollowing).reverse()
  }

  /** A merge before which the base did not have the commit. */
  async function findBringing(repository: Repository, sha: string, following: readonly string[]): Promise<number[]> {
    const rows = await selectPulls(repository)
      .select(['pull.issue_id', 'pull.merge_sha', 'pull.base_sha'])
      .where('pull.merge_sha', 'in', [...following])
      .where('pull.merged_at', 'is not', null)
      .execute()
    const places = new Map(following.map((one, i) => [one, i]))
    const near = rows.toSorted((a, b) => places.get(a.merge_sha!)! - places.get(b.merge_sha!)!).slice(0, mostMerges)
    for (const { issue_id, base_sha } of near)
      if (!(await merging.isAncestor(repository, sha, base_sha))) return [issue_id]
    return []
  }

  async function findOpen(repository: Repository, sha: string): Promise<number[]> {
    const open = await selectPulls(repository)
      .select(['pull.issue_id', 'issue.number'])
      .where('issue.state', '=', 'open')
      .orderBy('pull.issue_id', 'desc')
      .limit(mostOpen)
      .execute()
    if (open.length === 0) return []
    const refs = open.map(({ number }) => pullRef(number))
    const output = await git.read(repository, ['for-each-ref', `--contains=${sha}`, '--format=%(refname)', ...refs])
    const found = new Set(output.toString().split('\n'))
    return open.filter(({ number }) => found.has(pullRef(number))).map(({ issue_id }) => issue_id)
  }

  /** Ids of pulls, in this order. */
  return async (repository: Repository, sha: string, { sort, direction }: CommitPullOrder): Promise<number[]> => {
    const ended = await selectPulls(repository)
      .select('pull.issue_id')
      .where((eb) => eb.or([eb('pull.head_sha', '=', sha), eb('pull.merge_sha', '=', sha)]))
      .execute()
    const found = ended.map(({ issue_id }) => issue_id)
    if (found.length === 0 && (await reading.head(repository, `${sha}^{commit}`))) {
      const following = await listFollowing(repository, sha)
      found.push(...(following ? await findBringing(repository, sha, following) : await findOpen(repository, sha)))
    }
    if (found.length < 2) return found
    const rows = await selectPulls(repository)
      .select('pull.issue_id')
      .where('pull.issue_id', 'in', found)
      .$if(sort === 'updated', (query) => query.orderBy('issue.updated_at', direction))
      .orderBy('pull.issue_id', direction)
      .execute()
    return rows.map(({ issue_id }) => issue_id)
  }
}
