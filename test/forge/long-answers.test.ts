/** Long answers are built in slices: between them the event loop turns, and what comes of them is the same. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mapInSlices } from '../../src/base/slices.ts'
import { parseCommit } from '../../src/forge/git/commit.ts'
import { LongList, makeEtag, serializeBody } from '../../src/wires/forge-rest/answer.ts'

/** How often the event loop turned while something was made. */
async function countTurns<T>(act: () => Promise<T> | T): Promise<{ made: T; turns: number }> {
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const made = await act()
  isOver = true
  return { made, turns }
}

const entries = Array.from({ length: 200_000 }, (_, i) => ({ path: `folder/ä${i}`, size: i }))
const present = ({ path, size }: { path: string; size: number }) => ({
  path,
  url: `/x/${path}`,
  ...(size % 2 && { size }),
})

describe('a long answer', () => {
  test('has the same bytes and ETag as if it were made at once, and lets others come between', async () => {
    const body = { sha: 'x', none: undefined, tree: new LongList(entries, present), truncated: false }
    const { made, turns } = await countTurns(() => serializeBody(body))
    const whole = JSON.stringify({ sha: 'x', tree: entries.map(present), truncated: false })
    assert.ok(Buffer.isBuffer(made) && made.equals(Buffer.from(whole)))
    assert.equal(makeEtag(made), makeEtag(whole))
    assert.ok(turns > 3, `${turns} turns`)
  })

  test('of few entries is made at once', async () => {
    const few = entries.slice(0, 10)
    const made = await serializeBody({ tree: new LongList(few, present) })
    assert.equal(made, JSON.stringify({ tree: few.map(present) }))
  })

  test('is read from git in slices as well', async () => {
    const { made, turns } = await countTurns(() => mapInSlices(entries, ({ path }) => path.split('/').join('').length))
    assert.deepEqual([made.length, made[0]], [entries.length, 8])
    assert.ok(turns > 1, `${turns} turns`)
  })

  test('about a commit with very many parents tells the first hundred', () => {
    const id = (i: number) => i.toString(16).padStart(40, '0')
    const text = (count: number) =>
      `tree ${id(7)}\n${Array.from({ length: count }, (_, i) => `parent ${id(i)}\n`).join('')}` +
      'author Ann <a@b> 5 +0000\ncommitter Bob <b@c> 6 +0000\n\nparent of all\n'
    for (const count of [0, 1, 99, 100, 101, 50_000]) {
      const { tree, parents, author, committer, message } = parseCommit('x', Buffer.from(text(count)))
      assert.deepEqual(
        [tree, parents, author.name, committer.name, message],
        [id(7), Array.from({ length: Math.min(count, 100) }, (_, i) => id(i)), 'Ann', 'Bob', 'parent of all'],
      )
    }
  })
})
