/** Whether a testlib checker accepts the test's group, and the arguments for it. */
import { groupWord } from '../../lib/judging-rules/checker-arguments.ts'
import type { Program } from '../problem-judging/judging.ts'

export const groupArguments: readonly string[] = ['--group', groupWord]

/**
 * Since 0.9.35 testlib.h accepts a group for checkers; before, only for validators, and an extra argument is an error.
 */
export const takesGroup = ({ files }: Program): boolean =>
  files.some(({ content }) => Buffer.from(content).includes('checker.setGroup('))
