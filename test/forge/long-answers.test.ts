/** Long answers are built in slices: between them the event loop turns, and what comes of them is the same. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { makeEtag, spellEtag } from '../../src/api/forge-rest/rest-answer.ts'
import { isLongJson, LongList, stringifyInSlices } from '../../src/api/json/sliced-json.ts'
import { parseCommit } from '../../src/forge/git/read/commit.ts'
import { mapInSlices } from '../../src/lib/scheduling/slices.ts'

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
    const { made, turns } = await countTurns(() => stringifyInSlices(body))
    const whole = JSON.stringify({ sha: 'x', tree: entries.map(present), truncated: false })
    assert.ok(isLongJson(made) && Buffer.concat(made.pieces).equals(Buffer.from(whole)))
    assert.deepEqual([made.bytes, spellEtag(made.sha1)], [Buffer.byteLength(whole), makeEtag(whole)])
    assert.ok(turns > 3, `${turns} turns`)
  })

  test('of few entries is made at once', async () => {
    const few = entries.slice(0, 10)
    const made = await stringifyInSlices({ tree: new LongList(few, present) })
    assert.equal(made, JSON.stringify({ tree: few.map(present) }))
  })

  test('has the bytes of JSON.stringify whatever is long in it', async () => {
    const long = (unit: string) => unit.repeat(300_000)
    const values = {
      quotes: long('"'),
      pairs: `x${long('😀')}`,
      controls: [long('\u0001'), null, undefined, 1.5, true, { '"': long('é') }],
      nested: { deep: { list: [[long('\\')], {}, [], { none: undefined }], at: new Date(0) } },
      empty: { list: [], object: {}, none: undefined },
      many: Array.from({ length: 20_000 }, (_, i) => ({ i, text: `ü${i}`, none: i % 2 ? null : undefined })),
    }
    for (const value of [values, [values, values], ...Object.values(values)]) {
      const made = await stringifyInSlices(value)
      const text = isLongJson(made) ? Buffer.concat(made.pieces).toString() : made
      assert.ok(text === JSON.stringify(value))
    }
  })

  test('asks for room before each of its pieces, and ends with the first refusal', async () => {
    let asked = 0
    const refuse = async (bytes: number) => {
      asked += bytes
      if (asked > 2_000_000) throw new Error('no room')
    }
    await assert.rejects(
      stringifyInSlices({ text: ['"'.repeat(5_000_000), 'x'.repeat(50_000_000)] }, refuse),
      /no room/,
    )
    assert.ok(asked < 3_000_000, `${asked}`)
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
