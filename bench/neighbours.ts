/** `npm run bench neighbours -- --runs=1000`: a correct program at 80 % of its time limit beside hostile neighbours. */
import { judgeBesideNeighbours } from '../test/executor/neighbours.ts'
import { openCourt } from '../test/executor/suite.ts'
import { readOption } from './options.ts'
import type { Row } from './table.ts'

export async function bench(): Promise<Row[]> {
  const runs = Number(readOption('runs') ?? 100)
  const court = await openCourt({ slotCount: 2 }, ['c'])
  try {
    const { right, wrong } = await judgeBesideNeighbours(court, runs)
    for (const each of wrong) process.stderr.write(`bench: ${JSON.stringify(each)}\n`)
    return [
      {
        what: `right verdicts of ${runs} runs at 80 % of the time limit beside hostile neighbours`,
        against: 'all of them',
        ratios: [right / runs],
        goal: { atLeast: 1 },
      },
    ]
  } finally {
    await court.close()
  }
}
