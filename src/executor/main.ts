/** The process of the built-in executor, with the options of `guildhall executor`. */
import { OperatorError } from '../lib/failure.ts'
import { runExecutorCommand } from './command.ts'
import { SandboxFailure } from './sandboxes/sandbox.ts'
import { isShortage } from './sandboxes/shortage.ts'

try {
  await runExecutorCommand(process.argv.slice(2), process.env)
  process.exit(0)
} catch (error) {
  const isShort = isShortage(error)
  if (!(isShort || error instanceof OperatorError || error instanceof SandboxFailure)) throw error
  process.stderr.write(`guildhall: ${(error as Error).message}\n`)
  // After 1 it is not restarted; 75 means a shortage that will pass, unlike what a machine can't do.
  process.exit(isShort ? 75 : 1)
}
