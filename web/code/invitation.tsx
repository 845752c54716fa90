/** An invitation to a repository, as the one who is invited answers it. */
import { readList, send, toPath } from '../api/forge.ts'
import type { Repository, User } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { go } from '../app/location.ts'
import { useSignedIn, useTitle } from '../app/page.ts'
import { PersonLink } from '../parts/avatar.tsx'
import { useAct } from '../parts/form.tsx'
import { NotFound } from '../parts/not-found.tsx'
import { FailedAct, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'

type Invitation = {
  readonly id: number
  readonly repository: Pick<Repository, 'full_name'>
  readonly inviter: User | null
  readonly permissions: string
  readonly created_at: string
  readonly expired?: boolean
}

type Props = { readonly params: Readonly<Record<string, string>> }

const own = (...rest: (string | number)[]) => toPath('user', 'repository_invitations', ...rest)

const offers: Readonly<Record<string, string>> = {
  read: 'read it',
  triage: 'read it and sort its issues and pull requests',
  write: 'read it and push to it',
  maintain: 'push to it and manage it, except for its access',
  admin: 'do everything that its owner can do',
}

/** A private repository is not for the invited person's eyes yet: all that is shown is the invitation itself. */
export function InvitationView({ params: { owner, repo } }: Props) {
  const name = `${owner}/${repo}`
  const isSignedIn = useSignedIn()
  const found = useLoad(`invitation to ${name}`, async () => ({
    invitation: isSignedIn ? await findInvitation(name) : undefined,
  }))
  useTitle(`Invitation to ${name}`)
  if (!isSignedIn) return null
  return (
    <Ready of={found.isLoading ? { ...found, value: undefined } : found}>
      {({ invitation }) =>
        invitation ? (
          <Answer invitation={invitation} />
        ) : (
          <NotFound title="There is no such invitation">
            It may have been answered or cancelled, or it may be for another account.{' '}
            <a href={`/${name}`}>Go to the repository</a>
          </NotFound>
        )
      }
    </Ready>
  )
}

async function findInvitation(name: string): Promise<Invitation | undefined> {
  const wanted = name.toLowerCase()
  for (let page = 1; ; page++) {
    const { items, hasMore } = await readList<Invitation>(own(), { per_page: 100, page })
    const found = items.find(({ repository, expired }) => repository.full_name.toLowerCase() === wanted && !expired)
    if (found || !hasMore) return found
  }
}

function Answer({ invitation: { id, repository, inviter, permissions, created_at } }: { invitation: Invitation }) {
  const act = useAct()
  const answer = (method: 'PATCH' | 'DELETE', next: string) =>
    act.run(async () => {
      await send(method, own(id))
      go(next, { replaces: true })
    })
  return (
    <section class="narrow">
      <h1>Invitation to {repository.full_name}</h1>
      <div class="card">
        <p>
          {inviter ? <PersonLink user={inviter} /> : 'Somebody'} invited you to join <b>{repository.full_name}</b>. You
          will be able to {offers[permissions] ?? `act with the role “${permissions}”`}.
        </p>
        <p class="small soft">
          Sent <When at={Date.parse(created_at)} />
        </p>
        <FailedAct act={act} />
        <p class="row">
          <button
            type="button"
            class="button main"
            disabled={act.isBusy}
            onClick={() => void answer('PATCH', `/${repository.full_name}`)}
          >
            Accept
          </button>
          <button type="button" class="button" disabled={act.isBusy} onClick={() => void answer('DELETE', '/-/inbox')}>
            Decline
          </button>
        </p>
      </div>
    </section>
  )
}
