/** Where the page is: real addresses, back and forward, the place on each page kept. */
import { makeStore, useStore } from './store.ts'

export type Place = {
  readonly path: string
  readonly query: URLSearchParams
  readonly hash: string
  readonly key: string
}

const read = (): Place => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
  hash: location.hash,
  key: (history.state as { key?: string } | null)?.key ?? 'first',
})

const store = makeStore<Place>(read())

export const getPlace = (): Place => store.get()
export const usePlace = (): Place => useStore(store)

/** How far each entry of the history was scrolled. */
const scrolled = new Map<string, number>()
let wanted: number | undefined = location.hash ? 0 : undefined
/** Unsaved changes; confirmed before the page is left. */
let guard: (() => string | undefined) | undefined

export function setGuard(next: (() => string | undefined) | undefined): void {
  guard = next
}

function mayLeave(): boolean {
  const question = guard?.()
  if (question !== undefined && !confirm(question)) return false
  guard = undefined
  return true
}

/** Answers whether the page was left: the person may have chosen to stay. */
export function go(address: string, { replaces = false } = {}): boolean {
  const url = new URL(address, location.href)
  const isSamePath = url.pathname === location.pathname
  if (!isSamePath && !mayLeave()) return false
  scrolled.set(store.get().key, scrollY)
  const state = { key: crypto.randomUUID() }
  if (replaces) history.replaceState(state, '', url)
  else history.pushState(state, '', url)
  wanted = isSamePath ? undefined : 0
  store.set(read())
  return true
}

/** Changes the query of the same view without a new history entry. */
export function setQuery(change: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = store.get()
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  go(next.size > 0 ? `${path}?${next}` : path, { replaces: true })
}

/** The view has been drawn, or drawn anew: goes to where it was left, or to what the address names. */
export function settleScroll(isComplete: boolean): void {
  if (wanted === undefined) return
  const { hash } = store.get()
  const target = hash ? findTarget(hash) : null
  if (target && wanted === 0) target.scrollIntoView()
  else scrollTo(0, wanted)
  if (isComplete || (wanted > 0 && Math.abs(scrollY - wanted) < 2)) wanted = undefined
}

/** Headings of documents that people wrote have ids with a prefix. */
function findTarget(hash: string): HTMLElement | null {
  const id = decodeHash(hash)
  return document.getElementById(id) ?? document.getElementById(`user-content-${id}`)
}

/** An invalid percent-encoding is kept as it is. */
function decodeHash(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1))
  } catch {
    return hash.slice(1)
  }
}

/** `isPage`: the addresses that are shown without a page load. */
export function followLinks(isPage: (path: string) => boolean): void {
  history.scrollRestoration = 'manual'
  addEventListener('popstate', () => {
    const before = store.get()
    const next = read()
    if (before.path !== next.path && !mayLeave()) {
      history.pushState({ key: before.key }, '', before.path)
      return
    }
    scrolled.set(before.key, scrollY)
    wanted = scrolled.get(next.key) ?? 0
    store.set(next)
  })
  addEventListener('beforeunload', (event) => {
    if (guard?.() !== undefined) event.preventDefault()
  })
  document.addEventListener('click', (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    const link = (event.target as Element | null)?.closest?.('a')
    if (!link?.href || link.target || link.hasAttribute('download')) return
    const url = new URL(link.href)
    if (url.origin !== location.origin || /^\/-\/.*\.json$/.test(url.pathname) || !isPage(url.pathname)) return
    if (url.pathname === location.pathname && url.search === location.search && url.hash) {
      // The browser itself goes to an id without the prefix.
      findTarget(url.hash)?.scrollIntoView()
      return
    }
    event.preventDefault()
    go(url.href)
  })
}
