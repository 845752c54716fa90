/** Brings a fork's branch up to date with the same branch of its parent: forward, or by a merge. */
import type { Clock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Access, Opening, RepositoryNeed } from '../../access/opening.ts'
import type { OpenRepository } from '../../access/repository.ts'
import { everyTokenKind } from '../../access/required-grant.ts'
import { notFound } from '../../failures.ts'
import type { Git } from '../../git/process/git.ts'
import { makeCheckedMoves } from '../../git/push/checked-moves.ts'
import type { CheckPush } from '../../git/push/push-rules.ts'
import type { RefMoving } from '../../git/push/ref-moving.ts'
import { isBranchName } from '../../git/ref-name.ts'
import { signAs } from '../../git/write/commit-text.ts'
import type { Merging } from '../../git/write/merging.ts'
import type { StorageQuota } from '../../storage/storage-quota.ts'
import type { PullEnds } from '../pull-ends.ts'
import { refuse } from '../pull-opening.ts'

export type UpstreamMerge = {
  readonly kind: 'merge' | 'fast-forward' | 'none'
  readonly upstream: OpenRepository
  readonly upstreamBranch: string
}

type Needs = {
  clock: Clock
  opening: Opening
  git: Git
  merging: Merging
  refMoving: RefMoving
  checkPush: CheckPush
  ends: PullEnds
  storage: Pick<StorageQuota, 'demandSpace'>
}

const toRead: RepositoryNeed<'read'> = {
  tokens: everyTokenKind,
  scopes: ['repo'],
  permissions: [{ name: 'contents', level: 'read' }],
  level: 'read',
  signIn: false,
  writes: false,
}

export type UpstreamMerging = ReturnType<typeof makeUpstreamMerging>

export function makeUpstreamMerging({ clock, opening, ends, merging, storage, ...needs }: Needs) {
  const moves = makeCheckedMoves({ ...needs, merging })

  async function openUpstream({ actor, repository }: Access<'write'>): Promise<OpenRepository> {
    const { parentId } = repository
    if (parentId === null) throw refuse('The repository is no fork, so it has no upstream.')
    const upstream = await opening.open(actor, { id: parentId }, toRead).catch((error) => {
      throw error instanceof Failure && error.kind === 'not-found' ? refuse('You cannot read its upstream.') : error
    })
    // What was private is not to be shown to more by way of a fork.
    if (upstream.isPrivate && !repository.isPrivate) throw refuse('The upstream is private, and the fork is not.')
    return upstream
  }

  /** The default branches of the two are each other's, whatever they are called. */
  async function findUpstreamTip(upstream: OpenRepository, repository: OpenRepository, branch: string) {
    const same = await ends.findTip(upstream, branch)
    if (same) return { sha: same, name: branch }
    const isDefault = branch === repository.defaultBranch
    const sha = isDefault ? await ends.findTip(upstream, upstream.defaultBranch) : undefined
    if (!sha) throw refuse(`The upstream has no branch ${branch}.`)
    return { sha, name: upstream.defaultBranch }
  }

  return {
    async merge(access: Access<'write'>, branch: string): Promise<UpstreamMerge> {
      const { repository, actor } = access
      const before = isBranchName(branch) ? await ends.findTip(repository, branch) : undefined
      if (!before) throw notFound()
      const upstream = await openUpstream(access)
      const tip = await findUpstreamTip(upstream, repository, branch)
      const place = { upstream, upstreamBranch: tip.name }
      await storage.demandSpace(repository)
      // Before anything is brought: of what is refused nothing stays.
      const foreseen = await merging.foresee(repository, upstream, { base: before, head: tip.sha })
      if (foreseen === 'nothing') return { kind: 'none', ...place }
      if (foreseen !== 'merged') throw new Failure('conflict', 'merge-conflict', 'There are merge conflicts.')
      await ends.bringBase(upstream, repository, tip.sha)
      const ref = `refs/heads/${branch}`
      if (await merging.isAncestor(repository, before, tip.sha)) {
        await moves.move(access, [{ ref, before, after: tip.sha }], { isForward: true })
        return { kind: 'fast-forward', ...place }
      }
      const author = signAs(actor.account, clock.now())
      const message = `Merge branch '${upstream.owner.login}:${tip.name}' into ${branch}`
      const draft = { base: before, head: tip.sha, author, committer: author, message }
      const made = await merging.merge(repository, draft)
      if (made.kind !== 'merged') throw new Failure('conflict', 'merge-conflict', 'There are merge conflicts.')
      await moves.move(access, [{ ref, before, after: made.sha }], { isForward: true })
      return { kind: 'merge', ...place }
    },
  }
}
