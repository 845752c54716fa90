/** The arguments that the checker is called with for one test, in place of its own. */
import { findTokensFault } from '../../../src/lib/judging-rules/token-arguments.ts'
import { Fault } from '../../api/fault.ts'
import type { CheckerKind, TestCaseJudging } from '../../api/judging.ts'
import { Field } from '../../parts/form.tsx'
import { splitLines } from '../judging/judging-draft.ts'

/** Checkers that take any. */
export type CalledKind = Exclude<CheckerKind, 'lines'>

/** One a line; null: the checker's own. */
export type TestWords = string | null

export const toTestWords = (judging: TestCaseJudging | undefined): TestWords =>
  judging?.ArgumentList?.join('\n') ?? null

/** Throws where the comparison could not read them. */
export function toArgumentChange(kind: CalledKind, words: TestWords): Pick<TestCaseJudging, 'ArgumentList'> {
  const list = words === null ? null : splitLines(words)
  const wrong = kind === 'tokens' && list ? findTokensFault(list) : undefined
  if (wrong !== undefined) throw new Fault(0, `The comparison word by word ${wrong}.`)
  return { ArgumentList: list }
}

const hints: Readonly<Record<CalledKind, string>> = {
  tokens: 'One word per line, such as float_tolerance and then 1e-6. Empty: words are compared exactly.',
  kattis: 'One per line. Empty: no arguments.',
  testlib: 'One per line. Empty: no arguments.',
}

type Props = { readonly kind: CalledKind; readonly words: TestWords; change(words: TestWords): void }

export const ArgumentFields = ({ kind, words, change }: Props) => (
  <>
    <label class="check">
      <input
        type="checkbox"
        checked={words !== null}
        onChange={(event) => change(event.currentTarget.checked ? '' : null)}
      />
      This test has its own arguments for the {kind === 'tokens' ? 'comparison' : 'checker'}
    </label>
    {words !== null && (
      <Field label="Arguments for this test" hint={hints[kind]}>
        <textarea class="mono" rows={2} value={words} onInput={(event) => change(event.currentTarget.value)} />
      </Field>
    )}
  </>
)
