/** The button of the header that opens the search box, and its keys. The box itself is loaded when it is first opened. */
import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { getPlace } from '../app/location.ts'

type Box = ComponentType<{ typed: string; close(): void }>

export function SearchOpener() {
  const [Box, setBox] = useState<{ readonly box: Box }>()
  const [isOpen, setOpen] = useState(false)
  /** Until the box takes them itself. */
  const typed = useRef('')
  const hasBox = isOpen && Box !== undefined
  useLayoutEffect(() => {
    if (!isOpen || hasBox) return
    typed.current = ''
    const collect = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (event.key === 'Backspace') typed.current = typed.current.slice(0, -1)
      else if (event.key.length === 1) typed.current += event.key
      else return
      event.preventDefault()
      event.stopPropagation()
    }
    document.addEventListener('keydown', collect, { capture: true })
    return () => document.removeEventListener('keydown', collect, { capture: true })
  }, [isOpen, hasBox])
  const open = () => {
    setOpen(true)
    // Where it can't be loaded, the server has a newer page: a new one is.
    import('./search-box.tsx').then(
      ({ SearchBox }) => setBox({ box: SearchBox }),
      () => location.reload(),
    )
  }
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isControlK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey
      if (!isControlK && !(event.key === '/' && isFree(event))) return
      event.preventDefault()
      open()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  return (
    <>
      <button
        type="button"
        class="button tight search-button"
        aria-label="Search everything"
        aria-keyshortcuts="Control+K /"
        onClick={open}
      >
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
          <circle cx="6.5" cy="6.5" r="4.5" fill="none" stroke="currentColor" stroke-width="1.8" />
          <path d="m10 10 4.5 4.5" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
        </svg>
        <span class="search-word">Search</span>
      </button>
      {isOpen && Box && <Box.box typed={typed.current} close={() => setOpen(false)} />}
    </>
  )
}

/** Typed into no field, and of no meaning to the view: the inbox filters by it. */
function isFree(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || getPlace().path === '/-/inbox') return false
  return !(event.target as HTMLElement).closest('input, textarea, select, dialog, [contenteditable]')
}
