/** `migration import FILE`: imports the archive of a user migration, of a server of this kind or the public platform. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ImportSummary } from '../forge/migrations/import/import-summary.ts'
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
    preview: { type: 'boolean', sentence: 'Only checks the archive, and says what would be made and left out.' },
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
      const isPreview = options.preview === true
      const asked = { logins, owner: options.owner, origin: baseUrl, isPreview }
      const { summary } = await imports.importFile(path, asked).catch(refuse)
      process.stdout.write(describeSummary(summary, isPreview))
    })
  },
})

function describeSummary(summary: ImportSummary, isPreview: boolean): string {
  const { from, repositories, recordCount, leftOut, newAccounts, newAccountCount } = summary
  const counts = Object.entries(summary.counts).map(([type, count]) => `  ${count} ${type.replaceAll('_', ' ')}`)
  const more = newAccountCount > newAccounts.length ? [`  and ${newAccountCount - newAccounts.length} more`] : []
  const lines = [
    `${isPreview ? 'Nothing was written. It would bring' : 'Imported'} from ${from}: ${recordCount} records, ${repositories.length} repositories.`,
    ...[...repositories.map((name) => `  ${name}`), ...counts],
    ...(newAccountCount > 0 ? ['New accounts, suspended:', ...newAccounts.map((login) => `  ${login}`), ...more] : []),
    ...(leftOut.length > 0 ? ['Left out:', ...leftOut.map(([what, count]) => `  ${count} ${what}`)] : []),
  ]
  return `${lines.join('\n')}\n`
}

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
