/** The model of notifications for longer than a test may take: `npm run bench notifications-model -- --steps=20000 --seed=7 --engine=sqlite`. */
import { randomInt } from 'node:crypto'
import { prepare, walk } from '../test/forge/notifications/model.ts'
import { type Engine, engines } from '../test/support/engines.ts'
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'
import { makeUser } from '../test/support/rest.ts'
import { startServer } from '../test/support/server.ts'
import { readOption } from './options.ts'
import type { Row } from './table.ts'

/** In one repository; then another begins. */
const stepsInOne = 500

export async function bench(): Promise<Row[]> {
  const steps = Number(readOption('steps') ?? 5_000)
  const seed = Number(readOption('seed') ?? randomInt(2 ** 31))
  const chosen = engines.filter((engine) => engine === (readOption('engine') ?? engine))
  if (chosen.includes('postgres')) await globalSetup()
  try {
    const rows: Row[] = []
    for (const engine of chosen) rows.push(await walkOn(engine, seed, steps))
    return rows
  } finally {
    if (chosen.includes('postgres')) await globalTeardown()
  }
}

async function walkOn(engine: Engine, seed: number, steps: number): Promise<Row> {
  const server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
  try {
    const [ann, bob] = [await makeUser(server, 'ann'), await makeUser(server, 'bob')]
    const clients = { ann, bob, cid: await makeUser(server, 'cid'), dan: await makeUser(server, 'dan') }
    let wrong = 0
    const walks = Math.ceil(steps / stepsInOne)
    for (let i = 0; i < walks; i++) {
      const repository = await prepare(clients, `walked-${i}`)
      const found = await walk(clients, { repository, seed: seed + i, steps: stepsInOne })
      if (found) process.stdout.write(`\n${found}\n`)
      if (found) wrong++
    }
    const what = `${walks * stepsInOne} steps in ${walks} repositories on ${engine}`
    const ratios = [(walks - wrong) / walks]
    return { what, against: 'the model of notifications', ratios, goal: { atLeast: 1 }, note: `seed ${seed}` }
  } finally {
    await server.stop()
  }
}
