/** `migration import FILE`: imports the archive of a user migration, made here or on another server. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Failure, OperatorError } from '../lib/failure.ts'
import { readSettings } from '../settings.ts'
import { defineCommand } from './command-line/command.ts'
import { withServices } from './command-line/with-services.ts'

export const migrationImport = defineCommand({
  name: 'migration import',
  summary: 'Brings the archive of a user migration into this server: all of it, or nothing.',
  words: ['FILE'],
  options: {
    owner: {
      type: 'string',
      hint: 'NAME',
      sentence: 'The owner of its repositories, instead of the one in the archive.',
    },
    users: {
      type: 'string',
      hint: 'PAIRS',
      sentence: 'Who of the archive is whom here, where the logins differ: ann:anna,cid:sid.',
    },
  },
  notes: [
    'Accounts are found by their logins. Those that are not here are made suspended, without a password: lift the',
    'suspension (DELETE /users/NAME/suspended) once it is known whose they are.',
  ],
  async run({ words: [given = ''], options, environment }) {
    const path = resolve(given)
    if (!existsSync(path)) throw new OperatorError(`There is no file ${path}.`)
    const logins = readPairs(options.users)
    const { baseUrl = '' } = readSettings(environment)
    await withServices(environment, async ({ forge: { imports } }) => {
      const outcome = await imports.importFile(path, { logins, owner: options.owner, origin: baseUrl }).catch(refuse)
      const repositories = await imports.readRepositories(outcome.repositoryIds)
      process.stdout.write(`${outcome.recordCount} records, ${repositories.length} repositories.\n`)
      for (const { owner, name } of repositories) process.stdout.write(`  ${owner}/${name}\n`)
    })
  },
})

function refuse(error: unknown): never {
  throw error instanceof Failure ? new OperatorError(`Nothing was imported. ${error.message}`) : error
}

function readPairs(text = ''): Record<string, string> {
  const pairs = text
    .split(',')
    .filter(Boolean)
    .map((pair) => pair.split(':'))
  if (pairs.some(([from, to, ...more]) => !from || !to || more.length > 0))
    throw new OperatorError('--users lists pairs of logins, as in ann:anna,cid:sid.')
  return Object.fromEntries(pairs)
}
