/** The process of the built-in executor, which takes the options of `guildhall executor`. */
import { OperatorError } from '../base/failure.ts'
import { runExecutorCommand } from './command.ts'
import { SandboxFailure } from './sandboxes/sandbox.ts'

try {
  await runExecutorCommand(process.argv.slice(2), process.env)
  process.exit(0)
} catch (error) {
  if (!(error instanceof OperatorError || error instanceof SandboxFailure)) throw error
  process.stderr.write(`guildhall: ${error.message}\n`)
  process.exit(1)
}
