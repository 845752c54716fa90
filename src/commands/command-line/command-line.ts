/**
 * Parses the arguments of the command line and runs the command. Exit codes: 0 done, 1 refused or failed, 2 usage
 * error.
 */
import { parseArgs } from 'node:util'
import { Failure, OperatorError } from '../../lib/failure.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import { type Command, describeUsage } from './command.ts'

export type Terminal = { out(text: string): void; err(text: string): void }

/** The arguments are wrong: the message is shown with the usage. */
class UsageError extends Error {
  readonly command: Command | undefined
  constructor(message: string, command?: Command) {
    super(message)
    this.command = command
  }
}

export async function runCommandLine(
  commands: readonly Command[],
  given: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<number> {
  try {
    const asked = readHelp(given)
    if (asked) {
      terminal.out(describe(commands, asked))
      return 0
    }
    const command = findCommand(commands, given)
    const invocation = parse(command, given.slice(command.name.split(' ').length))
    return (await command.run({ ...invocation, environment })) ?? 0
  } catch (thrown) {
    const error = explainOutage(thrown)
    if (error instanceof UsageError) {
      const usage = error.command ? `usage: ${describeUsage(error.command)}` : describe(commands, []).trimEnd()
      terminal.err(`guildhall: ${error.message}\n${usage}\n`)
      return 2
    }
    if (!(error instanceof OperatorError) && !(error instanceof Failure)) throw error
    terminal.err(`guildhall: ${error.message}\n`)
    return 1
  }
}

/** Answers the words that help was requested for: `help`, `help account`, `account --help`, `account add -h`. */
function readHelp(given: readonly string[]): readonly string[] | undefined {
  const end = given.indexOf('--')
  const own = end < 0 ? given : given.slice(0, end)
  if (own[0] === 'help') return own.slice(1)
  if (!own.some((word) => word === '--help' || word === '-h')) return undefined
  return own.filter((word) => !word.startsWith('-')).slice(0, 2)
}

function findCommand(commands: readonly Command[], given: readonly string[]): Command {
  const found = [2, 1]
    .map((count) => commands.find(({ name }) => name === given.slice(0, count).join(' ')))
    .find(Boolean)
  if (found) return found
  if (given.length === 0) throw new UsageError('Name a command.')
  const group = commands.filter(({ name }) => name.startsWith(`${given[0]} `))
  if (group.length > 0) {
    throw new UsageError(`Name one of its commands: ${group.map(({ name }) => name).join(', ')}.`, group[0])
  }
  throw new UsageError(`There is no command ${given[0]}.`)
}

function parse(command: Command, rest: readonly string[]) {
  const { words, options } = command
  const parsed = parseWords(command, rest)
  const missing = words.slice(parsed.positionals.length).filter((word) => !word.startsWith('['))
  if (missing.length > 0)
    throw new UsageError(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`, command)
  if (parsed.positionals.length > words.length) throw new UsageError('There are too many arguments.', command)
  for (const [name, { isRequired }] of Object.entries(options)) {
    if (isRequired && parsed.values[name] === undefined) throw new UsageError(`--${name} is missing.`, command)
  }
  return { words: parsed.positionals, options: parsed.values as Record<string, string & boolean> }
}

function parseWords(command: Command, rest: readonly string[]) {
  const options = Object.fromEntries(Object.entries(command.options).map(([name, { type }]) => [name, { type }]))
  try {
    return parseArgs({ args: [...rest], options, allowPositionals: true, strict: true })
  } catch (error) {
    // The first sentence of Node's message names the fault; the rest is about quoting.
    const { code, message } = error as NodeJS.ErrnoException
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error
    throw new UsageError(`${message.split(/[.\n]/)[0]}.`, command)
  }
}

function describe(commands: readonly Command[], asked: readonly string[]): string {
  const wanted = asked.join(' ')
  const one = commands.find(({ name }) => name === wanted) ?? commands.find(({ name }) => name === asked[0])
  if (one) return describeOne(one)
  const group = commands.filter(({ name }) => name.startsWith(`${asked[0]} `))
  if (asked.length > 0 && group.length === 0) throw new UsageError(`There is no command ${wanted}.`)
  const list = group.length > 0 ? group : commands
  const width = Math.max(...list.map(({ name }) => name.length))
  return [
    'usage: npm run guildhall -- COMMAND [WORDS] [OPTIONS]',
    '',
    ...list.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'COMMAND --help describes a command. Settings are environment variables: see docs/settings.md.',
    '',
  ].join('\n')
}

function describeOne(command: Command): string {
  const options = Object.entries(command.options).map(([name, { hint, sentence }]) => [
    `--${name}${hint ? ` ${hint}` : ''}`,
    sentence,
  ])
  const width = Math.max(0, ...options.map(([spelled]) => spelled!.length))
  return [
    `usage: ${describeUsage(command)}`,
    '',
    command.summary,
    ...(options.length > 0 ? ['', ...options.map(([spelled, says]) => `  ${spelled!.padEnd(width)}  ${says}`)] : []),
    ...(command.notes ? ['', ...command.notes] : []),
    '',
  ].join('\n')
}
