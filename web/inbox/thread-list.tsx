/** The list of threads: only the rows in sight are drawn, however many there are. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Thread } from '../api/notifications.ts'
import { formatCount } from '../parts/figures.ts'
import { When } from '../parts/when.tsx'
import { describeKind, reasonWords } from './reasons.ts'
import type { Section, Sight } from './thread-source.ts'
import { nameTime } from './time-groups.ts'

export const rowHeight = 72
export const titleHeight = 36
const overscan = 6

/** A row of all sections together. */
export type Row = { readonly section: Section; readonly at: number; readonly index: number }

type Laid = {
  readonly section: Section
  readonly top: number
  readonly startsAt: number
  /** Names of groups, above the threads at these places. */
  readonly titles: readonly (readonly [at: number, text: string])[]
}

function layOut(sections: readonly Section[]): { laid: readonly Laid[]; height: number; count: number } {
  let top = 0
  let startsAt = 0
  const laid = sections.map((section) => {
    const titles = section.title === undefined ? listTimes(section) : ([[0, section.title]] as const)
    const one = { section, top, startsAt, titles }
    top += section.count * rowHeight + titles.length * titleHeight
    startsAt += section.count
    return one
  })
  return { laid, height: top, count: startsAt }
}

/** Marks where the day, week or month changes from one thread to the next. */
function listTimes({ threads }: Section): (readonly [number, string])[] {
  const places = [...threads.keys()].sort((a, b) => a - b)
  let last = ''
  return places.flatMap((at) => {
    const name = nameTime(threads.get(at)!.updated_at)
    if (name === last) return []
    last = name
    return [[at, name] as const]
  })
}

const topOf = ({ top, titles }: Laid, at: number): number =>
  top + at * rowHeight + titles.filter(([place]) => place <= at).length * titleHeight

export function findRow(sections: readonly Section[], index: number): Row | undefined {
  let startsAt = 0
  for (const section of sections) {
    if (index < startsAt + section.count) return { section, at: index - startsAt, index }
    startsAt += section.count
  }
  return undefined
}

/** The row that the keyboard is at: another object each time that it comes to one. */
export type KeyboardPlace = { readonly index: number }

type Props = {
  readonly sections: readonly Section[]
  readonly keyboard: KeyboardPlace | undefined
  readonly selected: ReadonlySet<string>
  readonly openId: string | undefined
  readonly hasRepository: boolean
  look(sights: readonly Sight[]): void
  open(thread: Thread, index: number): void
  select(thread: Thread, index: number, isRange: boolean): void
}

export function ThreadList(props: Props) {
  const { sections, keyboard, look } = props
  const current = keyboard?.index
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const { laid, height } = useMemo(() => layOut(sections), [sections])

  useLayoutEffect(() => {
    const element = box.current!
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [])

  const shown = laid.flatMap((one) => {
    const own = one.titles.length * titleHeight
    const first = Math.max(0, Math.floor((view.top - one.top - own) / rowHeight) - overscan)
    const last = Math.min(one.section.count - 1, Math.ceil((view.top + view.height - one.top) / rowHeight) + overscan)
    return first <= last ? [{ one, first, last }] : []
  })
  const seen = JSON.stringify(shown.map(({ one, first, last }) => ({ key: one.section.key, first, last })))
  useEffect(() => look(JSON.parse(seen) as Sight[]), [look, seen, sections])

  // The keyboard's row is brought into sight, and has the focus.
  const wanted = useRef<number>(undefined)
  useEffect(() => {
    wanted.current = current
    const one = laid.findLast(({ startsAt }) => current !== undefined && startsAt <= current)
    if (!one || current === undefined) return
    const element = box.current!
    const top = topOf(one, current - one.startsAt)
    if (top - titleHeight < element.scrollTop) element.scrollTop = top - titleHeight
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight
  }, [keyboard])
  useEffect(() => {
    if (wanted.current === undefined) return
    const link = box.current!.querySelector<HTMLElement>(`[data-index="${wanted.current}"] a`)
    if (!link) return
    wanted.current = undefined
    link.focus({ preventScroll: true })
  })

  return (
    <div class="thread-list card flush" ref={box}>
      <div style={{ height: `${height}px`, position: 'relative' }}>
        {shown.map(({ one, first, last }) => (
          <section key={one.section.key} aria-label={one.section.title ?? 'Threads'}>
            {one.titles
              .filter(([at]) => at >= first && at <= last)
              .map(([at, text]) => (
                <h2 key={`${at} ${text}`} class="thread-group" style={{ top: `${topOf(one, at) - titleHeight}px` }}>
                  {text}
                  {one.section.title !== undefined && <span class="soft small"> {formatCount(one.section.count)}</span>}
                </h2>
              ))}
            <ul class="plain-list">
              {Array.from({ length: last - first + 1 }, (_, step) => first + step).map((at) => (
                <ThreadRow
                  {...props}
                  key={one.section.threads.get(at)?.id ?? `place ${at}`}
                  thread={one.section.threads.get(at)}
                  index={one.startsAt + at}
                  top={topOf(one, at)}
                  total={one.section.count}
                  position={at + 1}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </div>
  )
}

type RowProps = Props & {
  readonly thread: Thread | undefined
  readonly index: number
  readonly top: number
  readonly total: number
  readonly position: number
}

function ThreadRow({ thread, index, top, total, position, selected, openId, hasRepository, open, select }: RowProps) {
  const isOpen = thread !== undefined && thread.id === openId
  const name = ['thread-row', thread?.unread && 'unread', isOpen && 'open'].filter(Boolean).join(' ')
  return (
    <li class={name} style={{ top: `${top}px` }} data-index={index} aria-setsize={total} aria-posinset={position}>
      {thread ? (
        <>
          <label class="thread-mark">
            <span class="hidden-text">Select {thread.subject.title}</span>
            <input
              type="checkbox"
              checked={selected.has(thread.id)}
              onClick={(event) => select(thread, index, event.shiftKey)}
            />
          </label>
          <div class="thread-words">
            <a
              class="thread-title"
              href={new URL(thread.html_url).pathname}
              {...(isOpen && { 'aria-current': 'true' as const })}
              onClick={(event) => {
                if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
                event.preventDefault()
                open(thread, index)
              }}
            >
              {thread.unread && <span class="hidden-text">Unread: </span>}
              {thread.subject.title}
            </a>
            <span class="thread-note small soft">
              {hasRepository && `${thread.repository.full_name} · `}
              {describeKind(thread)} · {reasonWords[thread.reason] ?? thread.reason}
            </span>
          </div>
          <span class="thread-time small soft">
            <When at={Date.parse(thread.updated_at)} />
          </span>
        </>
      ) : (
        <span class="soft small">…</span>
      )}
    </li>
  )
}
