/** Excluded time, as after a power cut: the contest ends that much later. */
import { useState } from 'preact/hooks'
import type { ContestDraft } from '../../api/contests.ts'
import { formatMoment, fromLocalInput } from '../../parts/due.tsx'
import { Field } from '../../parts/form.tsx'
import type { Change } from './contest-draft.ts'

type Props = { readonly list: ContestDraft['RemovedIntervalList']; readonly change: Change }

export function RemovedIntervals({ list, change }: Props) {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [StartTime, EndTime] = [fromLocalInput(from), fromLocalInput(to)]
  const isReady = StartTime !== null && EndTime !== null && EndTime > StartTime
  const add = () => {
    change({ RemovedIntervalList: [...list, { StartTime: StartTime!, EndTime: EndTime! }] })
    setFrom('')
    setTo('')
  }
  return (
    <section class="card" aria-labelledby="removed">
      <h2 id="removed">Excluded time</h2>
      <p class="soft small">
        For example, after an outage. The contest ends that much later, and penalties do not include this time.
      </p>
      <ul class="rows">
        {list.map((one) => (
          <li key={one.StartTime}>
            <span class="grow">
              {formatMoment(one.StartTime)} to {formatMoment(one.EndTime)}
            </span>
            <button
              type="button"
              class="button quiet tight"
              aria-label={`Remove the interval from ${formatMoment(one.StartTime)}`}
              onClick={() => change({ RemovedIntervalList: list.filter((other) => other !== one) })}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <div class="pair">
        <Field label="From">
          <input type="datetime-local" value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
        </Field>
        <Field label="To">
          <input type="datetime-local" value={to} onInput={(event) => setTo(event.currentTarget.value)} />
        </Field>
      </div>
      <button type="button" class="button tight" disabled={!isReady} onClick={add}>
        Add interval
      </button>
    </section>
  )
}
