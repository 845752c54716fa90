/** Points as teachers type them: decimals with a comma, and the points of groups, which turn scoring on. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DecimalRange, findDecimalFault, readDecimal } from '../../web/parts/decimal.ts'
import { changeGroup, ignoresPoints, type JudgingDraft } from '../../web/teach/judging/judging-draft.ts'

describe('points that teachers type', () => {
  const cases: [text: string, number: number | null][] = [
    ['17.5', 17.5],
    ['17,5', 17.5],
    [' 20 ', 20],
    ['0', 0],
    ['2,', 2],
    [',5', 0.5],
    ['', null],
    ['1,000.5', null],
    ['1,000', null],
    ['12,345', null],
    ['17.500', null],
    ['1.125', 1.125],
    ['0,125', 0.125],
    ['1000', 1000],
    ['-17,5', -17.5],
    ['1e3', null],
    ['ten', null],
  ]
  for (const [text, number] of cases)
    test(`“${text}” is read as ${number}`, () => assert.equal(readDecimal(text), number))

  const hundred = { maximum: 100 }
  const faults: [text: string, range: DecimalRange, fault: RegExp | undefined][] = [
    ['17,5', hundred, undefined],
    ['', hundred, undefined],
    ['101', hundred, /from 0 to 100, such as 17\.5/],
    ['-1', hundred, /from 0 to 100/],
    ['-1', { minimum: -5, maximum: 5 }, undefined],
    ['1,000', { maximum: 10_000 }, /may be 1 or 1000: write 1 or 1000/],
    ['17,5', { ...hundred, isWhole: true }, /whole number from 0 to 100/],
    ['17', { ...hundred, isWhole: true }, undefined],
  ]
  for (const [text, range, fault] of faults)
    test(`“${text}” from ${range.minimum ?? 0} to ${range.maximum} ${fault ? 'is asked about' : 'is taken'}`, () => {
      if (fault) assert.match(findDecimalFault(text, range), fault)
      else assert.equal(findDecimalFault(text, range), '')
    })

  const group = { key: 0, name: 'easy', aggregation: 'pass-fail', maximum: '', required: [] } as const
  const draft = { isScored: false, groups: [group, { ...group, key: 1 }] } as unknown as JudgingDraft

  test('the first points of a group turn scoring on, its name and a zero do not', () => {
    assert.equal(changeGroup(draft, 0, { name: 'small' }).isScored, false)
    assert.equal(changeGroup(draft, 0, { maximum: '0' }).isScored, false)
    const changed = changeGroup(draft, 1, { maximum: '70' })
    assert.deepEqual([changed.isScored, changed.groups.map(({ maximum }) => maximum)], [true, ['', '70']])
  })

  test('points of groups that do not count are warned about', () => {
    const groups = [{ ...group, maximum: '30' }]
    assert.equal(ignoresPoints(draft), false)
    assert.equal(ignoresPoints({ ...draft, groups }), true)
    assert.equal(ignoresPoints({ ...draft, groups, isScored: true }), false)
  })
})
