/** Keys of a view: pressed outside of fields and questions, without Control and the like. */
import { useEffect, useRef } from 'preact/hooks'

export type Keys = Readonly<Record<string, () => unknown>>

export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const target = event.target as HTMLElement
      if (target.closest('input:not([type=checkbox]), textarea, select, dialog, [contenteditable]')) return
      // Elements that handle Enter themselves keep it.
      if (event.key === 'Enter' && target.closest('a, button')) return
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
