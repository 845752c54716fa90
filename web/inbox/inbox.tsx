/** The inbox: threads on the left, the one that is read beside them, and a key for each act. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { readList } from '../api/forge.ts'
import { watchInbox } from '../api/live.ts'
import type { Share, Thread } from '../api/notifications.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { useSignedIn, useTitle } from '../app/page.ts'
import { Empty, Failed, Loading } from '../parts/state.tsx'
import { type Acts, useActs } from './acts.ts'
import { FilterBar } from './filter-bar.tsx'
import { KeyHelp } from './key-help.tsx'
import { useKeys } from './keys.ts'
import { type Question, readQuestion, toQuery } from './question.ts'
import { Reader } from './reader.tsx'
import { Sidebar } from './sidebar.tsx'
import { findRow, type KeyboardPlace, ThreadList } from './thread-list.tsx'
import { type ThreadSource, useThreads } from './thread-source.ts'
import { Toolbar } from './toolbar.tsx'

export function Inbox() {
  useTitle('Inbox')
  return useSignedIn() ? <View /> : null
}

const mostShares = 100

function View() {
  const { query } = usePlace()
  const question = useMemo(() => readQuestion(query), [query])
  const asked = toQuery(question)
  const shares = useLoad(`inbox shares ${JSON.stringify(asked)}`, async () => {
    const { items } = await readList<Share>('/notifications/repositories', { ...asked, per_page: mostShares })
    return items
  })
  const source = useThreads(question, shares.value)
  const refresh = useRef(() => {})
  refresh.current = () => {
    shares.reload()
    source.reload()
  }
  useEffect(() => watchInbox(() => refresh.current()), [])
  const [open, setOpen] = useState<Thread>()
  const openId = query.get('thread') ?? undefined
  const acts = useActs(source, question, () => refresh.current())
  // A new object each time, so that a row that moves to the current position also gets the focus.
  const [place, setPlace] = useState<KeyboardPlace>()
  const setCurrent = (index: number) => setPlace({ index })
  const [isHelp, setHelp] = useState(false)
  const filter = useRef<HTMLInputElement>(null)

  const show = (thread: Thread, index: number) => {
    setOpen(thread)
    setCurrent(index)
    setQuery({ thread: thread.id })
    if (thread.unread) void acts.change([thread.id], { state: 'read' }, '')
  }
  const close = () => setQuery({ thread: undefined })
  const list = useCurrent(source, place?.index, setCurrent)
  useKeys({
    j: () => list.step(1),
    k: () => list.step(-1),
    Enter: () => list.thread && show(list.thread, list.index),
    o: () => list.thread && show(list.thread, list.index),
    x: () => list.thread && acts.select(list.thread.id),
    e: () => acts.actOn(list.thread, { state: 'done' }),
    u: () => acts.actOn(list.thread, { state: 'unread' }),
    r: () => acts.actOn(list.thread, { state: 'read' }),
    m: () => acts.actOn(list.thread, { subscription: 'muted' }),
    i: () => acts.actOn(list.thread, { subscription: 'ignored' }),
    z: () => acts.undo(),
    '/': () => filter.current?.focus(),
    '?': () => setHelp(true),
    Escape: () => (acts.selected.size > 0 ? acts.clear() : close()),
  })
  const shown = openId === undefined ? undefined : open?.id === openId ? open : undefined
  return (
    <div class={openId === undefined ? 'inbox' : 'inbox has-thread'}>
      <Sidebar question={question} shares={shares.value} />
      <div class="inbox-list">
        <div class="heading">
          <h1>Inbox</h1>
          <button type="button" class="button tight quiet" onClick={() => setHelp(true)}>
            Keys <kbd>?</kbd>
          </button>
        </div>
        <FilterBar question={question} field={filter} />
        <Toolbar acts={acts} source={source} question={question} />
        <Threads
          source={source}
          question={question}
          acts={acts}
          place={place}
          openId={openId}
          show={show}
          select={setCurrent}
        />
      </div>
      {openId !== undefined && <Reader id={openId} known={shown} acts={acts} close={close} key={openId} />}
      {isHelp && <KeyHelp close={() => setHelp(false)} />}
    </div>
  )
}

type ThreadsProps = {
  readonly source: ThreadSource
  readonly question: Question
  readonly acts: Acts
  readonly place: KeyboardPlace | undefined
  readonly openId: string | undefined
  show(thread: Thread, index: number): void
  select(index: number): void
}

function Threads({ source, question, acts, place, openId, show, select }: ThreadsProps) {
  const { sections, error, reload } = source
  const lastSelected = useRef(0)
  const count = sections?.reduce((sum, section) => sum + section.count, 0)
  const choose = (thread: Thread, index: number, isRange: boolean) => {
    const ids = isRange ? listBetween(source, lastSelected.current, index) : []
    lastSelected.current = index
    select(index)
    if (ids.length > 0) acts.selectAll(ids)
    else acts.select(thread.id)
  }
  return (
    <>
      {error !== undefined && <Failed error={error} retry={reload} />}
      {!sections && error === undefined && <Loading />}
      {sections && count === 0 && (
        <div class="card">
          <Empty
            title={
              question.words || question.reason || question.type ? 'No threads match.' : 'Nothing is waiting for you.'
            }
          >
            {question.show !== 'done' && <p>Threads that you are done with are under Done.</p>}
          </Empty>
        </div>
      )}
      {sections && count !== 0 && (
        <ThreadList
          sections={sections}
          keyboard={place}
          selected={acts.selected}
          openId={openId}
          hasRepository={!question.isByRepository && !question.repository}
          look={source.look}
          open={show}
          select={choose}
        />
      )}
    </>
  )
}

function listBetween({ sections = [] }: ThreadSource, from: number, to: number): string[] {
  const [first, last] = from < to ? [from, to] : [to, from]
  const ids: string[] = []
  for (let index = first; index <= last; index++) {
    const row = findRow(sections, index)
    const thread = row?.section.threads.get(row.at)
    if (thread) ids.push(thread.id)
  }
  return ids
}

/** The thread at the keyboard cursor. If it left the list, the next one takes its place. */
function useCurrent({ sections = [] }: ThreadSource, current: number | undefined, setCurrent: (index: number) => void) {
  const known = useRef<string>(undefined)
  const rowAt = (index: number) => {
    const row = findRow(sections, index)
    return row?.section.threads.get(row.at)
  }
  const count = sections.reduce((sum, section) => sum + section.count, 0)
  const thread = current === undefined ? undefined : rowAt(current)
  const hasMoved = known.current !== undefined && thread?.id !== known.current
  return {
    thread,
    index: current ?? 0,
    step(by: number) {
      const next = current === undefined ? 0 : hasMoved && by > 0 ? current : current + by
      const index = Math.max(0, Math.min(count - 1, next))
      known.current = rowAt(index)?.id
      if (count > 0) setCurrent(index)
    },
  }
}
