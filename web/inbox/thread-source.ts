/**
 * The threads behind the list, of which only those in sight are read, so that a hundred thousand cost what a hundred do. The
 * list is of one section in the order of time, or of one for each repository.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { readList, repositoryPath } from '../api/forge.ts'
import type { Share, Thread } from '../api/notifications.ts'
import { type Question, toQuery } from './question.ts'

export type Section = {
  readonly key: string
  /** A repository's name; undefined for the one section of all. */
  readonly title: string | undefined
  readonly path: string
  /** The total, as far as known. */
  readonly count: number
  /** By their places. */
  readonly threads: ReadonlyMap<number, Thread>
}

/** Places of a section that are in sight. */
export type Sight = { readonly key: string; readonly first: number; readonly last: number }

const pageSize = 50
/** Per section; the threads farthest from the visible ones are dropped. */
const mostKept = 600

export type ThreadSource = {
  readonly sections: readonly Section[] | undefined
  readonly error: unknown
  look(sights: readonly Sight[]): void
  /** Reads what is in sight anew, and keeps showing what was read until it is here. */
  reload(): void
  /** Shows at once what an act is about to change. */
  patch(ids: ReadonlySet<string>, change: (thread: Thread) => Thread | undefined): void
}

/** `atMost`: how many there are in all; undefined on the last page. */
type Page = { readonly threads: readonly Thread[]; readonly first: number; readonly atMost: number | undefined }

async function readThreads(path: string, question: Question, page: number): Promise<Page> {
  const query = { ...toQuery(question), html_url: true, per_page: pageSize, page }
  const { items, hasMore, lastPage } = await readList<Thread>(path, query)
  const first = (page - 1) * pageSize
  return { threads: items, first, atMost: hasMore ? (lastPage ?? page + 1) * pageSize : undefined }
}

const put = (section: Section, { threads, first, atMost }: Page): Section => {
  const map = new Map([...section.threads].filter(([at]) => at < first || at >= first + pageSize))
  for (const [at, thread] of threads.entries()) map.set(first + at, thread)
  const near = [...map.keys()].sort((a, b) => Math.abs(a - first) - Math.abs(b - first))
  for (const at of near.slice(mostKept)) map.delete(at)
  return { ...section, threads: map, count: countNow(section.count, first, threads.length, atMost) }
}

/** The interface tells how many pages there are; how many are on the last one is known once that is read. */
function countNow(known: number, first: number, found: number, atMost: number | undefined): number {
  if (atMost === undefined) return found > 0 ? first + found : Math.min(known, first)
  return known > atMost - pageSize && known <= atMost ? known : atMost
}

function remove(section: Section, ids: ReadonlySet<string>, change: (thread: Thread) => Thread | undefined): Section {
  const threads = new Map<number, Thread>()
  let gone = 0
  for (const [at, thread] of [...section.threads].sort(([a], [b]) => a - b)) {
    const changed = ids.has(thread.id) ? change(thread) : thread
    if (changed) threads.set(at - gone, changed)
    else gone++
  }
  return { ...section, threads, count: section.count - gone }
}

export function useThreads(question: Question, shares: readonly Share[] | undefined): ThreadSource {
  const key = JSON.stringify(question)
  const [state, setState] = useState<{ key: string; sections?: readonly Section[] | undefined; error?: unknown }>({
    key,
  })
  const turn = useRef(0)
  const asked = useRef(new Set<string>())
  const sights = useRef<readonly Sight[]>([])
  const latest = useRef({ question, shares })
  latest.current = { question, shares }

  const isReady = !question.isByRepository || shares !== undefined
  const makeSections = useCallback((): readonly Section[] => {
    const { question: asks, shares: known = [] } = latest.current
    if (asks.isByRepository)
      return known
        .filter(({ repository }) => !asks.repository || repository.full_name === asks.repository)
        .map(({ repository: { full_name, name, owner }, count }) => ({
          key: full_name,
          title: full_name,
          path: repositoryPath(owner.login, name, 'notifications'),
          count,
          threads: new Map(),
        }))
    const [owner, name] = asks.repository.split('/')
    const path = name ? repositoryPath(owner!, name, 'notifications') : '/notifications'
    return [{ key: '', title: undefined, path, count: 0, threads: new Map() }]
  }, [])

  const read = useCallback(
    async (section: Section, page: number, mine: number): Promise<void> => {
      const found = await readThreads(section.path, latest.current.question, page)
      if (mine !== turn.current) return
      setState((now) => ({
        ...now,
        key,
        error: undefined,
        sections: now.sections?.map((one) => (one.key === section.key ? put(one, found) : one)),
      }))
    },
    [key],
  )

  /** All that is in sight, in as few requests as there are pages of it. */
  const reload = useCallback(() => {
    const mine = ++turn.current
    asked.current.clear()
    const fresh = makeSections()
    const wanted = fresh.flatMap((section) => {
      const sight = sights.current.find((one) => one.key === section.key)
      return sight ? listPages(section, sight) : section.title === undefined ? [{ section, page: 1 }] : []
    })
    for (const { section, page } of wanted) asked.current.add(`${section.key} ${page}`)
    Promise.all(
      wanted.map(async ({ section, page }) => ({
        section,
        found: await readThreads(section.path, latest.current.question, page),
      })),
    ).then(
      (pages) => {
        if (mine !== turn.current) return
        const sections = fresh.map((section) =>
          pages.filter((page) => page.section === section).reduce((whole, { found }) => put(whole, found), section),
        )
        setState({ key, sections })
      },
      (error) => mine === turn.current && setState((now) => ({ ...now, error })),
    )
  }, [key, makeSections])

  const shareKey = question.isByRepository
    ? JSON.stringify(shares?.map(({ repository: { id }, count }) => [id, count]))
    : ''
  // A different grouping means different sections.
  useEffect(() => {
    if (isReady) reload()
    return () => void turn.current++
  }, [reload, isReady, shareKey])

  const look = useCallback(
    (seen: readonly Sight[]) => {
      sights.current = seen
      setState((now) => {
        for (const section of now.sections ?? []) {
          const sight = seen.find((one) => one.key === section.key)
          if (!sight) continue
          for (const { page } of listPages(section, sight)) {
            const name = `${section.key} ${page}`
            const isThere = asked.current.has(name) || hasPage(section, page)
            if (isThere) continue
            asked.current.add(name)
            read(section, page, turn.current)
              .catch((error) => setState((other) => ({ ...other, error })))
              .finally(() => asked.current.delete(name))
          }
        }
        return now
      })
    },
    [read],
  )

  const patch = useCallback<ThreadSource['patch']>((ids, change) => {
    setState((now) => ({ ...now, sections: now.sections?.map((section) => remove(section, ids, change)) }))
  }, [])

  const isOwn = state.key === key
  return useMemo(
    () => ({
      sections: isOwn ? state.sections : undefined,
      error: isOwn ? state.error : undefined,
      look,
      reload,
      patch,
    }),
    [state, isOwn, look, reload, patch],
  )
}

function listPages(section: Section, { first, last }: Sight): { section: Section; page: number }[] {
  const from = Math.floor(Math.max(0, first) / pageSize) + 1
  const to = Math.max(from, Math.floor(Math.max(0, last) / pageSize) + 1)
  return Array.from({ length: to - from + 1 }, (_, at) => ({ section, page: from + at }))
}

function hasPage({ count, threads }: Section, page: number): boolean {
  const first = (page - 1) * pageSize
  for (let at = first; at < Math.min(count, first + pageSize); at++) if (!threads.has(at)) return false
  return true
}
