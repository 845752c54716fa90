/** What appears after an act, perhaps out of sight: it is scrolled to, and has the focus, so that it is read out, too. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Whenever `what` is another one. The element needs `tabIndex={-1}`. */
export function useRevealed<E extends HTMLElement>(what: unknown): RefObject<E | null> {
  const place = useRef<E>(null)
  useEffect(() => {
    if (what !== undefined) place.current?.focus()
  }, [what])
  return place
}
