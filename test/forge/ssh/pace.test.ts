/** Connections share the thread: what they send is parsed in slices, in turn, and other work runs in between. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeInputScheduler, sliceBytes } from '../../../src/api/git/ssh/input-scheduler.ts'
import { until } from '../../support/until.ts'

test('input is parsed in slices, each connection in turn, for a bounded time', async () => {
  let time = 0
  const pace = makeInputScheduler(() => time)
  const events: string[] = []
  let turns = 0
  const send = (name: string, slices: number, wanted = Infinity) =>
    pace.take({
      source: { pause: () => events.push(`${name} pauses`), resume: () => events.push(`${name} resumes`) },
      ...{ from: 7, to: 7 + slices * sliceBytes - 1 },
      parse(from, to) {
        events.push(`${turns}: ${name} ${from}-${to}`)
        time += 2
        wanted--
        return wanted > 0
      },
    })
  const tick = () => {
    turns++
    if (events.length < 12) setImmediate(tick)
  }
  send('ann', 3)
  send('eve', 2)
  send('bob', 2, 1)
  setImmediate(tick)
  await until(() => events.length === 12)
  const at = (slices: number) => 7 + slices * sliceBytes
  assert.deepEqual(events, [
    ...['ann pauses', 'eve pauses', 'bob pauses'],
    ...[`0: ann 7-${at(1)}`, `0: eve 7-${at(1)}`],
    ...[`1: bob 7-${at(1)}`, 'bob resumes', `1: ann ${at(1)}-${at(2)}`],
    ...[`2: eve ${at(1)}-${at(2) - 1}`, 'eve resumes', `2: ann ${at(2)}-${at(3) - 1}`, 'ann resumes'],
  ])
})
