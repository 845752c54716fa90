/** Migrations: one's repositories exported as an archive, followed while it is made, downloaded, unlocked; and archives imported. */
import { useEffect } from 'preact/hooks'
import { readList, send, toPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useSignedIn } from '../app/page.ts'
import { isAdmin, useSession } from '../app/session.ts'
import { ask } from '../parts/ask.tsx'
import { ActButton, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { pageSize, StepPager, usePage } from '../parts/pager.tsx'
import { Empty, FailedAct, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { AccountTabs } from './account-tabs.tsx'
import { Imports } from './imports.tsx'
import { NewMigration } from './new-migration.tsx'

export type Migration = {
  readonly id: number
  readonly state: 'pending' | 'exporting' | 'exported' | 'failed'
  readonly progress: number
  readonly failure_reason: string | null
  readonly lock_repositories: boolean
  readonly repositories: readonly Pick<Repository, 'id' | 'full_name'>[]
  readonly archive_url?: string
  readonly created_at: string
}

const states: Readonly<Record<Migration['state'], readonly [text: string, look: string]>> = {
  pending: ['Waiting', 'wait'],
  exporting: ['Exporting', 'wait'],
  exported: ['Exported', 'good'],
  failed: ['Failed', 'bad'],
}

const followMs = 1_000

export function Migrations() {
  const isSignedIn = useSignedIn()
  const session = useSession()
  const { page } = usePage()
  const found = useLoad(`migrations ${page}`, () =>
    readList<Migration>('/user/migrations', { per_page: pageSize, page }),
  )
  const isRunning = found.value?.items.some(({ state }) => state === 'pending' || state === 'exporting') ?? false
  useEffect(() => {
    if (!isRunning || found.isLoading) return
    const timer = setTimeout(found.reload, followMs)
    return () => clearTimeout(timer)
  }, [isRunning, found.isLoading, found.reload])
  if (!isSignedIn) return null
  return (
    <>
      <Heading title="Migrations" note="Move your repositories, with issues and pull requests, to another server." />
      <AccountTabs />
      <div class="side">
        <div class="stack">
          <Ready of={found}>
            {({ items, hasMore }) => (
              <div>
                <ul class="plain-list card flush" aria-live="polite">
                  {items.length === 0 && page === 1 && (
                    <li>
                      <Empty title="No exports yet." />
                    </li>
                  )}
                  {items.map((one) => (
                    <Row key={one.id} migration={one} reload={found.reload} />
                  ))}
                </ul>
                <StepPager count={items.length} hasMore={hasMore} size={pageSize} what="migrations" />
              </div>
            )}
          </Ready>
          {isAdmin(session) && <Imports />}
        </div>
        <NewMigration onStarted={found.reload} />
      </div>
    </>
  )
}

function Row({ migration, reload }: { migration: Migration; reload(): void }) {
  const { id, state, progress, repositories, archive_url: archive, failure_reason: reason } = migration
  const act = useAct()
  const path = (...rest: string[]) => toPath('user', 'migrations', id, ...rest)
  const [text, look] = states[state]
  const isOver = state === 'exported' || state === 'failed'
  const then = (run: () => Promise<unknown>) =>
    act.run(async () => {
      await run()
      reload()
    })
  const removeArchive = async () => {
    const question = { title: 'Delete the archive?', text: 'The export stays in the list.', action: 'Delete archive' }
    if (await ask(question)) await then(() => send('DELETE', path('archive')))
  }
  return (
    <li class="list-row">
      <div class="row spread access-row">
        <span class="row tight-row">
          <span class={`badge ${look}`}>{text}</span>
          <span class="small soft">
            <When at={Date.parse(migration.created_at)} />
          </span>
        </span>
        <span class="row tight-row">
          {archive && (
            <>
              <a
                class="button tight"
                href={path('archive')}
                download
                aria-label={`Download the archive of migration ${id}`}
              >
                Download
              </a>
              <ActButton act={act} what={`Delete the archive of migration ${id}`} run={removeArchive}>
                Delete archive
              </ActButton>
            </>
          )}
        </span>
      </div>
      {!isOver && <progress value={progress} max={100} aria-label={`Migration ${id}`} />}
      {reason && <p role="alert">{reason}</p>}
      {state === 'exported' && !archive && (
        <p class="small soft">The archive is no longer available. Archives are kept for seven days.</p>
      )}
      <FailedAct act={act} />
      <ul class="plain-list">
        {repositories.map(({ id: key, full_name: name }) => (
          <li key={key} class="row tight-row">
            <a href={`/${name}`}>{name}</a>
            {migration.lock_repositories && isOver && (
              <ActButton
                act={act}
                what={`Unlock ${name}`}
                run={() =>
                  then(async () => {
                    await send('DELETE', `${path('repos')}/${encodeURIComponent(name)}/lock`)
                  })
                }
              >
                Unlock
              </ActButton>
            )}
          </li>
        ))}
      </ul>
    </li>
  )
}
