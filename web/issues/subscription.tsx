/** Whether one is notified of an issue or a pull, and why; followed and left with a click. */
import { read, repositoryPath, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { reasonWords } from '../inbox/reasons.ts'
import { useAct } from '../parts/form.tsx'
import { FailedAct } from '../parts/state.tsx'

type Subscription = { readonly subscribed: boolean; readonly ignored: boolean; readonly reason: string | null }

export function SubscriptionSection({ repository, number }: { repository: Repository; number: number }) {
  const { account } = useSession()
  const path = repositoryPath(repository.owner.login, repository.name, 'issues', number, 'subscription')
  const loaded = useLoad<Subscription | undefined>(`subscription ${account?.ID} ${path}`, async () =>
    account ? read<Subscription>(path) : undefined,
  )
  const act = useAct()
  const { value } = loaded
  if (!value) return null
  const turn = () =>
    act.run(async () => {
      // Watchers of the repository would go on hearing of it unless it is ignored.
      const isWatched = value.reason === 'subscribed'
      const next = value.subscribed && !isWatched ? send<Subscription>('DELETE', path) : undefined
      loaded.replace(await (next ?? send<Subscription>('PUT', path, { ignored: value.subscribed })))
    })
  return (
    <section class="side-section">
      <h2>Notifications</h2>
      <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void turn()}>
        {value.subscribed ? 'Unsubscribe' : 'Subscribe'}
      </button>
      <p class="small soft">
        {value.subscribed
          ? `You are notified: ${(reasonWords[value.reason ?? ''] ?? 'you follow it').replace(/^Y/, 'y')}.`
          : 'You are notified only if you comment or are mentioned.'}
      </p>
      <FailedAct act={act} />
    </section>
  )
}
