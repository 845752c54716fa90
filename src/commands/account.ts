/** `account add | list | passwd | role`: they change the database, so a running server sees the change at once. */
import { demandAccountRules } from '../accounts/account-rules.ts'
import { type Role, roles } from '../accounts/actor.ts'
import { OperatorError } from '../lib/failure.ts'
import { readPassword } from './account/new-password.ts'
import { alignColumns, showTime } from './command-line/columns.ts'
import { defineCommand } from './command-line/command.ts'
import { findUser, withServices } from './command-line/with-services.ts'

const passwordNote = [
  'The password is asked for at a terminal and read from the standard input otherwise (its first line);',
  'it can not be given on the command line, where every user of the machine could read it.',
]

const fromStdin = {
  type: 'boolean',
  sentence: 'Read the password from the standard input, at a terminal too.',
} as const

export const accountAdd = defineCommand({
  name: 'account add',
  summary: 'Creates an account.',
  words: ['NAME'],
  options: {
    role: { type: 'string', hint: 'ROLE', sentence: `One of ${roles.join(', ')}; contestant by default.` },
    'display-name': {
      type: 'string',
      hint: 'TEXT',
      sentence: 'The display name; the account name by default.',
    },
    'password-stdin': fromStdin,
  },
  notes: passwordNote,
  async run({ words: [name = ''], options, environment }) {
    const role = readRole(options.role ?? 'contestant')
    const displayName = options['display-name'] ?? name
    demandAccountRules({ name, displayName })
    const add = (password: string) =>
      withServices(environment, ({ accounts }) => accounts.insert({ name, displayName, role, password }), {
        mayBegin: true,
      })
    const account = await add(await readPassword(process.stdin, process.stderr, isPiped(options)))
    process.stdout.write(`Account ${account.id}: ${account.name}, ${account.role}.\n`)
  },
})

export const accountList = defineCommand({
  name: 'account list',
  summary: 'Lists every account, oldest first.',
  async run({ environment }) {
    const rows: string[][] = []
    await withServices(environment, async ({ accounts }) => {
      for await (const { id, name, role, displayName, createdAt } of accounts.walk()) {
        rows.push([String(id), name, role, showTime(createdAt), displayName])
      }
    })
    process.stdout.write(alignColumns(['ID', 'NAME', 'ROLE', 'MADE (UTC)', 'DISPLAY NAME'], rows))
  },
})

export const accountPasswd = defineCommand({
  name: 'account passwd',
  summary: 'Sets a password, ends all sessions of the account and lifts a lock-out; its tokens stay.',
  words: ['NAME'],
  options: { 'password-stdin': fromStdin },
  notes: passwordNote,
  async run({ words: [name = ''], options, environment }) {
    // Looks up the name first, so that a wrong one is reported before the password is typed twice.
    await withServices(environment, (services) => findUser(services, name))
    const password = await readPassword(process.stdin, process.stderr, isPiped(options))
    await withServices(environment, async (services) =>
      services.accounts.amend(await findUser(services, name), { password }),
    )
    process.stdout.write(`The password of ${name} is changed, and its sessions are ended.\n`)
  },
})

export const accountRole = defineCommand({
  name: 'account role',
  summary: `Gives an account a role: ${roles.join(', ')}.`,
  words: ['NAME', 'ROLE'],
  async run({ words: [name = '', given = ''], environment }) {
    const role = readRole(given)
    await withServices(environment, async (services) =>
      services.accounts.amend(await findUser(services, name), { role }),
    )
    process.stdout.write(`${name} is ${role} now.\n`)
  },
})

const isPiped = (options: { 'password-stdin'?: boolean }): boolean =>
  options['password-stdin'] === true || !process.stdin.isTTY

function readRole(given: string): Role {
  const role = roles.find((one) => one === given)
  if (!role) throw new OperatorError(`There is no role ${given}: choose from ${roles.join(', ')}.`)
  return role
}
