/** `serve`: runs the server until it is told to stop. */
import { setFlagsFromString } from 'node:v8'
import { listUnknownNames, readSettings } from '../settings.ts'
import { defineCommand } from './command.ts'

/**
 * By default V8 optimizes a function in full once it was called 3,000 times. A server has many that are called less often, and
 * answers with slower code for long after its start: pushes take a quarter less processor time with this.
 */
const earlyOptimization = '--invocation-count-for-turbofan=500'

export const serve = defineCommand({
  name: 'serve',
  summary: 'Serves until SIGTERM or SIGINT; npm start does this.',
  async run({ environment }) {
    const settings = readSettings(environment)
    setFlagsFromString(earlyOptimization)
    // It is loaded here, so that small commands need not load the whole server.
    const { serve } = await import('../main.ts')
    for (const name of listUnknownNames(environment)) {
      process.stderr.write(`guildhall: ${name} is no setting and is left aside: docs/settings.md lists them.\n`)
    }
    await serve(settings)
  },
})
