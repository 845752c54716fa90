/** A reporter that names what failed and why, nothing else: thousands of lines later, `npm test` says it again at the end. */
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo !== undefined) continue
    const { error } = data.details
    if ('failureType' in error && error.failureType === 'subtestsFailed') continue
    const place = data.file ? `${relative(process.cwd(), data.file)}:${data.line}` : ''
    const reason = inspect(error.cause ?? error, { maxStringLength: 20_000 })
    yield `✖ ${data.name} (${place})\n${reason.replace(/^/gm, '  ')}\n`
  }
}
