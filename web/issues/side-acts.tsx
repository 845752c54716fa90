/** Actions on a whole issue or pull: lock, pin, transfer, delete, unmark as duplicate. */
import { useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Issue } from '../api/issue-types.ts'
import { go } from '../app/location.ts'
import { ask } from '../parts/ask.tsx'
import { useAct } from '../parts/form.tsx'
import { FailedAct } from '../parts/state.tsx'
import { pathOf } from './issue-rows.tsx'
import { rightsOn } from './issue-side.tsx'

type Props = {
  readonly issue: Pick<Issue, 'number' | 'locked' | 'state_reason'>
  readonly repository: Repository
  readonly isPull?: boolean
  readonly isPinned?: boolean
  reload(): void
}

const reasons = [
  ['', 'No reason'],
  ['off-topic', 'Off-topic'],
  ['too heated', 'Too heated'],
  ['resolved', 'Resolved'],
  ['spam', 'Spam'],
] as const

export function SideActs({ issue, repository, isPull = false, isPinned = false, reload }: Props) {
  const { mayTriage, mayWrite, mayAdminister } = rightsOn(repository)
  const act = useAct()
  const [open, setOpen] = useState<'lock' | 'transfer'>()
  const path = `/repos/${repository.full_name}/issues/${issue.number}`
  const run = (method: 'PUT' | 'DELETE', part: string, body?: object) =>
    void act.run(async () => {
      await send(method, `${path}/${part}`, body)
      setOpen(undefined)
      reload()
    })
  const remove = async () => {
    const question = {
      title: 'Delete this issue?',
      text: 'Its comments and history are deleted too. This can’t be undone.',
      action: 'Delete',
    }
    if (!(await ask(question))) return
    await act.run(async () => {
      await send('DELETE', path)
      go(`/${repository.full_name}/issues`)
    })
  }
  if (!mayTriage) return null
  return (
    <section class="side-section side-acts">
      <h2 class="hidden-text">Actions</h2>
      {mayTriage && issue.state_reason === 'duplicate' && (
        <button type="button" class="button quiet tight" onClick={() => run('DELETE', 'duplicate')}>
          Not a duplicate
        </button>
      )}
      {mayWrite &&
        (issue.locked ? (
          <button type="button" class="button quiet tight" disabled={act.isBusy} onClick={() => run('DELETE', 'lock')}>
            Unlock conversation
          </button>
        ) : (
          <button
            type="button"
            class="button quiet tight"
            aria-expanded={open === 'lock'}
            onClick={() => setOpen(open === 'lock' ? undefined : 'lock')}
          >
            Lock conversation
          </button>
        ))}
      {open === 'lock' && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const reason = new FormData(event.currentTarget).get('reason')
            run('PUT', 'lock', { lock_reason: reason || null })
          }}
        >
          <label class="field small">
            <span>Reason</span>
            <select name="reason">
              {reasons.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" class="button tight" disabled={act.isBusy}>
            Lock
          </button>
        </form>
      )}
      {mayWrite && !isPull && (
        <>
          <button
            type="button"
            class="button quiet tight"
            disabled={act.isBusy}
            onClick={() => run(isPinned ? 'DELETE' : 'PUT', 'pin')}
          >
            {isPinned ? 'Unpin issue' : 'Pin issue'}
          </button>
          <button
            type="button"
            class="button quiet tight"
            aria-expanded={open === 'transfer'}
            onClick={() => setOpen(open === 'transfer' ? undefined : 'transfer')}
          >
            Transfer issue
          </button>
        </>
      )}
      {open === 'transfer' && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const to = String(new FormData(event.currentTarget).get('to')).trim()
            void act.run(async () => {
              const moved = await send<Issue>('POST', `${path}/transfer`, { new_repository: to })
              go(pathOf(moved))
            })
          }}
        >
          <label class="field small">
            <span>New repository</span>
            <input name="to" required maxLength={200} placeholder={`${repository.owner.login}/…`} />
          </label>
          <button type="submit" class="button tight" disabled={act.isBusy}>
            Transfer
          </button>
        </form>
      )}
      {mayAdminister && !isPull && (
        <button type="button" class="button quiet tight" disabled={act.isBusy} onClick={() => void remove()}>
          Delete issue
        </button>
      )}
      <FailedAct act={act} />
    </section>
  )
}
