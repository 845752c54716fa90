/** Methods: a problem's judging prepared for one submission, which holds the programs of its checker and interactor. */
import { createHash } from 'node:crypto'
import { CheckerFault, type CheckerProgram, type CheckerSource } from '../checkers/checker-program.ts'
import type { CheckerPrograms, HeldChecker } from '../checkers/checker-programs.ts'
import type { RunOptions } from '../sandboxes/sandbox.ts'
import type { ProblemJudging } from './problem-judging.ts'
import type { JudgingMethod } from './test-case.ts'

export type HeldMethod = { readonly method: JudgingMethod; release(): void }

type Holder = { readonly owner?: RunOptions['owner']; readonly signal: AbortSignal }

/**
 * Depends only on the content: problems with the same checker share it, and other changes of a problem do not matter.
 */
function contentKey({ language, files }: CheckerSource): string {
  const hash = createHash('sha256').update(
    JSON.stringify([language, files.map(({ name, content }) => [name, content.length])]),
  )
  for (const { content } of files) hash.update(content)
  return hash.digest('base64')
}

/** Throws a `CheckerFault` if the checker or interactor is at fault. */
export async function obtainMethod(
  programs: CheckerPrograms,
  judging: ProblemJudging,
  holder: Holder,
): Promise<HeldMethod> {
  const held: HeldChecker[] = []
  const release = () => {
    for (const each of held) each.release()
  }
  const obtain = async (role: string, source: CheckerSource | null): Promise<CheckerProgram> => {
    if (!source) throw new CheckerFault(`The problem has no program of its ${role}.`)
    const one = await programs.obtain(contentKey(source), source, holder)
    held.push(one)
    return one.program
  }
  try {
    const { kind, arguments: words, source } = judging.checker
    const isBuiltIn = kind === 'lines' || kind === 'tokens'
    const checker = isBuiltIn
      ? { kind, arguments: words }
      : { kind, arguments: words, program: await obtain('checker', source) }
    const isTalking = judging.isInteractive && judging.interactor !== null
    const interactor = isTalking ? await obtain('interactor', judging.interactor) : null
    const { isInteractive, passLimit } = judging
    return { method: { isInteractive, passLimit, checker, interactor }, release }
  } catch (error) {
    release()
    throw error
  }
}
