/** In every test file's process: one that still runs when its tests are over names what holds it, instead of holding up the run. */
import { after } from 'node:test'

const graceMs = 30_000

after(() => {
  setTimeout(() => {
    process.stderr.write(
      `${process.argv[1]} does not end. Held open by: ${process.getActiveResourcesInfo().join(', ')}\n`,
    )
    process.exit(1)
  }, graceMs).unref()
})
