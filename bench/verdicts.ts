/** Verdicts are stable: the suite of hostile programs five times over, with every core loaded by other work. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { openCourt, suite } from '../test/executor/suite.ts'
import type { Row } from './table.ts'

const rounds = 5

export async function bench(): Promise<Row[]> {
  const busy = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['--eval', 'for (;;) {}'], { stdio: 'ignore' }),
  )
  const court = await openCourt({ slotCount: 4 })
  const ratios: number[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      let right = 0
      const waiting = [...suite]
      const work = async () => {
        for (let program = waiting.shift(); program; program = waiting.shift()) {
          const { result, tests } = await court.judge(program)
          if (result === program.result) right++
          else
            process.stderr.write(
              `${program.language}: ${program.name}: ${result}, ${JSON.stringify(tests.map((test) => ({ ...test, stderr: test.stderr.slice(0, 200) })))}\n`,
            )
        }
      }
      await Promise.all(Array.from({ length: 4 }, work))
      ratios.push(right / suite.length)
      process.stderr.write(`bench: verdicts, round ${round + 1}: ${right} of ${suite.length}\n`)
    }
  } finally {
    for (const each of busy) each.kill('SIGKILL')
    await court.close()
  }
  return [
    {
      what: `verdicts of ${suite.length} hostile programs, all cores loaded`,
      against: 'the verdicts they must get',
      ratios,
      goal: { atLeast: 1 },
    },
  ]
}
