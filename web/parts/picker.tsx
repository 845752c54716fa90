/** A button that opens a list to choose from: found by typing, reached by the keyboard, closed by Escape or by turning away. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { explain } from '../api/fault.ts'

export type Choice = {
  readonly value: string
  readonly text: string
  readonly hint?: string | null
  readonly sign?: ComponentChildren
  readonly isChosen: boolean
}

type Props = {
  /** On the button. */
  readonly label: ComponentChildren
  /** What is chosen, in the plural: `labels`. */
  readonly what: string
  readonly class?: string
  readonly isBusy?: boolean
  /** One is chosen, and the list closes. */
  readonly isSingle?: boolean
  /** Read when it is opened. */
  load(): Promise<readonly Omit<Choice, 'isChosen'>[]>
  isChosen(value: string): boolean
  choose(value: string, isChosen: boolean): void
}

const mostShown = 100

export function Picker({ label, what, class: name = 'button tight', isBusy, isSingle, load, isChosen, choose }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [list, setList] = useState<readonly Omit<Choice, 'isChosen'>[] | { readonly failed: string }>()
  const [words, setWords] = useState('')
  const place = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()

  useEffect(() => {
    if (!isOpen) return
    setWords('')
    field.current?.focus()
    load().then(setList, (error) => setList({ failed: explain(error) }))
    const turnAway = (event: Event) => {
      if (!place.current?.contains(event.target as Node)) setOpen(false)
    }
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close()
    }
    document.addEventListener('keydown', pressed)
    document.addEventListener('pointerdown', turnAway)
    document.addEventListener('focusin', turnAway)
    return () => {
      document.removeEventListener('keydown', pressed)
      document.removeEventListener('pointerdown', turnAway)
      document.removeEventListener('focusin', turnAway)
    }
  }, [isOpen])

  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const sought = words.trim().toLowerCase()
  const found =
    list && !('failed' in list)
      ? list.filter(({ text, hint }) => `${text} ${hint ?? ''}`.toLowerCase().includes(sought)).slice(0, mostShown)
      : []
  return (
    <div class="picker" ref={place}>
      <button
        type="button"
        ref={button}
        class={name}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </button>
      {isOpen && (
        <div class="picker-panel" id={id}>
          <input
            class="input"
            type="search"
            aria-label={`Find ${what}`}
            placeholder={`Find ${what}`}
            value={words}
            ref={field}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
          {list === undefined && <p class="soft small">Loading …</p>}
          {list && 'failed' in list && (
            <p class="small" role="alert">
              {list.failed}
            </p>
          )}
          {list && !('failed' in list) && found.length === 0 && <p class="soft small">No {what}.</p>}
          <ul class="plain-list">
            {found.map(({ value, text, hint, sign }) => (
              <li key={value}>
                <button
                  type="button"
                  class="picker-choice"
                  aria-pressed={isChosen(value)}
                  disabled={isBusy}
                  onClick={() => {
                    choose(value, !isChosen(value))
                    if (isSingle) close()
                  }}
                >
                  <span class="picker-tick" aria-hidden="true">
                    {isChosen(value) ? '✓' : ''}
                  </span>
                  {sign}
                  <span>
                    {text}
                    {hint && <small class="soft">{hint}</small>}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
