/** A pull that cannot be merged names the files in conflict. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeveloperWorld } from '../developer-pages.test.ts'
import { see, show } from '../hands.ts'
import { lookAt } from '../looks.ts'

export function testConflicts(world: DeveloperWorld): void {
  test('a pull in conflict names its files on the page', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'torn' })
    await stage.push('ann', 'torn', [
      { message: 'First', files: { 'a b.txt': 'a\n', 'ü.txt': 'u\n', 'same.txt': 's\n' } },
      { message: 'Other', branch: 'other', files: { 'a b.txt': 'b\n', 'ü.txt': 'v\n', 'new.txt': 'n\n' } },
    ])
    for (const path of ['a b.txt', 'ü.txt']) {
      const { body } = await ann.get(`/repos/ann/torn/contents/${encodeURIComponent(path)}?ref=main`)
      await ann.put(`/repos/ann/torn/contents/${encodeURIComponent(path)}`, {
        ...{ message: path, content: 'eA==', branch: 'main', sha: body.sha },
      })
    }
    const { body: pull } = await ann.post('/repos/ann/torn/pulls', { title: 'Torn', head: 'other', base: 'main' })
    const { body: files } = await ann.get(`/repos/ann/torn/pulls/${pull.number}/conflicts`)
    assert.deepEqual(files, [{ filename: 'a b.txt' }, { filename: 'ü.txt' }])
    const { page } = await stage.openAs('ann')
    await show(page, `/ann/torn/pull/${pull.number}`)
    await see(page, 'This branch has conflicts that must be resolved.')
    await see(page, 'ü.txt')
    await lookAt(page, 'conflicts')
    await ann.patch(`/repos/ann/torn/pulls/${pull.number}`, { state: 'closed' })
    assert.deepEqual((await ann.get(`/repos/ann/torn/pulls/${pull.number}/conflicts`)).body, [])
  })
}
