/** What is done to all selected issues or pulls at once: one after the other, and those that are refused are named. */
import { useState } from 'preact/hooks'
import { explain } from '../api/fault.ts'
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Issue } from '../api/issue-types.ts'
import { Avatar } from '../parts/avatar.tsx'
import { useAct } from '../parts/form.tsx'
import { Picker } from '../parts/picker.tsx'
import { FailedAct } from '../parts/state.tsx'
import { readAssignable, readLabels } from './choices.ts'
import { LabelDot } from './label-chip.tsx'
import type { Selection } from './selection.ts'

type Props = {
  readonly repository: Repository
  readonly issues: readonly Issue[]
  readonly selection: Selection
  readonly isOpen: boolean
  reload(): void
}

export function BulkActs({ repository, issues, selection, isOpen, reload }: Props) {
  const act = useAct()
  const [done, setDone] = useState(0)
  const place = { owner: repository.owner.login, repo: repository.name }
  const chosen = issues.filter(({ number }) => selection.numbers.has(number))
  const everyOne = (has: (issue: Issue) => boolean) => chosen.length > 0 && chosen.every(has)
  const forEach = (change: (path: string) => Promise<unknown>) =>
    act.run(async () => {
      const refused: string[] = []
      setDone(0)
      for (const { number } of chosen) {
        await change(`/repos/${repository.full_name}/issues/${number}`).catch((error) =>
          refused.push(`#${number}: ${explain(error)}`),
        )
        setDone((count) => count + 1)
      }
      reload()
      if (refused.length > 0)
        throw new Error(`${refused.length} of ${chosen.length} were not changed. ${refused.join(' ')}`)
    })
  return (
    <div class="bulk-acts">
      <label class="row tight-row">
        <input
          type="checkbox"
          aria-label="Select all on this page"
          checked={chosen.length === issues.length}
          onChange={(event) => selection.set(event.currentTarget.checked ? issues.map(({ number }) => number) : [])}
        />
        <span class="small soft" role="status">
          {act.isBusy
            ? `${done} of ${chosen.length} done`
            : chosen.length > 0
              ? `${chosen.length} selected`
              : 'Select all (x selects a row, j and k move)'}
        </span>
      </label>
      {chosen.length > 0 && (
        <span class="row tight-row">
          <button
            type="button"
            class="button tight"
            disabled={act.isBusy}
            onClick={() => void forEach((path) => send('PATCH', path, { state: isOpen ? 'closed' : 'open' }))}
          >
            {isOpen ? 'Close' : 'Reopen'}
          </button>
          <Picker
            label="Label"
            what="labels"
            class="button tight"
            isBusy={act.isBusy}
            load={async () =>
              (await readLabels(place)).map(({ name, color }) => ({
                value: name,
                text: name,
                sign: <LabelDot color={color} />,
              }))
            }
            isChosen={(name) => everyOne(({ labels }) => labels.some((label) => label.name === name))}
            choose={(name, isWanted) =>
              void forEach((path) =>
                isWanted
                  ? send('POST', `${path}/labels`, { labels: [name] })
                  : send('DELETE', `${path}/labels/${encodeURIComponent(name)}`),
              )
            }
          />
          <Picker
            label="Assign"
            what="people"
            class="button tight"
            isBusy={act.isBusy}
            load={async () =>
              (await readAssignable(place)).map(({ login, id }) => ({
                value: login,
                text: login,
                sign: <Avatar id={id} />,
              }))
            }
            isChosen={(login) => everyOne(({ assignees }) => assignees.some((person) => person.login === login))}
            choose={(login, isWanted) =>
              void forEach((path) => send(isWanted ? 'POST' : 'DELETE', `${path}/assignees`, { assignees: [login] }))
            }
          />
        </span>
      )}
      <FailedAct act={act} />
    </div>
  )
}
