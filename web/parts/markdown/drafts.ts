/**
 * Texts that are being written: kept in this browser until they are sent, by account and by what they are for. Each tab has
 * a place of its own, so that two tabs never write over each other.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { getSession } from '../../app/session.ts'

/**
 * `base`: what stood there when the writing began, as an edit is compared with what stands there when it is saved. `from`:
 * the place whose draft this one continues.
 */
type Kept = { readonly text: string; readonly at: number; readonly base?: string; readonly from?: string | undefined }
type Places = Readonly<Record<string, Kept>>

/** Places of one text; the oldest gives way. */
const mostPlaces = 5
/** A draft that nobody came back for is forgotten. */
const longestMs = 30 * 86_400_000

const prefix = 'text '
const keyOf = (name: string): string => `${prefix}${getSession().account?.ID ?? 0} ${name}`

/** A tab keeps its name when it is loaded anew. A tab that was duplicated takes another when it first writes. */
const tab = readTab()

function readTab(): string {
  try {
    const known = sessionStorage.getItem('tab')
    const isReload =
      (performance.getEntriesByType('navigation')[0] as { type?: string } | undefined)?.type !== 'navigate'
    if (known && isReload) return known
    const made = crypto.randomUUID().slice(0, 8)
    sessionStorage.setItem('tab', made)
    return made
  } catch {
    return 'only'
  }
}

function readPlaces(key: string): Places {
  try {
    const all = JSON.parse(localStorage.getItem(key) ?? '{}') as Places
    return Object.fromEntries(Object.entries(all).filter(([, { at }]) => Date.now() - at < longestMs))
  } catch {
    return {}
  }
}

/** A browser that keeps nothing (a private window, a full store) still lets one write. */
function writePlaces(key: string, places: Places): void {
  try {
    const newest = Object.entries(places)
      .sort(([, one], [, other]) => other.at - one.at)
      .slice(0, mostPlaces)
    if (newest.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(Object.fromEntries(newest)))
  } catch {}
}

const newestEntry = (places: Places) => Object.entries(places).sort(([, one], [, other]) => other.at - one.at)[0]
const newestOf = (places: Places): Kept | undefined => newestEntry(places)?.[1]

/** Whether there is something unsent. */
export const hasDraft = (name: string): boolean => newestOf(readPlaces(keyOf(name))) !== undefined

type State = {
  readonly key: string
  readonly text: string
  readonly base: string
  readonly other?: string | undefined
  /** The place of an earlier page or another tab whose draft is shown, until this tab writes. */
  readonly source?: { readonly place: string; readonly text: string } | undefined
}

export type Draft = {
  readonly text: string
  /** The text when the edit started. */
  readonly base: string
  /** The draft of another tab, if it differs from this one. */
  readonly other: string | undefined
  write(text: string): void
  /** Replaces this draft by the other tab's. */
  takeOther(): void
  /** Keeps both as they are. */
  keepOwn(): void
  /** It was sent, or given up. */
  clear(): void
}

/** `first`: what stands there before anything was written. */
export function useDraft(name: string, first = ''): Draft {
  const key = keyOf(name)
  const start = (): State => {
    const places = readPlaces(key)
    const own = places[tab]
    const [place, kept] = own ? [undefined, own] : (newestEntry(places) ?? [])
    const source = place === undefined || !kept ? undefined : { place, text: kept.text }
    return { key, text: kept?.text ?? first, base: kept?.base ?? first, source }
  }
  const [state, setState] = useState<State>(start)
  const latest = useRef(state)
  const show = (next: State) => {
    latest.current = next
    setState(next)
  }
  if (state.key !== key) show(start())

  useEffect(() => {
    const look = (event: StorageEvent) => {
      if (event.key !== key || event.newValue === event.oldValue) return
      const { [tab]: own, ...others } = readPlaces(key)
      const newest = newestOf(others)?.text
      const now = latest.current
      // Another tab took this draft for one of an earlier page and continues it. This tab still shows it, so it stays.
      if (!own && now.text !== now.base && Object.values(others).some(({ from }) => from === tab))
        writePlaces(key, { ...others, [tab]: { text: now.text, at: Date.now(), base: now.base } })
      show({ ...now, other: newest === undefined || newest === now.text ? undefined : newest })
    }
    addEventListener('storage', look)
    return () => removeEventListener('storage', look)
  }, [key])

  const write = (text: string) => {
    const { [tab]: own, ...rest } = readPlaces(key)
    const { base, other, source } = latest.current
    const isContinued = ([place, kept]: [string, Kept]) => place === source?.place && kept.text === source.text
    const others = Object.fromEntries(Object.entries(rest).filter((entry) => !isContinued(entry)))
    const from = source?.place ?? own?.from
    writePlaces(key, text === base ? others : { ...others, [tab]: { text, at: Date.now(), base, from } })
    show({ key, text, base, other: other === text ? undefined : other })
  }
  return {
    text: latest.current.text,
    base: latest.current.base,
    other: latest.current.other,
    write,
    takeOther() {
      const { other } = latest.current
      if (other !== undefined) write(other)
    },
    keepOwn: () => show({ ...latest.current, other: undefined }),
    clear() {
      const { text } = latest.current
      const left = Object.entries(readPlaces(key)).filter(([name, kept]) => name !== tab && kept.text !== text)
      writePlaces(key, Object.fromEntries(left))
      show({ key, text: first, base: first })
    },
  }
}
