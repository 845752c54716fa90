/** Reverts a merged pull: a branch with one commit that takes its changes back, and a pull that brings it to the base. */
import type { Clock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Store } from '../../../store/store.ts'
import type { Access } from '../../access/opening.ts'
import { signAs } from '../../git/write/commit-text.ts'
import type { Merging } from '../../git/write/merging.ts'
import type { RefWriting } from '../../git/write/ref-writing.ts'
import type { StorageQuota } from '../../storage/storage-quota.ts'
import type { PullEnds } from '../pull-ends.ts'
import { type PullOpening, refuse } from '../pull-opening.ts'
import { findPull } from '../pull-row.ts'

export type RevertDraft = {
  readonly title?: string | undefined
  readonly body?: string | undefined
  readonly isDraft?: boolean | undefined
}

type Needs = {
  store: Store
  clock: Clock
  ends: PullEnds
  merging: Merging
  refs: RefWriting
  opening: PullOpening
  storage: Pick<StorageQuota, 'demandSpace'>
}

/** In characters; a longer title is cut. */
const maxTitle = 256
/** The most branches of one name, each with a number after it. */
const maxSuffix = 9

export type PullReverting = ReturnType<typeof makePullReverting>

export function makePullReverting({ store, clock, ends, merging, refs, opening, storage }: Needs) {
  async function createBranch(access: Access<'write'>, name: string, sha: string): Promise<string> {
    for (let suffix = 0; ; suffix++) {
      const branch = suffix === 0 ? name : `${name}-${suffix}`
      try {
        await refs.create(access, `refs/heads/${branch}`, sha)
        return branch
      } catch (error) {
        const isTaken = error instanceof Failure && error.code === 'ref-exists'
        if (!isTaken || suffix === maxSuffix) throw error
      }
    }
  }

  return {
    /** Answers the id of the new pull. */
    async revert(access: Access<'write'>, number: number, { title, body, isDraft }: RevertDraft): Promise<number> {
      const { repository, actor } = access
      const { issue, row } = await findPull(store.db, repository.id, number)
      if (row.merged_at === null || row.merge_sha === null) throw refuse('Only a merged pull request can be reverted.')
      await storage.demandSpace(repository)
      const tip = await ends.findTip(repository, row.base_ref)
      if (!tip) throw refuse('The base branch was deleted.')
      const named = title ?? shorten(`Revert "${issue.title}"`)
      const author = signAs(actor.account, clock.now())
      const message = `${named}\n\nThis reverts pull request #${number}, commit ${row.merge_sha}.\n`
      const made = await merging.revert(repository, {
        ...{ base: tip, before: row.base_sha, after: row.merge_sha },
        ...{ author, committer: author, message },
      })
      if (made.kind === 'conflict') throw refuse('The pull request can’t be reverted without a conflict: do it by git.')
      if (made.kind !== 'merged') throw refuse('The base branch has none of its changes any more.')
      const head = await createBranch(access, `revert-${number}-${row.head_ref}`, made.sha)
      const text = body ?? `Reverts ${repository.owner.login}/${repository.name}#${number}`
      return opening.open(access, { subject: { title: named }, body: text, base: row.base_ref, head, isDraft })
    },
  }
}

const shorten = (title: string): string => [...title].slice(0, maxTitle).join('')
