/** `import PATH --author NAME`: makes a problem from a problem package, which is a folder or a zip. */
import { actingFor } from '../../accounts/actor.ts'
import { OperatorError } from '../../lib/failure.ts'
import { defineCommand } from '../command-line/command.ts'
import { findUser, withServices } from '../command-line/with-services.ts'

export const importProblem = defineCommand({
  name: 'import',
  summary: 'Makes a problem of a Kattis or Polygon package on this machine, and lists what could not be carried over.',
  words: ['PATH'],
  options: {
    author: { type: 'string', hint: 'NAME', sentence: 'The author of the problem.', isRequired: true },
    'time-limit': {
      type: 'string',
      hint: 'MS',
      sentence: 'The time limit in milliseconds, in place of the package’s.',
    },
    'memory-limit': {
      type: 'string',
      hint: 'BYTES',
      sentence: 'The memory limit in bytes, in place of the package’s.',
    },
  },
  async run({ words: [path = ''], options, environment }) {
    const { uuid, displayName, testCount, notes } = await withServices(environment, async (services) => {
      const author = await findUser(services, options.author ?? '')
      const { limits, packages } = services.judge
      const timeLimitMs = readNumber('--time-limit', options['time-limit'], 1, limits.timeLimitMs)
      const least = limits.leastMemoryLimitBytes
      const memoryLimitBytes = readNumber('--memory-limit', options['memory-limit'], least, limits.memoryLimitBytes)
      return packages.importPackage(actingFor(author), path, {
        ...(timeLimitMs !== undefined && { timeLimitMs }),
        ...(memoryLimitBytes !== undefined && { memoryLimitBytes }),
      })
    })
    process.stdout.write(`Problem ${uuid}: ${displayName}, ${testCount} test cases.\n`)
    for (const note of notes) process.stdout.write(`  - ${note}\n`)
  },
})

function readNumber(name: string, given: string | undefined, least: number, most: number): number | undefined {
  if (given === undefined) return undefined
  const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
  if (value >= least && value <= most) return value
  throw new OperatorError(`${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(given)}.`)
}
