/** Chaos for longer than a test may take: `npm run bench chaos -- --minutes 30 --seed 7`. */
import { randomInt } from 'node:crypto'
import { findLanguage, runChaos } from '../test/chaos/chaos.ts'
import { readOption } from './options.ts'
import type { Row } from './table.ts'

export async function bench(): Promise<Row[]> {
  const found = findLanguage()
  if ('reason' in found) throw new Error(`Nothing can be judged here: ${found.reason}.`)
  const minutes = Number(readOption('minutes') ?? 5)
  const seed = Number(readOption('seed') ?? randomInt(2 ** 31))
  process.stderr.write(`chaos: ${minutes} minutes, --seed ${seed}\n`)
  const tell = (line: string) => process.stderr.write(`${line}\n`)
  const { findings, work, canBeFull } = await runChaos({ seed, minutes, language: found.language, tell })
  for (const finding of findings) process.stdout.write(`${finding}\n`)
  return [
    {
      what: `${minutes} minutes of faults`,
      against: 'what was answered, exactly once, and nothing left',
      ratios: [findings.length],
      goal: { atMost: 0 },
      note: `seed ${seed}; ${work}${canBeFull ? '' : '; no full disk, for none can be mounted here'}`,
    },
  ]
}
