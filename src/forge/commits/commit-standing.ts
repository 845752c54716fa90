/** What statuses and checks say of a commit together: for the rules of branches, and for whoever looks. */
import type { Store } from '../../store/store.ts'
import type { Repository } from '../access/repository.ts'
import { readApps } from '../apps/app.ts'
import { toStatusState } from '../checks/check.ts'
import type { CheckReading } from '../checks/check-reading.ts'
import type { Statuses, StatusState } from './statuses.ts'

export type RequiredCheck = { readonly context: string; readonly appId: number | null }

type Needs = { store: Store; statuses: Statuses; checkReading: CheckReading }

export type CommitStanding = ReturnType<typeof makeCommitStanding>

export const makeCommitStanding = ({ store, statuses, checkReading }: Needs) => ({
  /** Which of these have not said of the commit that it is fine; one that names an app is for that app to say. */
  async listMissing(repository: Repository, sha: string, required: readonly RequiredCheck[]): Promise<string[]> {
    if (required.length === 0) return []
    const names = required.map(({ context }) => context)
    const said = await statuses.listNewest(repository, sha, names)
    const runs = await checkReading.listNamed(repository, sha, names)
    const apps = await readApps(
      store.db,
      required.flatMap(({ appId }) => appId ?? []),
    )
    const isFine = ({ context, appId }: RequiredCheck): boolean => {
      const botId = appId === null ? undefined : apps.get(appId)?.botId
      const states = [
        ...said
          .filter((one) => one.context === context && (appId === null || one.creatorId === botId))
          .map(({ state }) => state),
        ...runs.filter((run) => run.name === context && (appId === null || run.app_id === appId)).map(toStatusState),
      ]
      return states.length > 0 && states.every((state) => state === 'success')
    }
    return required.filter((one) => !isFine(one)).map(({ context }) => context)
  },

  async sumUpChecks(repository: Repository, sha: string): Promise<StatusState | undefined> {
    return sumUp((await checkReading.listStates(repository, sha)).map(toStatusState))
  },

  /** Undefined where nothing was said. */
  async sumUp(repository: Repository, sha: string): Promise<StatusState | undefined> {
    const { total, state } = await statuses.combine(repository, sha, { offset: 0, limit: 0 })
    const runs = (await checkReading.listStates(repository, sha)).map(toStatusState)
    const states = [...(total > 0 ? [state] : []), ...runs]
    return sumUp(states)
  },
})

function sumUp(states: readonly StatusState[]): StatusState | undefined {
  if (states.length === 0) return undefined
  if (states.includes('failure')) return 'failure'
  return states.includes('pending') ? 'pending' : 'success'
}
