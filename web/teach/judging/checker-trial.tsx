/** Tries a checker or an interactor as soon as it is saved, so that its author sees a fault before students do. */
import type { CheckerLanguage } from '../../../src/lib/judging-rules/checker-sources.ts'
import type { Program } from '../../api/judging.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { isOwnChecker, type JudgingDraft } from './judging-draft.ts'

/** Programs that do nothing: a checker has to compile for any of them. */
const idle: Readonly<Record<CheckerLanguage, string>> = {
  c: 'int main(void) { return 0; }\n',
  cpp: 'int main() { return 0; }\n',
  java: 'public class Main { public static void main(String[] words) {} }\n',
  python: 'pass\n',
}

const judgeFailure = 9

/** The checker's or the interactor's; undefined if neither is a program of the author. */
export const findOwnProgram = ({ kind, checker, talks, interactor }: JudgingDraft): Program | undefined =>
  (isOwnChecker(kind) ? checker : null) ?? (talks === 'interactor' ? interactor : null) ?? undefined

/** `turn` is another one after each save. */
export function CheckerTrial({ uuid, program, turn }: { uuid: string; program: Program; turn: number }) {
  const { Language } = program
  const tried = useLoad(`checker of ${uuid} ${turn}`, () =>
    call('run_program', { ProblemUUID: uuid, Content: idle[Language], Language }),
  )
  return (
    <div role="status">
      {tried.value ? (
        <Outcome result={tried.value.Result} message={tried.value.JudgeMessage} />
      ) : (
        <p class="soft small">
          {tried.error === undefined
            ? 'Trying the checker …'
            : 'The checker could not be tried. Submit a solution to see whether it works.'}
        </p>
      )}
    </div>
  )
}

function Outcome({ result, message }: { result: number; message: string | undefined }) {
  if (result !== judgeFailure) return <p class="soft small">The checker compiles and ran on the examples.</p>
  return (
    <div class="notice bad">
      <div>
        <p>
          {message
            ? 'The checker or interactor does not work:'
            : 'The checker or interactor failed on an example, with a program that prints nothing.'}
        </p>
        {message && <pre tabIndex={0}>{message}</pre>}
      </div>
    </div>
  )
}
