/** Which rows of a list are selected: by their boxes, and by the letter x for the row that has the focus or the pointer. */
import { useEffect, useState } from 'preact/hooks'

export type Selection = {
  readonly numbers: ReadonlySet<number>
  toggle(number: number): void
  set(numbers: readonly number[]): void
}

const rowOf = (element: Element | null | undefined) => element?.closest<HTMLElement>('[data-number]')

/** Numbers that are no longer listed are no longer selected. */
export function useSelection(isOn: boolean, listed: readonly number[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const toggle = (number: number) =>
    setChosen((known) => {
      const next = new Set(known)
      if (!next.delete(number)) next.add(number)
      return next
    })
  useEffect(() => {
    if (!isOn) return
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const target = event.target as Element
      if (target.closest('input:not([type=checkbox]), textarea, select, dialog, [contenteditable]')) return
      const rows = [...document.querySelectorAll<HTMLElement>('[data-number]')]
      const here = rowOf(document.activeElement) ?? rows.find((row) => row.matches(':hover'))
      if (event.key === 'x' && here) {
        event.preventDefault()
        toggle(Number(here.dataset.number))
      }
      if (event.key === 'j' || event.key === 'k') {
        const next =
          rows[(here ? rows.indexOf(here) : event.key === 'j' ? -1 : rows.length) + (event.key === 'j' ? 1 : -1)]
        next?.querySelector<HTMLElement>('a.strong')?.focus()
      }
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [isOn])
  return {
    numbers: new Set(listed.filter((number) => chosen.has(number))),
    toggle,
    set: (numbers) => setChosen(new Set(numbers)),
  }
}
