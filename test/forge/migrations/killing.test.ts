/** kill -9 at random moments of an export: it ends exported with a sound archive, or failed with a reason; never stuck, never two. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killExports } from './killed-exports.ts'

test('an export that is killed again and again ends with one sound archive, and leaves nothing else', async (t) => {
  const told = await killExports(3, (drop) => t.after(drop))
  t.diagnostic(told)
  assert.match(told, /3 kills/)
})
