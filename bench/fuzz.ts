/** The crash and bounds fuzzer for longer than a test: `npm run bench fuzz -- --minutes 10 [--seed S] [--only N] [--engine postgres]`. */
import { parseArgs } from 'node:util'
import { fuzz } from '../test/fuzz/fuzzer.ts'
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'
import type { Row } from './table.ts'

const asText = { type: 'string' } as const

export async function bench(): Promise<readonly Row[]> {
  const { values } = parseArgs({
    options: { minutes: asText, seed: asText, only: asText, engine: asText },
    allowPositionals: true,
  })
  const engine = values.engine === 'postgres' ? 'postgres' : 'sqlite'
  const seed = Number(values.seed ?? Date.now() % 2 ** 31)
  const minutes = Number(values.minutes ?? 5)
  process.stderr.write(`seed ${seed}, ${minutes} minutes, ${engine}\n`)
  if (engine === 'postgres') await globalSetup()
  try {
    const only = values.only === undefined ? undefined : Number(values.only)
    const { shots, statuses, findings, before, after } = await fuzz({ engine, seed, forMs: minutes * 60_000, only })
    for (const finding of findings) process.stderr.write(`${finding}\n\n`)
    process.stderr.write(`${shots} shots: ${JSON.stringify(statuses)}\n`)
    if (findings.length > 0) process.exitCode = 1
    const note = `${findings.length} findings in ${shots} shots of seed ${seed}`
    const ratios = [after.residentBytes / before.residentBytes]
    return [{ what: 'memory after it all', against: 'memory after the first shots', ratios, note }]
  } finally {
    if (engine === 'postgres') await globalTeardown()
  }
}
