/** `lockout list | lift`: who is locked out after too many wrong credentials, and letting them in again. */
import { theServer } from '../accounts/actor.ts'
import { OperatorError } from '../base/failure.ts'
import { alignColumns, showTime } from './columns.ts'
import { defineCommand } from './command.ts'
import { withHouse } from './with-house.ts'

export const lockoutList = defineCommand({
  name: 'lockout list',
  summary: 'Lists who is locked out after too many wrong credentials: names and addresses.',
  async run({ environment }) {
    const all = await withHouse(environment, ({ lockouts }) => lockouts.list())
    process.stdout.write(
      alignColumns(
        ['KEY', 'UNTIL (UTC)'],
        all.map(({ key, until }) => [key, showTime(until)]),
      ),
    )
  },
})

export const lockoutLift = defineCommand({
  name: 'lockout lift',
  summary: 'Lets in again who is locked out, by the key that lockout list shows.',
  words: ['KEY'],
  async run({ words: [key = ''], environment }) {
    const wasLifted = await withHouse(environment, ({ lockouts }) => lockouts.lift(theServer, key))
    if (!wasLifted) throw new OperatorError(`Nobody is locked out as ${key}: lockout list shows who is.`)
    process.stdout.write(`${key} is let in again.\n`)
  },
})
