/** A reporter that writes down what failed and why, a line of JSON each: thousands of lines later, `npm test` says it again. */
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

export type FailedTest = { readonly name: string; readonly file: string; readonly reason: string }

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo !== undefined) continue
    const { error } = data.details
    if ('failureType' in error && error.failureType === 'subtestsFailed') continue
    const file = relative(process.cwd(), data.file ?? data.name)
    const failed: FailedTest = { name: data.name, file, reason: inspect(error.cause ?? error) }
    yield `${JSON.stringify(failed)}\n`
  }
}
