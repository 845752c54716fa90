/** The words of `token add`: what they mean, and which mean nothing. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  readExpiry,
  readKind,
  readPermissions,
  readRepositories,
  readScopes,
} from '../../../src/commands/token/token-options.ts'
import { OperatorError } from '../../../src/lib/failure.ts'

const now = Date.UTC(2026, 0, 1)

describe('the words of token add', () => {
  it('are read', () => {
    assert.deepEqual(readScopes('repo, read:org,'), ['repo', 'read:org'])
    assert.deepEqual(readScopes(), [])
    assert.deepEqual(readPermissions('contents=read,repository_projects=admin'), {
      contents: 'read',
      repository_projects: 'admin',
    })
    assert.deepEqual(readRepositories('3,1,3'), [3, 1])
    assert.deepEqual([readRepositories('all'), readRepositories()], ['all', 'none'])
    for (const [given, expected] of [
      ['90m', '2026-01-01T01:30:00.000Z'],
      ['12h', '2026-01-01T12:00:00.000Z'],
      ['30d', '2026-01-31T00:00:00.000Z'],
      ['2026-02-03', '2026-02-03T00:00:00.000Z'],
      ['2026-02-03T04:05Z', '2026-02-03T04:05:00.000Z'],
      ['2026-02-03T04:05:06+01:00', '2026-02-03T03:05:06.000Z'],
    ] as const) {
      assert.equal(readExpiry(given, now)?.toISOString(), expected)
    }
    assert.equal(readExpiry(undefined, now), undefined)
  })

  const wrong: [string, () => unknown][] = [
    ...['magic', '', 'Classic'].map((given): [string, () => unknown] => [`kind ${given}`, () => readKind(given)]),
    ...['everything', 'repo;user', 'constructor'].map((given): [string, () => unknown] => [
      `scopes ${given}`,
      () => readScopes(given),
    ]),
    ...[
      'contents',
      'contents=all',
      'Contents=read',
      '=read',
      'nonsense=write',
      'issues=admin',
      'metadata=write',
      'constructor=read',
    ].map((given): [string, () => unknown] => [`permissions ${given}`, () => readPermissions(given)]),
    ...['mine', '', '0', '-1', '1.5', '1,x'].map((given): [string, () => unknown] => [
      `repositories ${given}`,
      () => readRepositories(given),
    ]),
    ...['', 'yesterday', '0d', '5y', '2001-01-01', '2026-02-03T04:05', '99999-01-01', '2026-13-01'].map(
      (given): [string, () => unknown] => [`expires ${given}`, () => readExpiry(given, now)],
    ),
  ]
  for (const [what, read] of wrong) it(`are refused: ${what}`, () => void assert.throws(read, OperatorError))
})
