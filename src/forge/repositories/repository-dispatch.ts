/** Events that a caller makes up, told to the hooks of a repository. */
import type { Store } from '../../store/store.ts'
import type { Access } from '../access/opening.ts'
import type { ActivityRecord } from '../activity/activity.ts'

export type RepositoryDispatch = ReturnType<typeof makeRepositoryDispatch>

export const makeRepositoryDispatch = ({ store, activity }: { store: Store; activity: ActivityRecord }) => ({
  async dispatch({ actor, repository }: Access<'write'>, event: string, payload: object): Promise<void> {
    await store.write((trx) =>
      activity.record(trx, {
        kind: 'repository-dispatched',
        ...{ actorId: actor.account.id, repositoryId: repository.id },
        // Kept until it is told.
        data: { event, gone: { payload } },
      }),
    )
  },
})
