/** A reporter that writes down what failed and why, a line of JSON each: thousands of lines later, `npm test` says it again. */
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

export type FailedTest = { readonly name: string; readonly file: string; readonly reason: string }

/** Of a test that another file helped to write down, the file is that of the outermost one, which can be run by itself. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let failed: FailedTest[] = []
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo !== undefined) continue
    const { error } = data.details
    const file = relative(process.cwd(), data.file ?? data.name)
    if (!('failureType' in error && error.failureType === 'subtestsFailed'))
      failed.push({ name: data.name, file, reason: inspect(error.cause ?? error) })
    if (data.nesting > 0) continue
    yield* failed.map((one) => `${JSON.stringify({ ...one, file })}\n`)
    failed = []
  }
  yield* failed.map((one) => `${JSON.stringify(one)}\n`)
}
