/** Apps that are installed on an account, with their permissions, and buttons to suspend or uninstall them. */
import { send, toPath } from '../api/forge.ts'
import type { User } from '../api/forge-types.ts'
import { ask } from './ask.tsx'
import { ActButton, useAct } from './form.tsx'
import { Empty, FailedAct } from './state.tsx'
import { When } from './when.tsx'

export type Installation = {
  readonly id: number
  readonly account: User
  readonly app_slug: string
  readonly repository_selection: 'all' | 'selected'
  readonly permissions: Readonly<Record<string, string>>
  readonly created_at: string
  readonly suspended_at: string | null
}

type Props = { readonly list: readonly Installation[]; readonly hasAccount?: boolean; reload(): void }

export const describePermissions = (permissions: Readonly<Record<string, string>>): string =>
  Object.entries(permissions)
    .map(([name, level]) => `${name.replaceAll('_', ' ')}: ${level}`)
    .join(', ')

export function InstallationList({ list, hasAccount = false, reload }: Props) {
  const act = useAct()
  const path = (id: number, ...rest: string[]) => toPath('user', 'installations', id, ...rest)
  const then = (run: () => Promise<unknown>) =>
    act.run(async () => {
      await run()
      reload()
    })
  const remove = async ({ id, app_slug: slug, account }: Installation) => {
    const title = `Uninstall ${slug} from ${account.login}?`
    const text = 'Its tokens stop working immediately. You can install it again.'
    if (await ask({ title, text, action: 'Uninstall' })) await then(() => send('DELETE', path(id)))
  }
  return (
    <section class="card flush" aria-label="Installed apps">
      <h2 class="card-title">Installed apps</h2>
      <FailedAct act={act} />
      {list.length === 0 && <Empty title="No apps are installed." />}
      <ul class="plain-list">
        {list.map((one) => (
          <li key={one.id} class="list-row row spread access-row">
            <span>
              <a class="strong" href={`/apps/${one.app_slug}`}>
                {one.app_slug}
              </a>
              {hasAccount && <span class="soft"> on {one.account.login}</span>}
              {one.suspended_at && <span class="badge wait">Suspended</span>}
              <br />
              <span class="small soft">
                {one.repository_selection === 'all' ? 'All repositories' : 'Selected repositories'} ·{' '}
                {describePermissions(one.permissions) || 'no permissions'} · since{' '}
                <When at={Date.parse(one.created_at)} />
              </span>
            </span>
            <span class="row tight-row">
              <ActButton
                act={act}
                what={`${one.suspended_at ? 'Resume' : 'Suspend'} ${one.app_slug}`}
                run={() => then(() => send(one.suspended_at ? 'DELETE' : 'PUT', path(one.id, 'suspended')))}
              >
                {one.suspended_at ? 'Resume' : 'Suspend'}
              </ActButton>
              <ActButton act={act} what={`Uninstall ${one.app_slug}`} run={() => remove(one)}>
                Uninstall
              </ActButton>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
