/** Whatever happens to servers, executors, the database and the disk: what was answered is there, once, and nothing is left. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { findLanguage, runChaos } from './chaos.ts'

const found = findLanguage()
const seed = Number(process.env.CHAOS_SEED ?? randomInt(2 ** 31))

test(
  `two servers and three executors under every fault once (CHAOS_SEED=${seed})`,
  'reason' in found ? { skip: found.reason } : {},
  async (t) => {
    const { language } = found as { language: string }
    const { findings, canBeFull } = await runChaos({ seed, language, minutes: 0, tell: (line) => t.diagnostic(line) })
    assert.deepEqual(findings, [])
    await t.test('with a full disk among them', {
      skip: canBeFull ? false : 'a small file system can not be mounted here',
    })
  },
)
