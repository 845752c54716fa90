/** Scrolls to content that appears after an action, and focuses it, so that screen readers announce it. */
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

/** For when the element that had the focus is gone and nothing takes its place. The page stays where it is. */
export function focusTitle(): void {
  const title = document.querySelector<HTMLElement>('main h1')
  title?.setAttribute('tabindex', '-1')
  title?.focus({ preventScroll: true })
}
