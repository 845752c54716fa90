/** Tidying: after pushes a repository is packed when git finds it worth while, measured, and its language found. */
import type { Jobs } from '../../jobs/jobs.ts'
import type { Store } from '../../store/store.ts'
import type { Opening } from '../repositories/opening.ts'
import type { Repository } from '../repositories/repository.ts'
import type { Git } from './git.ts'
import type { Insights } from './insights.ts'

export const tidyKind = 'forge.tidy'

type Needs = { store: Store; git: Git; jobs: Jobs; opening: Opening; insights: Insights }

export type Tidying = ReturnType<typeof makeTidying>

export function makeTidying({ store, git, jobs, opening, insights }: Needs) {
  async function measure(repository: Repository): Promise<number> {
    const output = await git.read(repository, ['count-objects', '-v'])
    const figure = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(output.toString())?.[1] ?? 0)
    return figure('size') + figure('size-pack')
  }

  jobs.define<{ repositoryId: number }>(tidyKind, async ({ repositoryId }) => {
    const nobody = { account: undefined, credential: { kind: 'none' }, address: 'house' } as const
    const repository = await opening.find(nobody, { id: repositoryId })
    if (!repository) return
    await git.run(repository, ['gc', '--auto', '--quiet'])
    const sizeKib = await measure(repository)
    const languages = await insights.languages(repository)
    const language = Object.keys(languages)[0] ?? null
    await store.write((trx) =>
      trx.updateTable('repository').set({ size_kib: sizeKib, language }).where('id', '=', repositoryId).execute(),
    )
  })

  return { measure }
}
