/** Acts on threads: on those selected, or on the one that the keyboard is at, with an undo of the last one. */
import { useRef, useState } from 'preact/hooks'
import { plural } from '../../src/lib/text/plural.ts'
import { type ChangedThread, changeThreads, type Standing, type Thread, undoChanges } from '../api/notifications.ts'
import type { Question } from './question.ts'
import type { ThreadSource } from './thread-source.ts'

export type Acts = {
  readonly selected: ReadonlySet<string>
  readonly error: unknown
  /** What was done last, in words, and can be undone. */
  readonly done: string | undefined
  select(id: string): void
  selectAll(ids: readonly string[]): void
  clear(): void
  change(ids: readonly string[], change: Partial<Standing>, words?: string): Promise<void>
  /** Acts on the selected threads, or on this one if none is selected. */
  actOn(thread: Thread | undefined, change: Partial<Standing>): void
  undo(): void
}

const wordsOf: Readonly<Record<string, string>> = {
  done: 'done',
  read: 'read',
  unread: 'unread',
  muted: 'muted',
  ignored: 'ignored',
  subscribed: 'followed',
  none: 'no longer followed',
}

export function useActs(source: ThreadSource, { show }: Question, refresh: () => void): Acts {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [error, setError] = useState<unknown>()
  const [done, setDone] = useState<string>()
  const last = useRef<readonly ChangedThread[]>([])

  /** Whether a thread in this state is still in the list. */
  const stays = (state: Standing['state']) =>
    show === 'done' ? state === 'done' : show === 'all' ? state !== 'done' : state === 'unread'

  async function change(ids: readonly string[], change: Partial<Standing>, words?: string): Promise<void> {
    if (ids.length === 0) return
    setError(undefined)
    const { state } = change
    if (state)
      // A thread that was only opened stays visible until the list is reloaded.
      source.patch(new Set(ids), (thread) =>
        stays(state) || words === '' ? { ...thread, unread: state === 'unread' } : undefined,
      )
    try {
      const changed = await changeThreads(ids, change)
      if (words === '') return
      last.current = changed
      setDone(`${plural(changed.length, 'thread')} ${words ?? wordsOf[state ?? change.subscription ?? '']}.`)
      setSelected(new Set())
    } catch (failure) {
      setError(failure)
    }
    refresh()
  }

  return {
    selected,
    error,
    done,
    select: (id) =>
      setSelected((now) => {
        const next = new Set(now)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    selectAll: (ids) => setSelected((now) => new Set([...now, ...ids])),
    clear: () => setSelected(new Set()),
    change,
    actOn(thread, wanted) {
      const ids = selected.size > 0 ? [...selected] : thread ? [thread.id] : []
      void change(ids, wanted)
    },
    undo() {
      const changed = last.current
      if (changed.length === 0) return
      last.current = []
      setDone(undefined)
      undoChanges(changed).then(refresh, setError)
    },
  }
}
