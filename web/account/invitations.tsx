/** Invitations to organisations and repositories that wait for an answer, each with Accept and Decline. */
import { useEffect } from 'preact/hooks'
import { readList, send, toPath } from '../api/forge.ts'
import { watchInbox } from '../api/live.ts'
import { forgetAll, useLoad } from '../app/load.ts'
import { useAct } from '../parts/form.tsx'
import { FailedAct } from '../parts/state.tsx'

type Invitation = {
  /** What one is invited to, which is its page, too. */
  readonly name: string
  readonly words: string
  /** Where it is answered. */
  readonly path: string
  readonly acceptance?: { readonly state: 'active' }
}

type ToOrganisation = { readonly organization: { readonly login: string }; readonly role: 'admin' | 'member' }
type ToRepository = {
  readonly id: number
  readonly repository: { readonly full_name: string }
  readonly inviter: { readonly login: string } | null
  readonly expired?: boolean
}

const mostShown = 10

async function readInvitations(): Promise<readonly Invitation[]> {
  const [organisations, repositories] = await Promise.all([
    readList<ToOrganisation>('/user/memberships/orgs', { state: 'pending', per_page: mostShown }),
    readList<ToRepository>('/user/repository_invitations', { per_page: mostShown }),
  ])
  return [
    ...organisations.items.map(
      ({ organization: { login }, role }): Invitation => ({
        name: login,
        words: `as ${role === 'admin' ? 'an owner' : 'a member'}`,
        path: toPath('user', 'memberships', 'orgs', login),
        acceptance: { state: 'active' },
      }),
    ),
    ...repositories.items
      .filter(({ expired }) => !expired)
      .map(
        ({ id, repository, inviter }): Invitation => ({
          name: repository.full_name,
          words: inviter ? `by ${inviter.login}` : '',
          path: toPath('user', 'repository_invitations', id),
        }),
      ),
  ]
}

export function Invitations({ accountId, accepted }: { accountId: number; accepted(): void }) {
  const loaded = useLoad(`home invitations ${accountId}`, readInvitations)
  const { reload } = loaded
  useEffect(() => watchInbox(reload), [reload])
  const answered = (isAccepted: boolean) => {
    reload()
    if (isAccepted) accepted()
  }
  if (!loaded.value?.length) return null
  return (
    <div class="stack home-news">
      {loaded.value.map((one) => (
        <One key={one.path} one={one} answered={answered} />
      ))}
    </div>
  )
}

function One({ one, answered }: { one: Invitation; answered(isAccepted: boolean): void }) {
  const act = useAct()
  const { name, words, path, acceptance } = one
  const page = name.includes('/') ? `/${name}/invitations` : `/${name}`
  const answer = (isAccepted: boolean) =>
    act.run(async () => {
      if (isAccepted) await send('PATCH', path, acceptance)
      else await send('DELETE', path)
      forgetAll()
      answered(isAccepted)
    })
  return (
    <section class="notice" aria-label={`Invitation to ${name}`}>
      <div>
        <p>
          You are invited to join <a href={page}>{name}</a> {words}.
        </p>
        <FailedAct act={act} />
      </div>
      <div class="row">
        <button
          type="button"
          class="button tight main"
          aria-label={`Accept the invitation to ${name}`}
          disabled={act.isBusy}
          onClick={() => void answer(true)}
        >
          Accept
        </button>
        <button
          type="button"
          class="button tight"
          aria-label={`Decline the invitation to ${name}`}
          disabled={act.isBusy}
          onClick={() => void answer(false)}
        >
          Decline
        </button>
      </div>
    </section>
  )
}
