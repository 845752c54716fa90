/**
 * Stops counting what git has pruned: former heads of pulls, and test merges. Objects that a pull's present head
 * reaches stay counted, because a fetch does not bring again what an earlier head had brought.
 */
import { sql } from 'kysely'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Store } from '../../../store/store.ts'
import type { Repository } from '../../access/repository.ts'
import type { Maintenance } from '../../git/folders/maintenance.ts'
import type { Git } from '../../git/process/git.ts'
import { reclaimForkUsageWithin } from './fork-commit-usage.ts'

const kib = 1024
const portion = 500

type Needs = { store: Store; clock: Clock; jobs: Jobs; git: Git; tidying: Pick<Maintenance, 'afterShrinking'> }

type Row = {
  readonly id: number
  readonly sha: string | null
  readonly size_kib: number
  readonly head_sha: string | null
}

export function followFormerHeads({ store, clock, jobs, git, tidying }: Needs): void {
  const listUsage = ({ id }: Repository): Promise<Row[]> =>
    store.db
      .selectFrom('pull_usage')
      .leftJoin('pull', 'pull.issue_id', 'pull_usage.issue_id')
      .select(['pull_usage.id', 'pull_usage.sha', 'pull_usage.size_kib', 'pull.head_sha'])
      .where('pull_usage.repository_id', '=', id)
      .orderBy('pull_usage.id')
      .execute()

  async function findGone(repository: Repository, rows: readonly Row[]): Promise<Row[]> {
    const known = rows.filter(({ sha }) => sha !== null)
    if (known.length === 0) return []
    const input = known.map(({ sha }) => `${sha}\n`).join('')
    const lines = (await git.read(repository, ['cat-file', '--batch-check'], { input })).toString().split('\n')
    return known.filter((_, i) => lines[i]?.endsWith(' missing'))
  }

  /** KiB that only pulls reach. If git takes too long, the repository's whole size. */
  const measure = (repository: Repository, sha: string): Promise<number> =>
    git
      .read(repository, ['rev-list', '--objects', '--disk-usage', sha, '--not', '--branches', '--tags'])
      .then((output) => Math.ceil(Number(output) / kib))
      .catch(() => repository.sizeKib)

  /** For the rows of one head: they keep counting as much as the head reaches beyond its other counted rows. */
  async function shrink(repository: Repository, rows: readonly Row[], gone: ReadonlySet<Row>, headSha: string) {
    const counted = rows.filter((row) => row.head_sha === headSha && !gone.has(row))
    let room = (await measure(repository, headSha)) - counted.reduce((sum, row) => sum + Number(row.size_kib), 0)
    for (const { id, size_kib } of [...gone].filter((row) => row.head_sha === headSha)) {
      const sizeKib = Math.max(0, Math.min(Number(size_kib), room))
      room -= sizeKib
      await store.write(async (trx) => {
        if (sizeKib === 0) await trx.deleteFrom('pull_usage').where('id', '=', id).execute()
        else await trx.updateTable('pull_usage').set({ size_kib: sizeKib, sha: headSha }).where('id', '=', id).execute()
      })
    }
  }

  /** Packing shrinks objects: pulls together count at most what the repository's own branches and tags do not reach. */
  async function fit(repository: Repository): Promise<void> {
    const counted = (await listUsage(repository)).reduce((sum, row) => sum + Number(row.size_kib), 0)
    if (counted === 0) return
    const words = ['rev-list', '--objects', '--disk-usage', '--branches', '--tags']
    const own = await git.read(repository, words).then(
      (output) => Math.ceil(Number(output) / kib),
      () => undefined,
    )
    if (own === undefined) return
    const most = Math.max(0, repository.sizeKib - own)
    if (counted <= most) return
    await store.write((trx) =>
      trx
        .updateTable('pull_usage')
        .set((eb) => ({ size_kib: sql<number>`${eb.ref('size_kib')} * ${eb.val(most)} / ${eb.val(counted)}` }))
        .where('repository_id', '=', repository.id)
        .execute(),
    )
  }

  /** A head that was replaced while a reclaim was waiting is too young for it: schedule another one. */
  async function reclaimYounger(repository: Repository, rows: readonly Row[], gone: ReadonlySet<Row>): Promise<void> {
    const left = rows.filter((row) => !gone.has(row) && row.sha !== null && row.sha !== row.head_sha)
    for (let at = 0; at < left.length; at += portion) {
      const shas = left.slice(at, at + portion).map(({ sha }) => sha!)
      const { code, output } = await git.run(repository, ['rev-list', '--max-count=1', ...shas, '--not', '--all'])
      if (code === 0 && output.length === 0) continue
      await store.write((trx) => reclaimForkUsageWithin(trx, { jobs, clock }, repository.id))
      return
    }
  }

  tidying.afterShrinking(async (repository) => {
    const rows = await listUsage(repository)
    const gone = new Set(await findGone(repository, rows))
    const orphans = [...gone].filter(({ head_sha }) => head_sha === null).map(({ id }) => id)
    for (let at = 0; at < orphans.length; at += portion) {
      const some = orphans.slice(at, at + portion)
      await store.write((trx) => trx.deleteFrom('pull_usage').where('id', 'in', some).execute())
    }
    for (const headSha of new Set([...gone].map(({ head_sha }) => head_sha)))
      if (headSha !== null) await shrink(repository, rows, gone, headSha)
    await fit(repository)
    await reclaimYounger(repository, rows, gone)
  })
}
