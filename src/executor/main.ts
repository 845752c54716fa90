/** The process of the built-in executor, which takes the options of `guildhall executor`. */
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
  // With 1 it is not started again: there will be room again, unlike what a machine can't do.
  process.exit(isShort ? 75 : 1)
}
