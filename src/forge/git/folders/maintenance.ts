/**
 * Maintenance after pushes: packs a repository if git advises it, measures it, detects its language. Unreachable
 * objects are removed later.
 */
import { theServer } from '../../../accounts/actor.ts'
import type { Jobs } from '../../../jobs/jobs.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Store } from '../../../store/store.ts'
import type { Opening } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import type { Git } from '../process/git.ts'
import { demandGit } from '../process/process.ts'
import type { Insights } from '../read/insights.ts'
import { measureRefs, readSize, sizeWords } from './repository-size.ts'

export const maintainKind = 'forge.tidy'
export const reclaimKind = 'forge.reclaim'
export const pruneKind = 'forge.prune'
/** Git keeps unreachable objects for two weeks: by then no process uses them any more. */
export const reclaimAfterMs = 15 * 24 * 3_600_000

type Needs = { store: Store; git: Git; jobs: Jobs; opening: Opening; insights: Insights }

type Follow = (repository: Repository) => Promise<void>

export type Maintenance = ReturnType<typeof makeMaintenance>

export function makeMaintenance({ store, git, jobs, opening, insights }: Needs) {
  const followers: Follow[] = []

  const measure = async (repository: Repository): Promise<number> =>
    readSize(await git.read(repository, sizeWords)) + (await measureRefs(git.folderOf(repository))).sizeKib

  const follow = async (repository: Repository): Promise<void> => {
    for (const follower of followers) await follower(repository)
  }

  async function tidy(repositoryId: number): Promise<void> {
    const repository = await opening.find(theServer, { id: repositoryId })
    if (!repository) return
    await git.pack(repository)
    const sizeKib = await measure(repository)
    const languages = await insights.languages(repository)
    const language = Object.keys(languages)[0] ?? null
    await store.write((trx) =>
      trx.updateTable('repository').set({ size_kib: sizeKib, language }).where('id', '=', repositoryId).execute(),
    )
    if (sizeKib < repository.sizeKib) await follow({ ...repository, sizeKib })
  }

  async function runAndMeasure(repositoryId: number, act: (repository: Repository) => Promise<void>): Promise<void> {
    const repository = await opening.find(theServer, { id: repositoryId })
    if (!repository) return
    await act(repository)
    const sizeKib = await measure(repository)
    await store.write((trx) =>
      trx.updateTable('repository').set({ size_kib: sizeKib }).where('id', '=', repositoryId).execute(),
    )
    await follow({ ...repository, sizeKib })
  }

  jobs.define<{ repositoryId: number }>(reclaimKind, ({ repositoryId }) =>
    runAndMeasure(repositoryId, git.reclaim).catch(unlessDeleted),
  )
  jobs.define<{ repositoryId: number }>(pruneKind, ({ repositoryId }) =>
    runAndMeasure(repositoryId, git.prune).catch(unlessDeleted),
  )
  jobs.define<{ repositoryId: number }>(maintainKind, ({ repositoryId }) => tidy(repositoryId).catch(unlessDeleted))

  return {
    measure,

    /** Registers a callback for when a repository has become smaller: packed, or pruned of unreachable objects. */
    afterShrinking: (follower: Follow) => void followers.push(follower),
  }
}

/** The size in KiB of a repository that has no row yet. */
export const measureFolder = async (folder: string): Promise<number> =>
  readSize(await demandGit(sizeWords, { folder })) + (await measureRefs(folder)).sizeKib

/** A repository that was deleted meanwhile needs no maintenance. */
function unlessDeleted(error: unknown): void {
  if (!(error instanceof Failure && error.kind === 'not-found')) throw error
}
