/** The settings of a contest: name, time, scoring, visibility, jury and staff. */
import { useState } from 'preact/hooks'
import type { Contest, ContestDraft, ContestStyle } from '../../api/contests.ts'
import { Fault } from '../../api/fault.ts'
import { useUnsavedGuard } from '../../app/page.ts'
import { NumberInput } from '../../parts/decimal-input.tsx'
import { fromLocalInput, toLocalInput, zoneName } from '../../parts/due.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { RadioChoice } from '../../parts/radio-choice.tsx'
import { type Change, minute } from './contest-draft.ts'
import { LanguageFields } from './language-fields.tsx'
import { RemovedIntervals } from './removed-intervals.tsx'

type Props = {
  readonly first: ContestDraft
  /** Undefined for a new contest. */
  readonly contest?: Contest
  readonly action: string
  save(draft: ContestDraft, isClear: () => void): Promise<void>
}

export function ContestForm({ first, contest, action, save }: Props) {
  const act = useAct()
  const guard = useUnsavedGuard()
  const [draft, setDraft] = useState<ContestDraft>(first)
  const change: Change = (part) => {
    guard.note()
    setDraft((now) => ({ ...now, ...part }))
  }
  const hasStarted = contest !== undefined && contest.State !== 'before'
  const submit = async () => {
    const { FreezeDuration, Duration } = draft
    if (FreezeDuration !== null && FreezeDuration > Duration)
      throw new Fault(0, 'The freeze is longer than the contest: change one of them.')
    await save(draft, guard.clear)
    guard.clear()
  }
  return (
    <Form act={act} submit={submit}>
      <div class="solve">
        <div class="stack">
          <section class="card" aria-labelledby="contest-name">
            <h2 id="contest-name">Contest</h2>
            <Field label="Name">
              <input
                value={draft.Name}
                maxLength={256}
                required
                onInput={(event) => change({ Name: event.currentTarget.value })}
              />
            </Field>
            <Field label="Full name" hint="Optional. Used on certificates and in the event feed.">
              <input
                value={draft.FormalName ?? ''}
                maxLength={256}
                onInput={(event) => change({ FormalName: event.currentTarget.value || null })}
              />
            </Field>
            <RadioChoice<ContestStyle>
              legend="Scoring"
              name="style"
              value={draft.Style}
              choose={(Style) => change({ Style })}
              options={[
                ['icpc', 'ICPC', 'Most problems solved, then the least time.'],
                ['ioi', 'IOI', 'Points for each problem.'],
              ]}
            />
            {draft.Style === 'icpc' && (
              <Count
                label="Penalty for a wrong try (minutes)"
                value={draft.PenaltyMinute}
                set={(PenaltyMinute) => change({ PenaltyMinute })}
              />
            )}
          </section>
          <Times draft={draft} change={change} hasStarted={hasStarted} />
          {hasStarted && <RemovedIntervals list={draft.RemovedIntervalList} change={change} />}
        </div>
        <div class="stack">
          <Visibility draft={draft} change={change} />
          <LanguageFields list={draft.LanguageList} change={change} />
          <Medals draft={draft} change={change} />
          <People draft={draft} change={change} />
          <Submit act={act} busy="Saving …">
            {action}
          </Submit>
        </div>
      </div>
    </Form>
  )
}

type PartProps = { readonly draft: ContestDraft; readonly change: Change }
type CountProps = { readonly label: string; readonly value: number; readonly hint?: string; set(value: number): void }

const Count = ({ label, value, hint, set }: CountProps) => (
  <Field label={label} {...(hint && { hint })}>
    <NumberInput isWhole maximum={10_000} value={value} required write={(count) => set(count ?? 0)} />
  </Field>
)

function Times({ draft, change, hasStarted }: PartProps & { hasStarted: boolean }) {
  const isPaused = draft.StartTime === null && draft.CountdownPause !== null
  return (
    <section class="card" aria-labelledby="contest-times">
      <h2 id="contest-times">Times</h2>
      <div class="pair">
        <Field
          label="Start"
          hint={
            hasStarted
              ? 'The contest has started, so its start can’t be changed.'
              : `In your time zone, ${zoneName()}. Leave empty to set it later.`
          }
        >
          <input
            type="datetime-local"
            value={toLocalInput(draft.StartTime)}
            disabled={hasStarted}
            onInput={(event) => change({ StartTime: fromLocalInput(event.currentTarget.value), CountdownPause: null })}
          />
        </Field>
        <Field label="Length (minutes)">
          <NumberInput
            isWhole
            minimum={1}
            maximum={527_040}
            value={Math.round(draft.Duration / minute)}
            required
            write={(minutes) => change({ Duration: (minutes ?? 0) * minute })}
          />
        </Field>
        <Field label="Freeze the scoreboard for the last (minutes)" hint="Leave empty for no freeze.">
          <NumberInput
            isWhole
            maximum={527_040}
            value={draft.FreezeDuration === null ? null : Math.round(draft.FreezeDuration / minute)}
            write={(minutes) => change({ FreezeDuration: minutes === null ? null : minutes * minute })}
          />
        </Field>
        {!hasStarted && draft.StartTime === null && (
          <Field
            label="Countdown paused at (minutes before the start)"
            hint="Leave empty to count down without a pause."
          >
            <NumberInput
              isWhole
              maximum={527_040}
              value={isPaused ? Math.round(draft.CountdownPause! / minute) : null}
              write={(minutes) => change({ CountdownPause: minutes === null ? null : minutes * minute })}
            />
          </Field>
        )}
      </div>
    </section>
  )
}

type TickProps = { readonly label: string; readonly hint: string; readonly value: boolean; set(value: boolean): void }

const Tick = ({ label, hint, value, set }: TickProps) => (
  <label class="check">
    <input type="checkbox" checked={value} onChange={(event) => set(event.currentTarget.checked)} />
    <span>
      {label} <small class="soft">{hint}</small>
    </span>
  </label>
)

const Visibility = ({ draft, change }: PartProps) => (
  <section class="card" aria-labelledby="contest-visibility">
    <h2 id="contest-visibility">Visibility</h2>
    <Tick
      label="Public"
      hint="Everyone can see the contest and its scoreboard without signing in."
      value={draft.IsPublic}
      set={(IsPublic) => change({ IsPublic })}
    />
    <Tick
      label="Open to join"
      hint="Everyone with an account can take part individually until the contest ends."
      value={draft.IsOpen}
      set={(IsOpen) => change({ IsOpen })}
    />
    <Tick
      label="Show the problems to everyone"
      hint="From the start. Otherwise only teams can read the statements until the end."
      value={draft.ShowsProblemsToPublic}
      set={(ShowsProblemsToPublic) => change({ ShowsProblemsToPublic })}
    />
    <Tick
      label="Hide the scoreboard"
      hint="Only the jury sees it."
      value={draft.BoardIsHidden}
      set={(BoardIsHidden) => change({ BoardIsHidden })}
    />
  </section>
)

const Medals = ({ draft, change }: PartProps) => (
  <section class="card" aria-labelledby="contest-medals">
    <h2 id="contest-medals">Awards</h2>
    <div class="pair">
      <Count label="Gold medals" value={draft.GoldMedalCount} set={(GoldMedalCount) => change({ GoldMedalCount })} />
      <Count
        label="Silver medals"
        value={draft.SilverMedalCount}
        set={(SilverMedalCount) => change({ SilverMedalCount })}
      />
      <Count
        label="Bronze medals"
        value={draft.BronzeMedalCount}
        set={(BronzeMedalCount) => change({ BronzeMedalCount })}
      />
    </div>
    <Tick
      label="World Finals ranking"
      hint="Teams below the medals share a rank with all teams that solved as many problems."
      value={draft.WorldFinalsRanks}
      set={(WorldFinalsRanks) => change({ WorldFinalsRanks })}
    />
  </section>
)

const toNames = (text: string): readonly string[] => text.split(/[\s,;]+/).filter(Boolean)

function People({ draft, change }: PartProps) {
  const [jury, setJury] = useState(draft.JuryList.join('\n'))
  const [staff, setStaff] = useState(draft.StaffList.join('\n'))
  return (
    <section class="card" aria-labelledby="contest-people">
      <h2 id="contest-people">People</h2>
      <Field label="Jury" hint="Logins, one per line. You and admins are always in the jury.">
        <textarea
          rows={3}
          class="mono"
          value={jury}
          onInput={(event) => {
            setJury(event.currentTarget.value)
            change({ JuryList: toNames(event.currentTarget.value) })
          }}
        />
      </Field>
      <Field
        label="Staff"
        hint="Logins of the people who deliver balloons, one per line. They see no other jury pages."
      >
        <textarea
          rows={2}
          class="mono"
          value={staff}
          onInput={(event) => {
            setStaff(event.currentTarget.value)
            change({ StaffList: toNames(event.currentTarget.value) })
          }}
        />
      </Field>
    </section>
  )
}
