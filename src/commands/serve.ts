/** `serve`: runs the server until it is told to stop. */
import { listUnknownNames, readSettings } from '../settings.ts'
import { defineCommand } from './command-line/command.ts'

export const serve = defineCommand({
  name: 'serve',
  summary: 'Serves until SIGTERM or SIGINT; npm start does this.',
  async run({ environment }) {
    const settings = readSettings(environment)
    // Loaded here, so that small commands need not load the whole server.
    const { serve } = await import('../main.ts')
    for (const name of listUnknownNames(environment)) {
      process.stderr.write(`guildhall: ${name} is not a setting and is left aside: docs/settings.md lists them.\n`)
    }
    await serve(settings)
  },
})
