/** What notes of a release list: pulls by their titles, no merges that only join branches. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Commit } from '../../../src/forge/git/read/commit.ts'
import { listNotedChanges } from '../../../src/forge/releases/noted-changes.ts'

const nobody = { name: '', email: '', date: new Date(0) }
const commit = (sha: string, parents: string, message: string): Commit => ({
  ...{ sha, tree: '', author: nobody, committer: nobody, signed: undefined, message },
  parents: parents.split(' ').filter(Boolean),
})
const list = (...commits: Commit[]) => listNotedChanges(commits).map(({ title, pull }) => [title, pull])

test('a merged pull is listed by its title in place of its commits', () => {
  const merge = commit('d', 'a c', 'Merge pull request #7 from ann/roof\n\nMend the roof')
  assert.deepEqual(list(commit('a', 'x', 'A'), commit('b', 'a', 'B'), commit('c', 'b', 'C'), merge), [
    ['A', undefined],
    ['Mend the roof', 7],
  ])
})

test('a plain merge is left out, and the commits that it brings are listed', () => {
  const merge = commit('c', 'a b', "Merge branch 'other'")
  assert.deepEqual(list(commit('a', 'x', 'A'), commit('b', 'x', 'B'), merge), [
    ['A', undefined],
    ['B', undefined],
  ])
})

test('words like those of a merged pull in a commit that merges nothing are its title', () => {
  const title = 'Merge pull request #7 from ann/roof'
  assert.deepEqual(list(commit('a', 'x', `${title}\n\nNo`)), [[title, undefined]])
})

test('a list that was cut has all commits that nothing in it merges', () => {
  assert.deepEqual(list(commit('a', 'x', 'A'), commit('b', 'x', 'B'), commit('c', 'a', 'C')), [
    ['A', undefined],
    ['B', undefined],
    ['C', undefined],
  ])
  assert.deepEqual(list(), [])
})
