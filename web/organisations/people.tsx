/** The people of an organisation. Owners see roles and invitations, and change them. */
import { useState } from 'preact/hooks'
import { readList, send, toPath } from '../api/forge.ts'
import type { User } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useSession } from '../app/session.ts'
import { ask } from '../parts/ask.tsx'
import { PersonLink } from '../parts/avatar.tsx'
import { ActButton, Field, Form, Submit, useAct } from '../parts/form.tsx'
import { StepPager, usePage } from '../parts/pager.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import type { Standing } from './organisation-page.tsx'

const size = 50

type Role = 'admin' | 'member'
type Membership = { readonly user: User; readonly role: Role; readonly state: 'active' | 'pending' }

export const People = ({ standing }: { standing: Standing }) =>
  standing.isOwner ? <Kept login={standing.profile.login} /> : <Seen standing={standing} />

function Seen({ standing }: { standing: Standing }) {
  const { login } = standing.profile
  const { page } = usePage(size)
  const members = useLoad(`members of ${login} ${page}`, () =>
    readList<User>(toPath('orgs', login, 'members'), { per_page: size, page }),
  )
  return (
    <Ready of={members}>
      {({ items, hasMore }) => (
        <div class="text-width">
          <ul class="plain-list card flush">
            {items.length === 0 && (
              <li>
                <Empty title="No members that you can see." />
              </li>
            )}
            {items.map((user) => (
              <li key={user.id} class="list-row">
                <PersonLink user={user} />
              </li>
            ))}
          </ul>
          <StepPager count={items.length} hasMore={hasMore} size={size} what="people" />
        </div>
      )}
    </Ready>
  )
}

function Kept({ login }: { login: string }) {
  const { account } = useSession()
  const { page } = usePage(size)
  const path = (name: string) => toPath('orgs', login, 'memberships', name)
  const found = useLoad(`memberships of ${login} ${page}`, () =>
    readList<Membership>(toPath('orgs', login, 'memberships'), { per_page: size, page }),
  )
  const act = useAct()
  const then = (run: () => Promise<unknown>) =>
    act.run(async () => {
      await run()
      found.reload()
    })
  const remove = async ({ user, state }: Membership) => {
    const question =
      state === 'pending'
        ? {
            title: `Cancel the invitation of ${user.login}?`,
            text: 'You can invite them again.',
            action: 'Cancel invitation',
          }
        : {
            title: `Remove ${user.login}?`,
            text: 'They lose their membership, their teams and their access to private repositories immediately.',
            action: 'Remove',
          }
    if (await ask(question)) await then(() => send('DELETE', path(user.login)))
  }
  return (
    <div class="side">
      <div>
        <FailedAct act={act} />
        <Ready of={found}>
          {({ items, hasMore }) => (
            <>
              <ul class="plain-list card flush">
                {items.map((one) => (
                  <li key={one.user.id} class="list-row row spread access-row">
                    <span class="row tight-row">
                      <PersonLink user={one.user} />
                      {one.state === 'pending' && <span class="badge wait">Invited</span>}
                      {one.user.login === account?.AccountName && <span class="badge">You</span>}
                    </span>
                    <span class="row tight-row">
                      <select
                        class="input"
                        aria-label={`Role of ${one.user.login}`}
                        value={one.role}
                        disabled={act.isBusy}
                        onChange={(event) =>
                          void then(() => send('PUT', path(one.user.login), { role: event.currentTarget.value }))
                        }
                      >
                        <option value="member">Member</option>
                        <option value="admin">Owner</option>
                      </select>
                      <ActButton act={act} what={`Remove ${one.user.login}`} run={() => remove(one)}>
                        {one.state === 'pending' ? 'Cancel' : 'Remove'}
                      </ActButton>
                    </span>
                  </li>
                ))}
              </ul>
              <StepPager count={items.length} hasMore={hasMore} size={size} what="people" />
            </>
          )}
        </Ready>
      </div>
      <Invite
        invite={async (name, role) => {
          await send('PUT', path(name), { role })
          found.reload()
        }}
      />
    </div>
  )
}

function Invite({ invite }: { invite(name: string, role: string): Promise<void> }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<string>('member')
  const act = useAct()
  const submit = async () => {
    await invite(name.trim(), role)
    setName('')
  }
  return (
    <section class="card" aria-labelledby="invite">
      <h2 id="invite">Invite somebody</h2>
      <Form act={act} submit={submit}>
        <Field label="Account">
          <input value={name} required maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <Field label="Role" hint="Owners run the organisation: people, teams, settings and every repository.">
          <select value={role} onChange={(event) => setRole(event.currentTarget.value)}>
            <option value="member">member</option>
            <option value="admin">owner</option>
          </select>
        </Field>
        <Submit act={act}>Invite</Submit>
      </Form>
    </section>
  )
}
