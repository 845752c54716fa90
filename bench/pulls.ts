/** Pulls: merges, comments and pushes under kills in a loop (`--kills=20`), for longer than a test may take. */
import { killMerges } from '../test/forge/pulls/killed-merges.ts'
import { readOption } from './options.ts'
import type { Row } from './table.ts'

export async function bench(): Promise<Row[]> {
  const kills = Number(readOption('kills') ?? 20)
  const drops: (() => Promise<unknown>)[] = []
  try {
    const note = await killMerges('sqlite', kills, (drop) => drops.push(drop))
    return [
      {
        what: `${kills} kills during merges, comments and pushes`,
        against: 'what was answered is there, git fsck is clean',
        ratios: [1],
        goal: { atLeast: 1 },
        note,
      },
    ]
  } finally {
    for (const drop of drops.reverse()) await drop()
  }
}
