/** The repositories that one watches, and how much one wants to hear of each. */
import { read, readList, repositoryPath, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useSignedIn, useTitle } from '../app/page.ts'
import { ActButton, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { pageSize, StepPager, usePage } from '../parts/pager.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'

export function Watching() {
  useTitle('Watching')
  return useSignedIn() ? <View /> : null
}

function View() {
  const { page } = usePage()
  const loaded = useLoad(`watching ${page}`, () =>
    readList<Repository>('/user/subscriptions', { per_page: pageSize, page }),
  )
  return (
    <div class="text-width">
      <Heading title="Watching" note="You are notified of all activity in these repositories.">
        <a class="button" href="/-/inbox">
          Inbox
        </a>
      </Heading>
      <Ready of={loaded}>
        {({ items, hasMore }) =>
          items.length === 0 && page === 1 ? (
            <div class="card">
              <Empty title="You are not watching any repositories.">
                <p>Watch a repository on its page to be notified of its issues, pull requests and releases.</p>
              </Empty>
            </div>
          ) : (
            <>
              <ul class="plain-list card flush">
                {items.map((repository) => (
                  <Watched key={repository.id} repository={repository} />
                ))}
              </ul>
              <StepPager count={items.length} hasMore={hasMore} size={pageSize} what="repositories" />
            </>
          )
        }
      </Ready>
    </div>
  )
}

type Watch = { readonly subscribed: boolean; readonly ignored: boolean }

function Watched({ repository: { full_name, owner, name } }: { repository: Repository }) {
  const act = useAct()
  const path = repositoryPath(owner.login, name, 'subscription')
  const loaded = useLoad<Watch | undefined>(`watch ${full_name}`, async () => ({ subscribed: true, ignored: false }))
  const set = (change: Watch | undefined) =>
    act.run(async () => {
      if (change) await send('PUT', path, change)
      else await send('DELETE', path)
      loaded.replace(change ? await read<Watch>(path) : { subscribed: false, ignored: false })
    })
  const { subscribed, ignored } = loaded.value ?? { subscribed: true, ignored: false }
  return (
    <li class="list-row">
      <div class="row spread flat">
        <a class="strong" href={`/${full_name}`}>
          {full_name}
        </a>
        <span class="row">
          {ignored && <span class="badge wait">Ignored</span>}
          {subscribed ? (
            <>
              <ActButton act={act} what={`Unwatch ${full_name}`} run={() => set(undefined)}>
                Unwatch
              </ActButton>
              <ActButton act={act} what={`Ignore ${full_name}`} run={() => set({ subscribed: false, ignored: true })}>
                Ignore
              </ActButton>
            </>
          ) : (
            <ActButton act={act} what={`Watch ${full_name}`} run={() => set({ subscribed: true, ignored: false })}>
              Watch
            </ActButton>
          )}
        </span>
      </div>
      <FailedAct act={act} />
    </li>
  )
}
