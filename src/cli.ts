/** The command line: serve | executor | account | token | import | backup | doctor. */
import { OperatorError } from './base/failure.ts'
import { serve } from './main.ts'
import { readSettings } from './settings.ts'

try {
  const [command = 'serve'] = process.argv.slice(2)
  if (command === 'serve') await serve(readSettings(process.env))
  else throw new OperatorError(`There is no command ${command}.`)
} catch (error) {
  if (!(error instanceof OperatorError)) throw error
  process.stderr.write(`guildhall: ${error.message}\n`)
  process.exit(1)
}
