/** Whether a checker of testlib takes the test's group, and the arguments by which it does. */
import { groupWord } from '../../lib/judging-rules/checker-arguments.ts'
import type { Program } from '../problem-judging/judging.ts'

export const groupArguments: readonly string[] = ['--group', groupWord]

/** Since 0.9.35 testlib.h takes the group of a checker; before, only that of a validator, and any further word is refused. */
export const takesGroup = ({ files }: Program): boolean =>
  files.some(({ content }) => Buffer.from(content).includes('checker.setGroup('))
