/** `lockout list | lift`: lists who is locked out after too many wrong credentials, and lifts lock-outs. */
import { theServer } from '../accounts/actor.ts'
import { OperatorError } from '../lib/failure.ts'
import { alignColumns, showTime } from './command-line/columns.ts'
import { defineCommand } from './command-line/command.ts'
import { withServices } from './command-line/with-services.ts'

export const lockoutList = defineCommand({
  name: 'lockout list',
  summary: 'Lists who is locked out after too many wrong credentials: names and addresses.',
  async run({ environment }) {
    const all = await withServices(environment, ({ lockouts }) => lockouts.list())
    process.stdout.write(
      alignColumns(
        ['WHO', 'KEY', 'UNTIL (UTC)'],
        all.map(({ who, key, until }) => [who, key, showTime(until)]),
      ),
    )
  },
})

export const lockoutLift = defineCommand({
  name: 'lockout lift',
  summary: 'Lifts a lock-out: of a login, an address, or a key that lockout list shows.',
  words: ['WHO'],
  async run({ words: [who = ''], environment }) {
    const wasLifted = await withServices(environment, ({ lockouts }) => lockouts.lift(theServer, who))
    if (!wasLifted) throw new OperatorError(`${who} is not locked out: lockout list shows who is.`)
    process.stdout.write(`${who} is no longer locked out.\n`)
  },
})
