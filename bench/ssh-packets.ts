/** The fuzzer of SSH for longer than a test: `npm run bench ssh-packets -- --minutes 10 [--seed S]`. Fails where the server does. */
import { parseArgs } from 'node:util'
import { shootAtSsh } from '../test/forge/ssh/packet-fuzzer.ts'
import { outcomeOf, readOver, startSshServer } from '../test/forge/ssh/ssh-server.ts'
import { makeLogLines } from '../test/support/log-lines.ts'
import type { Row } from './table.ts'

const asText = { type: 'string' } as const
const atOnce = 6
/** Until then everything has been loaded and compiled. */
const warmUp = 600

export async function bench(): Promise<readonly Row[]> {
  const { values } = parseArgs({ options: { minutes: asText, seed: asText }, allowPositionals: true })
  const seed = Number(values.seed ?? Date.now() % 2 ** 31)
  const minutes = Number(values.minutes ?? 5)
  process.stderr.write(`seed ${seed}, ${minutes} minutes\n`)
  const { log, lines } = makeLogLines('info')
  const hosted = await startSshServer('sqlite', { log })
  try {
    await hosted.start('tool')
    const key = await hosted.keyOf(hosted.ann)
    const target = { port: hosted.port, key: key.privateKey }
    const end = performance.now() + minutes * 60_000
    let before = 0
    let index = 0
    for (; performance.now() < end; index += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, (_, i) => shootAtSsh(seed, index + i, target)))
      await hosted.server.services.credentialLockout.lift('address:127.0.0.1')
      if (index >= warmUp && before === 0) before = process.memoryUsage.rss()
      if (index % 600 !== 0) continue
      const witness = await hosted.connect(key)
      const said = outcomeOf(await readOver(witness, 'ann/tool'))
      witness.end()
      if (said !== 'open') throw new Error(`after ${index} shots of seed ${seed} the server said: ${said}`)
    }
    const findings = lines.filter(({ level }) => level === 'error' || level >= 50)
    for (const finding of findings) process.stderr.write(`${JSON.stringify(finding)}\n`)
    if (findings.length > 0) process.exitCode = 1
    const ratios = [before === 0 ? 1 : process.memoryUsage.rss() / before]
    const note = `${findings.length} findings in ${index} shots of seed ${seed}`
    return [{ what: 'memory after it all', against: 'memory after the first shots', ratios, note }]
  } finally {
    await hosted.stop()
  }
}
