/** Thousands of requests with several wrong things at once, and broken connections: the server answers to the end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines } from '../support/engines.ts'
import { fuzz } from './fuzzer.ts'

/** `GUILDHALL_FUZZ_SEED` repeats a run; `npm run bench fuzz -- --seed S --only N` sends one request of it again. */
const seed = Number(process.env.GUILDHALL_FUZZ_SEED ?? Date.now() % 2 ** 31)
const forMs = 3_000

for (const engine of engines) {
  test(`on ${engine} the server answers whatever it is sent, and is left with nothing of it`, async (context) => {
    const { shots, statuses, findings } = await fuzz({ engine, seed, forMs })
    context.diagnostic(`seed ${seed}: ${shots} shots, ${JSON.stringify(statuses)}`)
    assert.deepEqual(findings, [], `seed ${seed}:\n${findings.join('\n')}`)
    for (const wire of ['judge', 'forge', 'git', 'datasets', 'oauth']) {
      assert.ok(statuses[`${wire} 200`], `no request to ${wire} was a right one`)
    }
  })
}
