/** Lines of a patch: what is kept of a hunk, and where a line is found again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAgain, hunkUpTo, parsePatch } from '../../../src/forge/pulls/reviews/diff-lines.ts'

const makePatch = (texts: readonly string[]) =>
  [`@@ -0,0 +1,${texts.length} @@`, ...texts.map((text) => `+${text}`)].join('\n')

test('of a hunk with long lines only so much is kept, its end', () => {
  const lines = parsePatch(makePatch(Array.from({ length: 90 }, (_, i) => `${i} ${'x'.repeat(1900)}`)))
  const hunk = hunkUpTo(lines, lines.at(-1)!)
  assert.ok(hunk.length < 20_000, `${hunk.length}`)
  assert.match(hunk, /^@@ /)
  assert.ok(hunk.includes('\n+89 x'))
  const [huge] = parsePatch(makePatch(['y'.repeat(190_000)])).slice(1)
  assert.ok(hunkUpTo(parsePatch(makePatch(['y'.repeat(190_000)])), huge!).length < 20_000)
})

test('of many same lines the nearest is taken', () => {
  const same = parsePatch(makePatch(Array(50).fill('a')))
  const hunk = hunkUpTo(same, same[30]!)
  assert.equal(findAgain(same, { hunk, side: 'RIGHT', line: 30, startLine: 29 })?.line, 30)
  const longer = parsePatch(makePatch(['b', ...Array(20).fill('a')]))
  assert.deepEqual(findAgain(longer, { hunk, side: 'RIGHT', line: 30, startLine: 29 }), {
    position: 21,
    line: 21,
    startLine: 20,
  })
  assert.equal(findAgain(parsePatch(makePatch(['b'])), { hunk, side: 'RIGHT', line: 30, startLine: null }), undefined)
})
