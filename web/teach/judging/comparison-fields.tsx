/** What decides whether an output is right: a comparison that is built in, or a checker of one's own. */
import type { CheckerKind } from '../../api/judging.ts'
import { Field } from '../../parts/form.tsx'
import { RadioChoice } from '../../parts/radio-choice.tsx'
import { isOwnChecker, type JudgingDraft, mayPassAgain } from './judging-draft.ts'
import { ProgramField } from './program-field.tsx'

type Props = { readonly draft: JudgingDraft; change(part: Partial<JudgingDraft>): void }

const kinds: readonly (readonly [kind: CheckerKind, name: string, hint: string])[] = [
  ['lines', 'Line by line', 'All counts but blanks at the ends of lines, and blank lines at the end.'],
  ['tokens', 'Word by word', 'What stands between blanks is compared; numbers may differ a little.'],
  ['testlib', 'A testlib checker', 'A program that is called with the input, the output and the answer.'],
  ['kattis', 'A Kattis output validator', 'A program that reads the output, and ends with 42 or 43.'],
]

export const ComparisonFields = ({ draft, change }: Props) => (
  <section class="card" aria-labelledby="comparison">
    <h2 id="comparison">When an output is right</h2>
    <RadioChoice
      legend="Compared"
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
      <span>Upper and lower case differ: YES is not yes</span>
    </label>
    <label class="check">
      <input
        type="checkbox"
        checked={draft.isSpaceSensitive}
        onChange={(event) => change({ isSpaceSensitive: event.currentTarget.checked })}
      />
      <span>Blanks must be the same, too</span>
    </label>
    <div class="pair">
      <Field label="Absolute tolerance of numbers" hint="Such as 1e-6. Empty: none.">
        <input
          inputMode="decimal"
          pattern={number}
          title="A number such as 0.001 or 1e-6"
          value={draft.absolute}
          onInput={(event) => change({ absolute: event.currentTarget.value })}
        />
      </Field>
      <Field label="Relative tolerance of numbers" hint="With both, a number within either is right.">
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
          ? 'Sources in C, C++, Python or Java, with testlib.h where they include it.'
          : 'Sources in C, C++, Python or Java.'
      }
      program={draft.checker}
      change={(checker) => change({ checker })}
    />
    <Field label="Arguments of the checker" hint="One a line. A test may have its own instead.">
      <textarea
        class="mono"
        rows={2}
        value={draft.words}
        onInput={(event) => change({ words: event.currentTarget.value })}
      />
    </Field>
    {mayPassAgain(draft) && (
      <Field label="Passes at most" hint="Above 1, the validator may ask for another run of the program.">
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
      legend="A program"
      name="talks"
      value={draft.talks}
      options={[
        ['no', 'Reads its input and prints', 'Nobody answers it.'],
        ...(draft.kind === 'kattis'
          ? ([['checker', 'Talks to the Kattis output validator', 'Which is the other side itself.']] as const)
          : []),
        ['interactor', 'Talks to a testlib interactor', 'What that writes is then compared as above.'],
      ]}
      choose={(talks) => change({ talks })}
    />
    {draft.talks === 'interactor' && (
      <ProgramField
        what="interactor"
        hint="Sources in C, C++, Python or Java, with testlib.h where they include it."
        program={draft.interactor}
        change={(interactor) => change({ interactor })}
      />
    )}
  </section>
)
