/**
 * Contests: how soon a large board is built, what a finished submission costs more in a contest, and a contest with its readers
 * and feeds: `npm run bench contest -- --engine postgres --teams 5000 --minutes 2 --readers 2000 --feeds 300`. With no teams
 * or no minutes that part is left out; `--checkout FOLDER` runs the servers of another version.
 */

import type { Engine } from '../test/support/engines.ts'
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'
import { makeStandings } from './contest/large-board.ts'
import { runContest } from './contest/live-contest.ts'
import { readOption } from './options.ts'
import type { Row } from './table.ts'

const numberOf = (name: string, unless: number) => Number(readOption(name) ?? unless)

export async function* bench(): AsyncGenerator<Row> {
  const engine = (readOption('engine') ?? 'sqlite') as Engine
  // Two servers share one PostgreSQL.
  await globalSetup()
  try {
    const [teams, submissions] = [numberOf('teams', 5_000), numberOf('submissions', 200_000)]
    if (teams > 0) yield* makeStandings(engine, { teams, submissions })
    if (numberOf('minutes', 2) === 0) return
    yield* runContest({
      minutes: numberOf('minutes', 2),
      teams: numberOf('live-teams', 200),
      submissions: numberOf('live-submissions', 4_000),
      readers: numberOf('readers', 2_000),
      feeds: numberOf('feeds', 300),
      checkout: readOption('checkout'),
    })
  } finally {
    await globalTeardown()
  }
}
