/** kill -9 at random moments of an export or an import: each ends whole, or failed with a reason; never stuck, never twice. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killExports } from './killed-exports.ts'
import { killImports } from './killed-imports.ts'

test('an export that is killed again and again ends with one sound archive, and leaves nothing else', async (t) => {
  const told = await killExports(2, (drop) => t.after(drop))
  t.diagnostic(told)
  assert.match(told, /2 kills/)
})

test('an import that is killed again and again is whole or not there at all, and leaves nothing else', async (t) => {
  const told = await killImports(2, (drop) => t.after(drop))
  t.diagnostic(told)
  assert.match(told, /2 kills: 2 imported/)
})
