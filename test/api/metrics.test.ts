/** Metrics, which anybody who reaches the server may ask for: one rendering is for all, and callers make it no longer. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeMetrics } from '../../src/metrics.ts'

describe('metrics', () => {
  test('are rendered once for all who ask at the same time, and anew for who asks later', async () => {
    let looks = 0
    let wait = Promise.resolve()
    const gauge = { name: 'looks', help: 'Looks.', read: () => ++looks }
    const metrics = makeMetrics([gauge], async () => {
      await wait
      return []
    })
    const held = Promise.withResolvers<void>()
    wait = held.promise
    const asked = Array.from({ length: 200 }, () => metrics.render())
    held.resolve()
    const texts = new Set((await Promise.all(asked)).map(String))
    assert.deepEqual([looks, texts.size], [1, 1])
    while (looks < 2) {
      await metrics.render()
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })

  test('that fail are tried again by who asks next', async () => {
    let isAway = true
    const metrics = makeMetrics([], async () => {
      if (isAway) throw new Error('away')
      return []
    })
    await assert.rejects(metrics.render())
    isAway = false
    assert.match(String(await metrics.render()), /guildhall_request_duration_seconds/)
  })

  test('have a bounded number of series, and lose no request for it', async () => {
    const metrics = makeMetrics([], async () => [])
    const many = 4_000
    for (let i = 0; i < many; i++) metrics.observe(`/made-up/${i}`, 'GET', 404, 1)
    const counts = [
      ...String(await metrics.render()).matchAll(/^guildhall_request_duration_seconds_count\{(.*)\} (\d+)$/gm),
    ]
    assert.ok(counts.length < 2_000, String(counts.length))
    assert.equal(
      counts.reduce((sum, [, , count]) => sum + Number(count), 0),
      many,
    )
    assert.ok(counts.at(-1)![1]!.startsWith('route="other"'))
  })
})
