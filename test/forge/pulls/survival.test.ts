/** Merges, comments and pushes through kill -9: what was answered is there with its events, and nothing is half done. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { killMerges } from './killed-merges.ts'

describe('merges of a server that is killed again and again', () => {
  for (const [engine, rounds] of [
    ['sqlite', 2],
    ['postgres', 2],
  ] as const)
    test(`on ${engine} are there with their events when they were answered, and nothing is half merged`, async (t) => {
      assert.match(await killMerges(engine, rounds, (drop) => t.after(drop)), /kills/)
    })
})
