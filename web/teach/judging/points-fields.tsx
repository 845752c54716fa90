/** Points: whether a problem gives some, and the groups of its tests. */
import type { Aggregation } from '../../api/judging.ts'
import { readDecimal } from '../../parts/decimal.ts'
import { DecimalInput } from '../../parts/decimal-input.tsx'
import { Field } from '../../parts/form.tsx'
import { changeGroup, type GroupDraft, ignoresPoints, type JudgingDraft, sampleGroup } from './judging-draft.ts'

type Props = { readonly draft: JudgingDraft; change(part: Partial<JudgingDraft>): void }

const mostGroups = 100

export function PointsFields({ draft, change }: Props) {
  const { groups } = draft
  const setGroup = (key: number, part: Partial<GroupDraft>) => change(changeGroup(draft, key, part))
  const add = () => {
    const key = Math.max(-1, ...groups.map((group) => group.key)) + 1
    change({ groups: [...groups, { key, name: '', aggregation: 'pass-fail', maximum: '', required: [] }] })
  }
  const remove = (key: number) =>
    change({
      groups: groups
        .filter((group) => group.key !== key)
        .map((group) => ({ ...group, required: group.required.filter((one) => one !== key) })),
    })
  return (
    <section class="card" aria-labelledby="points">
      <h2 id="points">Points</h2>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.isScored}
          onChange={(event) => change({ isScored: event.currentTarget.checked })}
        />
        <span>
          Score with points <small class="soft">Otherwise a program passes or fails.</small>
        </span>
      </label>
      {ignoresPoints(draft) && (
        <p class="notice bad" role="status">
          <span>The points of the groups do not count: a program passes or fails. Tick “Score with points”.</span>
        </p>
      )}
      {(draft.isScored || groups.length > 0) && (
        <>
          <div class="pair">
            <AggregationField
              label="Total of the groups"
              value={draft.aggregation}
              choose={(aggregation) => change({ aggregation })}
            />
            <PointsField
              label="Maximum points of the problem"
              isRequired={draft.aggregation === 'pass-fail'}
              value={draft.maximum}
              write={(maximum) => change({ maximum })}
            />
          </div>
          <Sum draft={draft} />
          {groups.map((group, at) => (
            <Group
              key={group.key}
              number={at + 1}
              group={group}
              others={groups.filter(({ key }) => key !== group.key)}
              change={(part) => setGroup(group.key, part)}
              remove={() => remove(group.key)}
            />
          ))}
          {groups.length < mostGroups && (
            <button type="button" class="button tight" onClick={add}>
              Add a group
            </button>
          )}
          {groups.length > 0 && (
            <p class="soft small below">
              Put tests into groups on the tests page. Open tests run first and give no points.
            </p>
          )}
        </>
      )}
    </section>
  )
}

/** A slip that is easily made: groups that give more, or less, than the problem. */
function Sum({ draft }: { draft: JudgingDraft }) {
  const { aggregation, groups, maximum } = draft
  const sum = groups.reduce((total, group) => total + (readDecimal(group.maximum) ?? 0), 0)
  if (
    aggregation !== 'sum' ||
    groups.length === 0 ||
    !draft.isScored ||
    groups.some((group) => readDecimal(group.maximum) === null)
  )
    return null
  return (
    <p class="soft small" role="status">
      The groups give {sum} points in total
      {maximum !== '' && sum > (readDecimal(maximum) ?? sum) ? `; at most ${maximum} count` : ''}.
    </p>
  )
}

type GroupProps = {
  readonly number: number
  readonly group: GroupDraft
  readonly others: readonly GroupDraft[]
  change(part: Partial<GroupDraft>): void
  remove(): void
}

const Group = ({ number, group, others, change, remove }: GroupProps) => (
  <fieldset class="group">
    <legend class="label">Group {number}</legend>
    <div class="pair">
      <Field label="Name of the group">
        <input
          value={group.name}
          onInput={(event) => change({ name: event.currentTarget.value })}
          maxLength={64}
          required
        />
      </Field>
      <AggregationField label="Scoring" value={group.aggregation} choose={(aggregation) => change({ aggregation })} />
      <PointsField
        label="Maximum points"
        isRequired={group.aggregation === 'pass-fail'}
        value={group.maximum}
        write={(maximum) => change({ maximum })}
      />
    </div>
    <div class="row spread">
      <Required group={group} others={others} change={(required) => change({ required })} />
      <button type="button" class="button quiet tight" onClick={remove} aria-label={`Remove group ${number}`}>
        Remove
      </button>
    </div>
  </fieldset>
)

type RequiredProps = Pick<GroupProps, 'group' | 'others'> & { change(required: GroupDraft['required']): void }

const Required = ({ group: { required }, others, change }: RequiredProps) => (
  <fieldset class="plain">
    <legend class="label">Run only if these groups pass completely</legend>
    <div class="row">
      {[{ key: sampleGroup, name: 'open tests' } as const, ...others].map(({ key, name }) => (
        <label class="row small" key={key}>
          <input
            type="checkbox"
            checked={required.includes(key)}
            onChange={(event) =>
              change(event.currentTarget.checked ? [...required, key] : required.filter((one) => one !== key))
            }
          />
          {name || 'a group without a name'}
        </label>
      ))}
    </div>
  </fieldset>
)

const aggregations: readonly (readonly [Aggregation, string])[] = [
  ['pass-fail', 'all or nothing'],
  ['sum', 'the sum'],
  ['min', 'the lowest'],
]

type AggregationProps = { readonly label: string; readonly value: Aggregation; choose(value: Aggregation): void }

const AggregationField = ({ label, value, choose }: AggregationProps) => (
  <Field label={label}>
    <select value={value} onChange={(event) => choose(event.currentTarget.value as Aggregation)}>
      {aggregations.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  </Field>
)

type PointsProps = {
  readonly label: string
  readonly isRequired?: boolean
  readonly value: string
  write(value: string): void
}

const PointsField = ({ label, isRequired = false, value, write }: PointsProps) => (
  <Field label={label} {...(!isRequired && { hint: 'Leave empty for no maximum.' })}>
    <DecimalInput maximum={1_000_000_000} value={value} required={isRequired} write={write} />
  </Field>
)
