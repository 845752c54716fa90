/** Pulls in the browser: opened, reviewed line by line, suggested to, merged in three ways; seen by two people at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyTo, readSuggestion } from '../../../web/pulls/suggested-lines.ts'
import { withoutWhiteSpace } from '../../../web/pulls/white-space.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { heading, patience, see, show, takeKeyboard } from '../hands.ts'
import type { ThreadWorld } from '../thread-pages.test.ts'

export function testPulls(world: ThreadWorld): void {
  test('lines that differ in white space alone are the same where it is ignored', () => {
    const file = (patch: string) => ({
      ...{ sha: 'x', filename: 'a', status: 'modified', additions: 2, deletions: 2, changes: 4 },
      patch,
    })
    const cases: readonly (readonly [patch: string, expected: string | undefined])[] = [
      ['@@ -1,2 +1,2 @@\n-a b\n+ab\n c', undefined],
      ['@@ -1,2 +1,2 @@\n-a\n-b\n+ a\n+c', '@@ -1,2 +1,2 @@\n  a\n-b\n+c'],
      ['@@ -1 +1 @@\n-a\n+ a\n@@ -9 +9 @@\n-b\n+c', '@@ -9 +9 @@\n-b\n+c'],
      ['@@ -1 +1,3 @@\n-if (x) y\n+{\n+  if (x) y\n+}', '@@ -1 +1,3 @@\n+{\n   if (x) y\n+}'],
    ]
    for (const [patch, expected] of cases) assert.equal(withoutWhiteSpace(file(patch)).patch, expected, patch)
  })

  test('a suggestion takes the place of its lines, and no other byte changes', () => {
    assert.equal(readSuggestion('Better:\r\n```suggestion\r\nx\r\n\r\ny\r\n```\r\n'), 'x\n\ny')
    assert.equal(readSuggestion('```suggestion\n```'), '')
    assert.equal(readSuggestion('```js\nx\n```'), undefined)
    assert.equal(applyTo('a\nb\nc\n', 2, 2, 'x\ny'), 'a\nx\ny\nc\n')
    assert.equal(applyTo('a\r\nb\r\nc', 1, 2, 'x'), 'x\r\nc')
    assert.equal(applyTo('a\nb\nc', 2, 3, ''), 'a')
  })

  test('a pull is opened, reviewed line by line with a suggestion that its author applies, approved and merged', async () => {
    const { stage } = world
    const [{ page: ann }, { page: bob }] = [await stage.openAs('ann'), await stage.openAs('bob')]
    const hands = takeKeyboard(bob)
    await show(bob, '/ann/tool/pulls')
    await hands.press('link', 'New pull request')
    await heading(bob, 'New pull request')
    await hands.choose('From', 'feature')
    await hands.write('Title', 'Change f')
    await hands.press('button', 'Create pull request')
    await heading(bob, /^Change f/)
    await see(bob, 'This can be merged')
    const path = new URL(bob.url()).pathname
    // Ann reviews: one comment waits for the review, with a suggestion, and outlives a reload.
    await show(ann, `${path}/files`)
    await ann.locator('td.code-cell.added', { hasText: 'return a + b' }).first().hover({ timeout: patience })
    await ann.getByRole('button', { name: /Comment on line 4 of the new version/ }).click()
    await ann.getByRole('button', { name: 'Suggest a change' }).click()
    const field = ann.getByRole('textbox', { name: 'Comment on line 4' })
    assert.match(await field.inputValue(), /```suggestion\n {4}return a \+ b\n```/)
    await field.fill('Better:\n```suggestion\n  return b + a\n```')
    await ann.getByRole('button', { name: 'Start a review' }).click()
    await see(ann, 'Pending')
    await ann.reload()
    await see(ann, 'Pending')
    assert.equal(await bob.getByText('Better:').count(), 0)
    await ann.getByRole('button', { name: 'Finish your review (1)' }).click()
    await ann.getByRole('textbox', { name: 'Your review' }).fill('One **remark**')
    await ann.getByRole('radio', { name: /Request changes/ }).check()
    await ann.getByRole('button', { name: 'Submit review' }).click()
    // Bob sees it without a reload, answers, and applies what was suggested.
    await bob.locator('.review strong', { hasText: 'remark' }).waitFor({ timeout: patience })
    await see(bob, 'requested changes')
    await bob.getByRole('button', { name: 'Reply', exact: true }).first().click()
    await bob.getByRole('textbox', { name: 'Reply' }).fill('Right, I take it')
    await bob.getByRole('button', { name: 'Reply', exact: true }).click()
    await ann.locator('.line-thread', { hasText: 'Right, I take it' }).waitFor({ timeout: patience })
    // The conversation is resolved, which the other sees, and folded until it is opened.
    await bob.getByRole('button', { name: 'Resolve conversation' }).click()
    await see(bob, /^Resolved by bob/)
    await ann
      .getByText(/^Resolved by bob/)
      .first()
      .click({ timeout: patience })
    await ann.getByRole('button', { name: 'Unresolve conversation' }).click()
    await bob.getByRole('button', { name: 'Resolve conversation' }).waitFor({ timeout: patience })
    // Ann's next review stays open and as it is while the head moves.
    await ann.getByRole('button', { name: 'Review changes' }).click()
    await ann.getByRole('radio', { name: /Approve/ }).check()
    await bob.getByRole('button', { name: 'Apply suggestion' }).click()
    await see(bob, 'Apply a suggestion to a.js')
    await ann.locator('td.code-cell.added', { hasText: 'return b + a' }).first().waitFor({ timeout: patience })
    const { body: file } = await stage.as('ann').get('/repos/ann/tool/contents/a.js?ref=feature')
    assert.match(Buffer.from(file.content, 'base64').toString(), /^ {2}return b \+ a$/m)
    // Ann approves, and merges by the keyboard, as a squash.
    await ann.getByRole('button', { name: 'Submit review' }).click()
    await see(bob, 'approved these changes')
    await show(ann, path)
    const own = takeKeyboard(ann)
    await own.press('button', 'Merge pull request')
    await own.turnTo('How to merge', /Squash/)
    await own.press('button', 'Confirm merge')
    await see(ann, 'This pull request is merged')
    await see(bob, 'This pull request is merged')
    await see(bob, /^ann merged \d+ commits? into/)
    await own.press('button', 'Delete branch')
    await see(ann, 'deleted the branch')
    await own.press('button', 'Restore branch')
    await see(ann, 'restored the branch')
    await ann.reload()
    await ann.getByRole('button', { name: 'Delete branch' }).waitFor({ timeout: patience })
  })

  test('the changes of a pull are read side by side, and its commits are rebased onto the base', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'lined' })
    await stage.push('ann', 'lined', [
      { message: 'Begin', files: { 'a.txt': 'one\ntwo\nthree\n' } },
      { message: 'Second step', branch: 'steps', files: { 'a.txt': 'one\nTWO\nthree\n' } },
      { message: 'Third step', files: { 'b.txt': 'b\n' } },
    ])
    await ann.put('/repos/ann/lined/contents/c.txt', { message: 'Meanwhile', content: 'eA==' })
    const { body: pull } = await ann.post('/repos/ann/lined/pulls', { title: 'Steps', head: 'steps', base: 'main' })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, `/ann/lined/pull/${pull.number}/files`)
    const pair = page.locator('tr', { has: page.locator('.removed', { hasText: 'two' }) })
    await pair.first().waitFor({ timeout: patience })
    const sides = () => pair.first().locator('.code-cell').allInnerTexts()
    assert.deepEqual((await sides()).length, 1)
    await page.getByRole('radio', { name: 'Side by side' }).check()
    await until(async () => (await sides()).length === 2)
    assert.deepEqual(
      (await sides()).map((text) => text.trim()),
      ['two', 'TWO'],
    )
    await page.reload()
    await until(async () => (await pair.count()) > 0 && (await sides()).length === 2)
    await page.getByRole('radio', { name: 'Unified' }).check()
    await until(async () => (await sides()).length === 1)

    await show(page, `/ann/lined/pull/${pull.number}`)
    await hands.press('button', 'Merge pull request')
    await hands.turnTo('How to merge', /^Rebase/)
    assert.equal(await page.getByRole('textbox', { name: 'Title of the commit' }).count(), 0)
    await hands.press('button', 'Confirm merge')
    await see(page, 'This pull request is merged')
    const { body: commits } = await ann.get('/repos/ann/lined/commits')
    assert.deepEqual(
      commits.map(({ commit, parents }: Json) => [commit.message, parents.length]),
      [
        ['Third step', 1],
        ['Second step', 1],
        ['Meanwhile', 1],
        ['Begin', 0],
      ],
    )
  })

  test('the text of a new pull begins with the template of the repository', async () => {
    const { stage } = world
    await stage.as('ann').post('/user/repos', { name: 'forms' })
    await stage.push('ann', 'forms', [
      { message: 'One', files: { '.github/PULL_REQUEST_TEMPLATE.md': '## Why\n\nCloses #\n' } },
      { message: 'Two', files: { 'a.txt': 'a\n' }, branch: 'two' },
    ])
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/forms/pulls/new?head=two')
    const field = page.getByRole('textbox', { name: 'Description' })
    await field.waitFor({ timeout: patience })
    assert.equal(await field.inputValue(), '## Why\n\nCloses #\n')
  })

  test('a pull gets another base', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    const { body: ref } = await ann.get('/repos/ann/tool/git/ref/heads/main')
    for (const name of ['next', 'moved'])
      await ann.post('/repos/ann/tool/git/refs', { ref: `refs/heads/${name}`, sha: ref.object.sha })
    await ann.put('/repos/ann/tool/contents/moved.txt', { message: 'Moved', branch: 'moved', content: 'eA==' })
    const { body: pull } = await ann.post('/repos/ann/tool/pulls', { title: 'Moved', head: 'moved', base: 'main' })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, `/ann/tool/pull/${pull.number}`)
    await hands.press('button', 'Change base')
    await hands.press('button', 'next', true)
    await see(page, /into next from/)
    assert.equal((await ann.get(`/repos/ann/tool/pulls/${pull.number}`)).body.base.ref, 'next')
  })

  test('files are ticked off and folded until they change, and white space is ignored at will', async () => {
    const { stage } = world
    const { body: pull } = await stage.as('bob').post('/repos/ann/tool/pulls', {
      ...{ title: 'Indent', head: 'indented', base: 'main' },
    })
    const { page } = await stage.openAs('ann')
    await show(page, `/ann/tool/pull/${pull.number}/files`)
    const box = page.getByRole('checkbox', { name: 'Viewed spaced.txt' })
    await box.check({ timeout: patience })
    await see(page, '1 of 2 files viewed')
    await page.locator('td.code-cell.added', { hasText: 'indented' }).waitFor({ state: 'detached', timeout: patience })
    await page.reload()
    await see(page, '1 of 2 files viewed')
    const { body: now } = await stage.as('ann').get('/repos/ann/tool/contents/spaced.txt?ref=indented')
    await stage.as('ann').put('/repos/ann/tool/contents/spaced.txt', {
      ...{ message: 'More', branch: 'indented', sha: now.sha },
      content: Buffer.from('    indented\nother\n').toString('base64'),
    })
    await see(page, '0 of 2 files viewed')
    await page.getByRole('checkbox', { name: 'Ignore white space' }).check()
    await page.waitForURL(/w=1/)
    await see(page, 'Only white space changed')
    await show(page, `/ann/tool/pull/${pull.number}/commits`)
    await see(page, 'Change the indent')
    // A conflict is told, and a check that fails as well.
    const { body: readme } = await stage.as('ann').get('/repos/ann/tool/contents/spaced.txt')
    await show(page, `/ann/tool/pull/${pull.number}`)
    await stage.as('ann').put('/repos/ann/tool/contents/spaced.txt', {
      ...{ message: 'Against it', sha: readme.sha },
      content: Buffer.from('quite different\nother\n').toString('base64'),
    })
    await page.reload()
    await see(page, 'This branch has conflicts')
    assert.equal(await page.getByRole('button', { name: 'Merge pull request' }).isEnabled(), false)
    const { body: whole } = await stage.as('ann').get(`/repos/ann/tool/pulls/${pull.number}`)
    await stage.as('ann').post(`/repos/ann/tool/statuses/${whole.head.sha}`, { state: 'failure', context: 'ci/lint' })
    await see(page, '1 check failed')
    await page.getByRole('button', { name: 'Convert to draft' }).click()
    await see(page, 'marked this as a draft')
    await page.getByRole('button', { name: 'Ready for review' }).click()
    await see(page, 'marked this as ready for review')
    await show(page, `/ann/tool/pull/${pull.number}/checks`)
    await see(page, 'ci/lint')
  })

  test('what the base still requires is told, and the merge goes on when it is there', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    const { body: ref } = await ann.get('/repos/ann/tool/git/ref/heads/main')
    await ann.post('/repos/ann/tool/git/refs', { ref: 'refs/heads/release', sha: ref.object.sha })
    await ann.put('/repos/ann/tool/branches/release/protection', {
      required_status_checks: { strict: false, contexts: ['ci/test'] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    })
    await ann.post('/repos/ann/tool/git/refs', { ref: 'refs/heads/fix', sha: ref.object.sha })
    await ann.put('/repos/ann/tool/contents/fix.txt', { message: 'Fix', branch: 'fix', content: 'eA==' })
    const { body: pull } = await ann.post('/repos/ann/tool/pulls', { title: 'Fix', head: 'fix', base: 'release' })
    const { page } = await stage.openAs('ann')
    await show(page, `/ann/tool/pull/${pull.number}`)
    await see(page, 'Merging is blocked')
    await see(page, '1 check not finished')
    await page.getByRole('button', { name: 'Merge pull request' }).click()
    await page.getByRole('button', { name: 'Confirm merge' }).click()
    await see(page, /status check/i)
    await ann.post(`/repos/ann/tool/statuses/${pull.head.sha}`, { state: 'success', context: 'ci/test' })
    await see(page, 'This can be merged')
    await page.getByRole('button', { name: 'Confirm merge' }).click()
    await see(page, 'This pull request is merged')
    await until(async () => (await ann.get(`/repos/ann/tool/pulls/${pull.number}`)).body.merged === true)
  })

  test('a pull is merged when it is ready, unless that is taken back', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.patch('/repos/ann/tool', { allow_auto_merge: true })
    const { body: ref } = await ann.get('/repos/ann/tool/git/ref/heads/main')
    await ann.post('/repos/ann/tool/git/refs', { ref: 'refs/heads/stable', sha: ref.object.sha })
    await ann.put('/repos/ann/tool/branches/stable/protection', {
      required_status_checks: { strict: false, contexts: ['ci/wait'] },
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: null,
    })
    await ann.post('/repos/ann/tool/git/refs', { ref: 'refs/heads/later', sha: ref.object.sha })
    await ann.put('/repos/ann/tool/contents/later.txt', { message: 'Later', branch: 'later', content: 'eA==' })
    const { body: pull } = await ann.post('/repos/ann/tool/pulls', { title: 'Later', head: 'later', base: 'stable' })
    const [{ page }, { page: bob }] = [await stage.openAs('ann'), await stage.openAs('bob')]
    const hands = takeKeyboard(page)
    await show(bob, `/ann/tool/pull/${pull.number}`)
    await show(page, `/ann/tool/pull/${pull.number}`)
    const wait = async () => {
      await hands.press('button', 'Merge when ready')
      await hands.turnTo('How to merge', /^Squash/)
      await hands.press('button', 'Merge when ready')
      await see(page, 'This will be merged when it is ready.')
    }
    await wait()
    await see(bob, 'This will be merged when it is ready.')
    await hands.press('button', 'Disable auto-merge')
    await page.getByRole('button', { name: 'Merge when ready' }).waitFor({ timeout: patience })
    await bob.getByText('This will be merged when it is ready.').waitFor({ state: 'detached', timeout: patience })
    await wait()
    await ann.post(`/repos/ann/tool/statuses/${pull.head.sha}`, { state: 'success', context: 'ci/wait' })
    await see(page, 'This pull request is merged')
    await see(bob, 'This pull request is merged')
  })
}
