/** How much one wants to hear of a repository: only threads one is part of, everything, or nothing. */
import { useRef, useState } from 'preact/hooks'

export type WatchState = 'SUBSCRIBED' | 'UNSUBSCRIBED' | 'IGNORED'

const options: readonly (readonly [WatchState, string, string])[] = [
  ['UNSUBSCRIBED', 'Participating and mentions', 'Only threads that you take part in or that mention you.'],
  ['SUBSCRIBED', 'All activity', 'Every issue, pull request and release.'],
  ['IGNORED', 'Ignore', 'Nothing, not even mentions.'],
]

const names = { SUBSCRIBED: 'Watching', UNSUBSCRIBED: 'Watch', IGNORED: 'Ignoring' } as const

type Props = { readonly watch: WatchState; readonly isBusy: boolean; choose(watch: WatchState): void }

export function WatchMenu({ watch, isBusy, choose }: Props) {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDetailsElement>(null)
  const leave = () => {
    setOpen(false)
    place.current?.querySelector('summary')?.focus()
  }
  return (
    <details class="menu" ref={place} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="button tight">{names[watch]}</summary>
      <ul class="menu-box plain-list" aria-label="Notifications">
        {options.map(([state, name, hint]) => (
          <li key={state}>
            <button
              type="button"
              class="picker-choice"
              aria-pressed={state === watch}
              disabled={isBusy}
              onClick={() => {
                leave()
                if (state !== watch) choose(state)
              }}
            >
              <span class="picker-tick" aria-hidden="true">
                {state === watch ? '✓' : ''}
              </span>
              <span>
                {name}
                <small class="soft">{hint}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}
