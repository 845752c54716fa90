/** Keeps the keyboard in a list when the row on which somebody acted leaves it: the focus goes to the row in its place. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type Key = string | number

type NextFocus<E> = {
  /** The element around the list. It needs `tabIndex={-1}`, for when the list is empty. */
  readonly place: RefObject<E | null>
  /** As a row is acted on. */
  note(key: Key): void
}

/** `keys`: of the rows, in order. Each row has one element with `data-next`, to which the focus may go. */
export function useNextFocus<E extends HTMLElement>(keys: readonly Key[]): NextFocus<E> {
  const place = useRef<E>(null)
  const noted = useRef<{ readonly key: Key; readonly at: number } | undefined>(undefined)
  useEffect(() => {
    const left = noted.current
    if (!left || keys.includes(left.key)) return
    noted.current = undefined
    if (document.activeElement !== document.body) return
    const targets = place.current?.querySelectorAll<HTMLElement>('[data-next]') ?? []
    const target = targets[Math.min(left.at, targets.length - 1)] ?? place.current
    target?.focus()
  })
  return {
    place,
    note(key) {
      noted.current = { key, at: keys.indexOf(key) }
    },
  }
}
