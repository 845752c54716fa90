/** Pushes: written down before git moves a ref and settled after, so that none is forgotten, whenever the server dies. */

import type { SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Db } from '../../store/schema.ts'
import type { Store } from '../../store/store.ts'
import type { ActivityBoard, RefChange } from '../activity.ts'
import type { Opening } from '../repositories/opening.ts'
import type { Repository } from '../repositories/repository.ts'
import type { Git } from './git.ts'
import { isBranchName, zeroId } from './ref-name.ts'
import type { Tidying } from './tidying.ts'
import { tidyKind } from './tidying.ts'

export type Push = {
  readonly id: number
  readonly repository: Repository
  readonly pusher: number
  readonly changes: readonly RefChange[]
}

type Needs = {
  store: Store
  clock: Clock
  git: Git
  jobs: Jobs
  activity: ActivityBoard
  opening: Opening
  tidying: Tidying
}

/** Another server may still be at it for so long. */
const foreignPushMs = 60 * 60 * 1000

export type Pushes = ReturnType<typeof makePushes>

export function makePushes({ store, clock, git, jobs, activity, opening, tidying }: Needs) {
  const startedAt = clock.now()

  async function begin(actor: SignedIn, repository: Repository, changes: readonly RefChange[]): Promise<Push> {
    const pusher = actor.account.id
    const row = {
      repository_id: repository.id,
      pusher_id: pusher,
      state: 'receiving',
      changes: JSON.stringify(changes),
    }
    const { id } = await store.write((trx) =>
      trx
        .insertInto('push')
        .values({ ...row, created_at: clock.now() })
        .returning('id')
        .executeTakeFirstOrThrow(),
    )
    return { id, repository, pusher, changes }
  }

  /** What git has now: for clients that want no report, and for pushes whose end nobody saw. */
  async function look({ repository, changes }: Push): Promise<Set<string>> {
    const output = await git.read(repository, ['for-each-ref', '--format=%(objectname) %(refname)'])
    const lines = output.toString('utf8').split('\n').filter(Boolean)
    const now = new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]))
    return new Set(changes.filter(({ ref, after }) => (now.get(ref) ?? zeroId) === after).map(({ ref }) => ref))
  }

  async function settle(trx: Db, push: Push, changes: readonly RefChange[], sizeKib: number): Promise<void> {
    const { repository } = push
    const open = await trx
      .updateTable('push')
      .set({ state: 'received', changes: JSON.stringify(changes) })
      .where('id', '=', push.id)
      .where('state', '=', 'receiving')
      .returning('id')
      .executeTakeFirst()
    if (!open) return
    const now = clock.now()
    const firstBranch = repository.lastPushId === 0 ? chooseDefault(repository, changes) : undefined
    await trx
      .updateTable('repository')
      .set({
        last_push_id: push.id,
        pushed_at: now,
        updated_at: now,
        size_kib: sizeKib,
        ...(firstBranch !== undefined && { default_branch: firstBranch }),
      })
      .where('id', '=', repository.id)
      .execute()
    await activity.tell(trx, { kind: 'push', repository, pusher: push.pusher, pushId: push.id, changes })
    await jobs.enqueue(trx, tidyKind, { repositoryId: repository.id }, { key: String(repository.id) })
  }

  async function finish(push: Push, outcome: ReadonlySet<string> | 'look'): Promise<void> {
    const moved = outcome === 'look' ? await look(push) : outcome
    const changes = push.changes.filter(({ ref }) => moved.has(ref))
    if (changes.length === 0) {
      await store.write((trx) => trx.deleteFrom('push').where('id', '=', push.id).execute())
      return
    }
    const sizeKib = await tidying.measure(push.repository)
    await store.write((trx) => settle(trx, push, changes, sizeKib))
  }

  return {
    begin,
    finish,

    /** Settles what a server that died left open. With an embedded database there is no other server: all of it. */
    async recover(): Promise<void> {
      const before = store.engine === 'sqlite' ? startedAt : clock.now() - foreignPushMs
      const rows = await store.db
        .selectFrom('push')
        .selectAll()
        .where('state', '=', 'receiving')
        .where('created_at', '<', before)
        .orderBy('id')
        .execute()
      for (const row of rows) {
        const repository = await opening.find(nobody, { id: row.repository_id })
        if (!repository) continue
        const changes = JSON.parse(row.changes) as RefChange[]
        await finish({ id: row.id, repository, pusher: row.pusher_id, changes }, 'look')
      }
    },
  }
}

const nobody = { account: undefined, credential: { kind: 'none' }, address: 'house' } as const

/** The first push decides which branch is the default where the one named is not among those pushed. */
function chooseDefault(repository: Repository, changes: readonly RefChange[]): string | undefined {
  const branches = changes
    .filter(({ ref, after }) => ref.startsWith('refs/heads/') && after !== zeroId)
    .map(({ ref }) => ref.slice('refs/heads/'.length))
  if (branches.length === 0 || branches.includes(repository.defaultBranch)) return undefined
  return branches.find(isBranchName)
}
