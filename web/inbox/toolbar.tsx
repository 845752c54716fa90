/** Above the list: what can be done to the selected threads, and the undo of what was done last. */
import { markAllRead } from '../api/notifications.ts'
import { ask } from '../parts/ask.tsx'
import { useAct } from '../parts/form.tsx'
import { Failed, FailedAct } from '../parts/state.tsx'
import type { Acts } from './acts.ts'
import type { Question } from './question.ts'
import type { ThreadSource } from './thread-source.ts'

const buttons = [
  [{ state: 'done' }, 'Done'],
  [{ state: 'read' }, 'Read'],
  [{ state: 'unread' }, 'Unread'],
  [{ subscription: 'muted' }, 'Mute'],
  [{ subscription: 'ignored' }, 'Ignore'],
] as const

type Props = { readonly acts: Acts; readonly source: ThreadSource; readonly question: Question }

export function Toolbar({ acts, source, question }: Props) {
  const marking = useAct()
  const read = (source.sections ?? []).flatMap(({ threads }) => [...threads.values()].map(({ id }) => id))
  const count = acts.selected.size
  const markAll = () =>
    marking.run(async () => {
      const where = question.repository || 'all repositories'
      const text = `All threads of ${where} will be marked as read.`
      if (!(await ask({ title: 'Mark all as read?', text, action: 'Mark all as read' }))) return
      await markAllRead(question.repository || undefined)
      source.reload()
    })
  return (
    <>
      <div class="row inbox-tools" role="toolbar" aria-label="Threads">
        <label class="row small">
          <input
            type="checkbox"
            checked={count > 0 && read.every((id) => acts.selected.has(id))}
            onChange={(event) => (event.currentTarget.checked ? acts.selectAll(read) : acts.clear())}
          />
          {count > 0 ? `${count} selected` : 'Select all'}
        </label>
        {count > 0 ? (
          buttons.map(([change, text]) => (
            <button
              key={text}
              type="button"
              class="button tight"
              onClick={() => void acts.change([...acts.selected], change)}
            >
              {text}
            </button>
          ))
        ) : (
          <button type="button" class="button tight quiet" onClick={() => void markAll()}>
            Mark all as read
          </button>
        )}
      </div>
      <div role="status" aria-live="polite">
        {acts.done && (
          <div class="notice good inbox-done">
            <p>{acts.done}</p>
            <button type="button" class="button tight" onClick={acts.undo}>
              Undo
            </button>
          </div>
        )}
      </div>
      {acts.error !== undefined && <Failed error={acts.error} />}
      <FailedAct act={marking} />
    </>
  )
}
