/** The model of the rights for longer than a test may take: `npm run bench rights -- --steps=50000 --seed=7 --engine=sqlite`. */
import { randomInt } from 'node:crypto'
import { makeManualClock } from '../src/lib/clock.ts'
import { describeFinding, explore } from '../test/forge/rights/exploring.ts'
import { isKnown } from '../test/forge/rights/known-breaches.ts'
import { type Engine, engines } from '../test/support/engines.ts'
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'
import { startServer } from '../test/support/server.ts'
import type { Row } from './table.ts'

const option = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)

export async function bench(): Promise<Row[]> {
  const steps = Number(option('steps') ?? 20_000)
  const seed = Number(option('seed') ?? randomInt(2 ** 31))
  const chosen = engines.filter((engine) => engine === (option('engine') ?? engine))
  if (chosen.includes('postgres')) await globalSetup()
  try {
    const rows: Row[] = []
    for (const engine of chosen) rows.push(await exploreOn(engine, seed, steps))
    return rows
  } finally {
    if (chosen.includes('postgres')) await globalTeardown()
  }
}

async function exploreOn(engine: Engine, seed: number, steps: number): Promise<Row> {
  const clock = makeManualClock(Date.now())
  const server = await startServer(engine, { clock, environment: { GUILDHALL_LIMITS: 'off' } })
  try {
    const { findings, steps: done, worlds } = await explore(server, clock, { seed, steps, isKnown, findings: 20 })
    for (const finding of findings) process.stdout.write(`\n${describeFinding(finding)}\n`)
    return {
      what: `${done} steps in ${worlds} worlds on ${engine}`,
      against: 'the model of the rights',
      ratios: [(done - findings.length) / done],
      goal: { atLeast: 1 },
      note: `seed ${seed}`,
    }
  } finally {
    await server.stop()
  }
}
