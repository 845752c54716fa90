/** The command line. Every command is registered in this list. */
import { accountImport } from './commands/account/account-import.ts'
import { accountAdd, accountList, accountPasswd, accountRole } from './commands/account.ts'
import { adopt } from './commands/adopt.ts'
import { backup } from './commands/backup.ts'
import type { Command } from './commands/command-line/command.ts'
import { runCommandLine } from './commands/command-line/command-line.ts'
import { contestCheck, contestStart } from './commands/contest/contest.ts'
import { contestImport } from './commands/contest/contest-import.ts'
import { contestExport } from './commands/contest/export.ts'
import {
  datasetCopy,
  datasetDelete,
  datasetIndex,
  datasetInfo,
  datasetList,
  datasetTruncate,
} from './commands/dataset.ts'
import { doctor } from './commands/doctor.ts'
import { executor } from './commands/executor.ts'
import { grades } from './commands/grades.ts'
import { lockoutLift, lockoutList } from './commands/lockout.ts'
import { migrationImport } from './commands/migration.ts'
import { exportItems } from './commands/problem/export.ts'
import { problemCheck, problemExport, problemImport } from './commands/problem/problem.ts'
import { importProblem } from './commands/problem/problem-import.ts'
import { problemJudging } from './commands/problem/problem-judging.ts'
import { problems } from './commands/problem/problems.ts'
import { push } from './commands/problem/push.ts'
import { restore } from './commands/restore.ts'
import { serve } from './commands/serve.ts'
import { status, submit } from './commands/submit.ts'
import { tokenAdd, tokenList, tokenRevoke } from './commands/token.ts'

const commands: readonly Command[] = [
  serve,
  executor,
  accountAdd,
  accountImport,
  accountList,
  accountPasswd,
  accountRole,
  tokenAdd,
  tokenList,
  tokenRevoke,
  lockoutList,
  lockoutLift,
  submit,
  status,
  problems,
  problemJudging,
  problemImport,
  problemExport,
  problemCheck,
  importProblem,
  contestImport,
  contestExport,
  contestCheck,
  contestStart,
  grades,
  migrationImport,
  backup,
  restore,
  adopt,
  doctor,
  push,
  exportItems,
  datasetList,
  datasetInfo,
  datasetIndex,
  datasetDelete,
  datasetTruncate,
  datasetCopy,
]

// The reader of the output may stop (`… | head`), which is no error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(1))

const code = await runCommandLine(commands, process.argv.slice(2), process.env, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
})
// A pipe may still buffer output; the callback of an empty write tells that all of it was flushed.
for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write('', resolve))
process.exit(code)
