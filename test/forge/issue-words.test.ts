/** The words of a text that a search finds it by. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listWords } from '../../src/forge/issues/search/words.ts'

test('each word counts once, in lower case, by its letters and digits', () => {
  assert.deepEqual(listWords('The cat, THE hat; e\u0301t\u00e9 2nd_try'), [
    'the',
    'cat',
    'hat',
    '\u00e9t\u00e9',
    '2nd_try',
  ])
})

test('of a text that goes on, the first 65,536 characters and the first thousand words can be found', () => {
  assert.deepEqual(listWords(`${'a '.repeat(32_767)}b end`), ['a', 'b'])
  const many = Array.from({ length: 1_500 }, (_, at) => `w${at}`)
  assert.deepEqual(listWords(many.join(' ')), many.slice(0, 1_000))
})
