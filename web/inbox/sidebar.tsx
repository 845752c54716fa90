/** Beside the list: which threads, the filters that were kept, and the repositories with how many threads each has. */
import { useState } from 'preact/hooks'
import { readFilters, type SavedFilter, type Share, saveFilters } from '../api/notifications.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { formatCount } from '../parts/figures.ts'
import { useAct } from '../parts/form.tsx'
import { FailedAct } from '../parts/state.tsx'
import { type Question, toFilter } from './question.ts'

type Props = { readonly question: Question; readonly shares: readonly Share[] | undefined }

export function Sidebar({ question, shares }: Props) {
  const { query } = usePlace()
  const to = (change: Readonly<Record<string, string>>) => {
    const next = new URLSearchParams(query)
    next.delete('thread')
    for (const [name, value] of Object.entries(change)) {
      if (value === '') next.delete(name)
      else next.set(name, value)
    }
    return next.size > 0 ? `/-/inbox?${next}` : '/-/inbox'
  }
  const { show, isParticipating, repository } = question
  return (
    <aside class="inbox-side" aria-label="Filters">
      <nav class="side-list" aria-label="Threads">
        <SideLink href={to({ show: '' })} isHere={show === 'all'} text="Inbox" />
        <SideLink href={to({ show: 'unread' })} isHere={show === 'unread'} text="Unread" />
        <SideLink href={to({ show: 'done' })} isHere={show === 'done'} text="Done" />
        <SideLink
          href={to({ participating: isParticipating ? '' : 'true' })}
          isHere={isParticipating}
          text="Participating only"
        />
        <SideLink href="/-/inbox/watching" isHere={false} text="Watching" />
      </nav>
      <Kept />
      {shares && shares.length > 0 && (
        <nav class="side-list" aria-label="Repositories">
          <h2>Repositories</h2>
          {repository && <SideLink href={to({ repo: '' })} isHere={false} text="All repositories" />}
          {shares.map(({ repository: { id, full_name }, count }) => (
            <SideLink
              key={id}
              href={to({ repo: full_name })}
              isHere={full_name === repository}
              text={full_name}
              count={count}
            />
          ))}
        </nav>
      )}
    </aside>
  )
}

type SideLinkProps = { readonly href: string; readonly isHere: boolean; readonly text: string; readonly count?: number }

const SideLink = ({ href, isHere, text, count }: SideLinkProps) => (
  <a href={href} {...(isHere && { 'aria-current': 'true' as const })}>
    <span class="side-name">{text}</span>
    {count !== undefined && <span class="soft small">{formatCount(count)}</span>}
  </a>
)

function Kept() {
  const { query } = usePlace()
  const loaded = useLoad('inbox filters', readFilters)
  const act = useAct()
  const [name, setName] = useState('')
  const filters = loaded.value ?? []
  const now = toFilter(query)
  const isKept = filters.some((filter) => filter.query === now)
  const save = (next: readonly SavedFilter[]) =>
    act.run(async () => {
      loaded.replace(await saveFilters(next))
      setName('')
    })
  return (
    <>
      {filters.length > 0 && (
        <nav class="side-list" aria-label="Filters">
          <h2>Filters</h2>
          {filters.map((filter, at) => (
            <div class="side-row" key={`${filter.name} ${filter.query}`}>
              <SideLink href={`/-/inbox?${filter.query}`} isHere={filter.query === now} text={filter.name} />
              <button
                type="button"
                class="button quiet tight"
                aria-label={`Remove the filter ${filter.name}`}
                onClick={() => void save(filters.filter((_, other) => other !== at))}
              >
                ×
              </button>
            </div>
          ))}
        </nav>
      )}
      {now !== '' && !isKept && (
        <form
          class="side-row keep-filter"
          onSubmit={(event) => {
            event.preventDefault()
            void save([...filters, { name: name.trim(), query: now }])
          }}
        >
          <input
            class="input"
            aria-label="Name of this filter"
            placeholder="Name this filter"
            value={name}
            maxLength={100}
            required
            pattern=".*\S.*"
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" class="button tight">
            Save
          </button>
        </form>
      )}
      <FailedAct act={act} />
    </>
  )
}
