/** `account import FILE`: makes a class's accounts from a list, with random passwords, which are printed this once. */
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { demandAccountRules } from '../../accounts/account-rules.ts'
import { type ClassEntry, readClassList } from '../../accounts/class-list.ts'
import { Failure, OperatorError } from '../../lib/failure.ts'
import { CsvError } from '../../lib/text/csv.ts'
import { decodeUtf8, notUtf8 } from '../../lib/text/utf8.ts'
import { defineCommand } from '../command-line/command.ts'
import { withServices } from '../command-line/with-services.ts'

const roles = ['contestant', 'problem_setter'] as const

export const accountImport = defineCommand({
  name: 'account import',
  summary: 'Creates the accounts of a class from a list, and prints them with generated passwords, as CSV.',
  words: ['FILE'],
  options: { role: { type: 'string', hint: 'ROLE', sentence: `One of ${roles.join(', ')}; contestant by default.` } },
  notes: [
    'Each line of FILE is a name to sign in with and, behind a comma, semicolon or tab (one of them for the whole list), the name to show.',
    'FILE may be - for the standard input. A name that is taken is left as it is and named on the standard error.',
  ],
  async run({ words: [path = ''], options, environment }) {
    const role = roles.find((one) => one === (options.role ?? 'contestant'))
    if (!role) throw new OperatorError(`The role of a class is one of ${roles.join(', ')}.`)
    const entries = readEntries(await readList(path))
    let refused = 0
    process.stdout.write('name,shown as,password\n')
    await withServices(environment, async ({ accounts }) => {
      for (const { name, displayName, password } of entries) {
        try {
          demandAccountRules({ name, displayName })
          await accounts.insert({ name, displayName, role, password })
          process.stdout.write(`${[name, displayName, password].map(toCell).join(',')}\n`)
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          refused++
          process.stderr.write(`${name}: ${error.message}\n`)
        }
      }
    })
    const made = entries.length - refused
    process.stderr.write(`${made} of ${entries.length} accounts were made. The passwords are shown only once.\n`)
    return refused > 0 ? 1 : 0
  },
})

async function readList(path: string): Promise<string> {
  const bytes = await (path === '-' ? buffer(process.stdin) : readFile(path)).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${path} can't be read: ${error.code}.`)
  })
  const list = decodeUtf8(bytes)
  if (list === undefined) throw new OperatorError(`${path === '-' ? 'The standard input' : path} is ${notUtf8}.`)
  return list
}

function readEntries(list: string): ClassEntry[] {
  try {
    const entries = readClassList(list)
    if (entries.length === 0) throw new OperatorError('The list is empty: write a name on each line.')
    return entries
  } catch (error) {
    if (error instanceof CsvError) throw new OperatorError(`Line ${error.line}: ${error.message}`)
    throw error
  }
}

const toCell = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
