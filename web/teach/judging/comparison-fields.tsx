/** How an output is checked: a built-in comparison, or a custom checker. */
import type { CheckerKind } from '../../api/judging.ts'
import { Field } from '../../parts/form.tsx'
import { RadioChoice } from '../../parts/radio-choice.tsx'
import { isOwnChecker, type JudgingDraft, mayPassAgain } from './judging-draft.ts'
import { ProgramField } from './program-field.tsx'

type Props = { readonly draft: JudgingDraft; change(part: Partial<JudgingDraft>): void }

const kinds: readonly (readonly [kind: CheckerKind, name: string, hint: string])[] = [
  ['lines', 'Line by line', 'Compares everything except spaces at line ends and blank lines at the end.'],
  ['tokens', 'Word by word', 'Compares words; numbers may differ within a tolerance.'],
  ['testlib', 'A testlib checker', 'A program that gets the input, the output and the answer.'],
  ['kattis', 'A Kattis output validator', 'A program that reads the output and exits with 42 or 43.'],
]

export const ComparisonFields = ({ draft, change }: Props) => (
  <section class="card" aria-labelledby="comparison">
    <h2 id="comparison">Checking the output</h2>
    <RadioChoice
      legend="Comparison"
      name="kind"
      value={draft.kind}
      options={kinds}
      choose={(kind) =>
        change({ kind, ...(kind !== 'kattis' && draft.talks === 'checker' && { talks: 'no' as const }) })
      }
    />
    {draft.kind === 'tokens' && <TokenFields draft={draft} change={change} />}
    {isOwnChecker(draft.kind) && <CheckerFields draft={draft} change={change} />}
  </section>
)

const number = '[0-9]*[.]?[0-9]*([eE][+\\-]?[0-9]+)?'

const TokenFields = ({ draft, change }: Props) => (
  <>
    <label class="check">
      <input
        type="checkbox"
        checked={draft.isCaseSensitive}
        onChange={(event) => change({ isCaseSensitive: event.currentTarget.checked })}
      />
      <span>Case-sensitive: YES is not yes</span>
    </label>
    <label class="check">
      <input
        type="checkbox"
        checked={draft.isSpaceSensitive}
        onChange={(event) => change({ isSpaceSensitive: event.currentTarget.checked })}
      />
      <span>Spaces must match exactly</span>
    </label>
    <div class="pair">
      <Field label="Absolute tolerance" hint="Such as 1e-6. Empty: none.">
        <input
          inputMode="decimal"
          pattern={number}
          title="A number such as 0.001 or 1e-6"
          value={draft.absolute}
          onInput={(event) => change({ absolute: event.currentTarget.value })}
        />
      </Field>
      <Field label="Relative tolerance" hint="If both are given, one is enough.">
        <input
          inputMode="decimal"
          pattern={number}
          title="A number such as 0.001 or 1e-6"
          value={draft.relative}
          onInput={(event) => change({ relative: event.currentTarget.value })}
        />
      </Field>
    </div>
  </>
)

const CheckerFields = ({ draft, change }: Props) => (
  <>
    <ProgramField
      what="checker"
      hint={
        draft.kind === 'testlib'
          ? 'Sources in C, C++, Python or Java. testlib.h is provided.'
          : 'Sources in C, C++, Python or Java.'
      }
      program={draft.checker}
      change={(checker) => change({ checker })}
    />
    <Field label="Checker arguments" hint="One per line. A test can have its own.">
      <textarea
        class="mono"
        rows={2}
        value={draft.words}
        onInput={(event) => change({ words: event.currentTarget.value })}
      />
    </Field>
    {mayPassAgain(draft) && (
      <Field label="Maximum passes" hint="Above 1, the validator can ask for another run.">
        <input
          type="number"
          min={1}
          max={100}
          required
          value={draft.passLimit}
          onInput={(event) => change({ passLimit: event.currentTarget.value })}
        />
      </Field>
    )}
  </>
)

export const InteractionFields = ({ draft, change }: Props) => (
  <section class="card" aria-labelledby="interaction">
    <h2 id="interaction">Interaction</h2>
    <RadioChoice
      legend="The program"
      name="talks"
      value={draft.talks}
      options={[
        ['no', 'Reads input and prints output', 'No interaction.'],
        ...(draft.kind === 'kattis'
          ? ([['checker', 'Talks to the Kattis output validator', 'The validator plays the other side.']] as const)
          : []),
        ['interactor', 'Talks to a testlib interactor', 'The interactor’s output is checked as chosen above.'],
      ]}
      choose={(talks) => change({ talks })}
    />
    {draft.talks === 'interactor' && (
      <ProgramField
        what="interactor"
        hint="Sources in C, C++, Python or Java. testlib.h is provided."
        program={draft.interactor}
        change={(interactor) => change({ interactor })}
      />
    )}
  </section>
)
