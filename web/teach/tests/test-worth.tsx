/** The group and the points of one test, or of many at once. */
import { useState } from 'preact/hooks'
import type { TestCaseJudging } from '../../api/judging.ts'
import { call, callAll, openAnswer } from '../../api/rpc.ts'
import { readDecimal } from '../../parts/decimal.ts'
import { DecimalInput } from '../../parts/decimal-input.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { Done } from '../../parts/state.tsx'

/** `points` empty: a share of the group's. */
export type Worth = { readonly group: string; readonly points: string }

export const noWorth: Worth = { group: '', points: '' }

export const toWorth = (judging: TestCaseJudging | undefined): Worth => ({
  group: judging?.Group ?? '',
  points: judging?.Points == null ? '' : String(judging.Points),
})

export const toWorthChange = ({ group, points }: Worth): Pick<TestCaseJudging, 'Group' | 'Points'> => ({
  Group: group,
  Points: points.trim() === '' ? null : readDecimal(points),
})

type FieldsProps = { readonly worth: Worth; readonly groups: readonly string[]; change(worth: Worth): void }

export const WorthFields = ({ worth, groups, change }: FieldsProps) => (
  <div class="pair">
    <Field label="Group">
      <select value={worth.group} onChange={(event) => change({ ...worth, group: event.currentTarget.value })}>
        <option value="">none</option>
        {groups.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </Field>
    <Field label="Points" hint="Empty: an equal share.">
      <DecimalInput maximum={1_000_000_000} value={worth.points} write={(points) => change({ ...worth, points })} />
    </Field>
  </div>
)

type ManyProps = {
  readonly uuid: string
  readonly groups: readonly string[]
  readonly total: number
  reload(): void
}

/** Calls of one request. */
const portion = 100

export function ManyWorth({ uuid, groups, total, reload }: ManyProps) {
  const act = useAct()
  const [from, setFrom] = useState('1')
  const [to, setTo] = useState('')
  const [worth, setWorth] = useState(noWorth)
  const [done, setDone] = useState('')
  if (total === 0) return null
  const last = Number(to || total)
  const submit = async () => {
    setDone('')
    for (let Offset = Number(from) - 1; Offset < last; Offset += portion) {
      const range = { ProblemUUID: uuid, Offset, Limit: Math.min(portion, last - Offset) }
      const { TestCaseJudgingList } = await call('get_problem_test_case_judging_list', range)
      const change = toWorthChange(worth)
      const answers = await callAll(
        TestCaseJudgingList.map(({ UUID }) => ['update_test_case_judging', { UUID, ...change }] as const),
      )
      for (const answer of answers) openAnswer(answer)
    }
    setDone(`Tests ${from} to ${last} are now ${worth.group ? `in “${worth.group}”` : 'in no group'}.`)
    reload()
  }
  return (
    <section class="card" aria-labelledby="many">
      <h2 id="many">Set group and points of many tests</h2>
      <Form act={act} submit={submit}>
        <div class="pair">
          <Field label="From test">
            <input
              type="number"
              min={1}
              max={last}
              required
              value={from}
              onInput={(event) => setFrom(event.currentTarget.value)}
            />
          </Field>
          <Field label="To test">
            <input
              type="number"
              min={1}
              max={total}
              placeholder={String(total)}
              value={to}
              onInput={(event) => setTo(event.currentTarget.value)}
            />
          </Field>
        </div>
        <WorthFields worth={worth} groups={groups} change={setWorth} />
        <Submit act={act} busy="Changing …">
          Change tests
        </Submit>
      </Form>
      {done && (
        <div class="below">
          <Done>{done}</Done>
        </div>
      )}
    </section>
  )
}
