/** Issues in the browser: found, read, written, marked; seen by two people at once; and nothing of what one writes is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { heading, patience, see, show, takeKeyboard } from '../hands.ts'
import type { ThreadWorld } from '../thread-pages.test.ts'

declare const window: Json

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const gone = (page: Page, text: string) =>
  page.getByText(text).first().waitFor({ state: 'detached', timeout: patience })

export function testIssues(world: ThreadWorld): void {
  test('issues are found by words and filters, and the address keeps the search', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/repos/ann/tool/issues', { title: 'The lamp is broken', labels: ['bug'], assignees: ['bob'] })
    await ann.post('/repos/ann/tool/issues', { title: 'A wish for a lamp', labels: ['enhancement'] })
    const { body: closed } = await ann.post('/repos/ann/tool/issues', { title: 'An old matter' })
    await ann.patch(`/repos/ann/tool/issues/${closed.number}`, { state: 'closed' })
    const { page } = await stage.openAs('bob')
    const hands = takeKeyboard(page)
    await show(page, '/ann/tool/issues')
    await see(page, 'The lamp is broken')
    assert.equal(await page.getByText('An old matter').count(), 0)
    await hands.press('button', 'Label')
    await hands.press('button', /enhancement/)
    await gone(page, 'The lamp is broken')
    await see(page, 'A wish for a lamp')
    assert.match(new URL(page.url()).searchParams.get('q')!, /label:enhancement/)
    await page.reload()
    await see(page, 'A wish for a lamp')
    const search = page.getByRole('searchbox', { name: 'Search' })
    await search.fill('is:issue broken')
    await page.keyboard.press('Enter')
    await see(page, 'The lamp is broken')
    await gone(page, 'A wish for a lamp')
    await show(page, '/ann/tool/issues')
    await hands.press('link', /Closed/)
    await see(page, 'An old matter')
    await search.fill('is:issue nowhere')
    await page.keyboard.press('Enter')
    await see(page, 'No issues match')
  })

  test('an issue is written with a preview, completed names and numbers and a pasted picture, with the keyboard alone', async () => {
    const { stage } = world
    const { page } = await stage.openAs('bob')
    const hands = takeKeyboard(page)
    await show(page, '/ann/tool/issues')
    await hands.press('link', 'New issue')
    await heading(page, 'New issue')
    await hands.press('link', 'Get started: Bug report')
    await hands.write('Title', 'It fails')
    const field = page.getByRole('textbox', { name: 'Description' })
    assert.match(await field.inputValue(), /Steps to take/, 'the template is there')
    await hands.write('Description', 'Seen by ')
    await page.keyboard.type('@an')
    await page.getByRole('option', { name: '@ann' }).waitFor({ timeout: patience })
    await page.keyboard.press('Enter')
    await page.keyboard.type('like #lamp')
    await page.getByRole('option', { name: /The lamp is broken/ }).waitFor({ timeout: patience })
    await page.keyboard.press('Tab')
    assert.match(await field.inputValue(), /^Seen by @ann like #\d+ $/)
    await field.evaluate((place: Json, data: string) => {
      const bytes = Uint8Array.from(window.atob(data), (letter: string) => letter.charCodeAt(0))
      const transfer = new window.DataTransfer()
      transfer.items.add(new window.File([bytes], 'shot.png', { type: 'image/png' }))
      place.dispatchEvent(
        new window.ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }),
      )
    }, picture.toString('base64'))
    await until(async () => /!\[shot\.png\]\(http/.test(await field.inputValue()))
    await hands.press('button', 'Preview')
    await page.locator('.markdown-preview img[alt="shot.png"]').waitFor({ timeout: patience })
    await page.locator('.markdown-preview a[href$="/ann"]').waitFor({ timeout: patience })
    await hands.press('button', 'Create issue')
    await heading(page, /It fails/)
    await page.locator('.comment img[alt="shot.png"]').waitFor({ timeout: patience })
    assert.match(page.url(), /\/ann\/tool\/issues\/\d+$/)
  })

  test('who keeps the repository labels, assigns, pins, locks, closes and reopens, with the keyboard alone', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    const { body: issue } = await ann.post('/repos/ann/tool/issues', { title: 'To be marked', body: 'Text.' })
    await ann.post('/repos/ann/tool/milestones', { title: 'First release' })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, `/ann/tool/issues/${issue.number}`)
    const choose = async (section: string, choice: RegExp | string) => {
      await hands.press('button', `Change ${section}`)
      await hands.press('button', choice)
      await page.keyboard.press('Escape')
    }
    await choose('labels', /^✓?bug/)
    await see(page, 'added the label')
    await choose('assignees', 'bob')
    await see(page, 'assigned')
    await choose('milestone', 'First release')
    await see(page, 'added this to the milestone')
    await hands.press('button', 'Pin issue')
    await see(page, 'pinned this issue')
    await hands.press('button', 'Edit title')
    await hands.write('Title', 'Marked')
    await page.keyboard.press('Enter')
    await heading(page, /^Marked/)
    await hands.press('button', 'Lock conversation')
    await hands.choose('Reason', 'Resolved')
    await hands.press('button', 'Lock', true)
    await see(page, 'locked the conversation as resolved')
    await hands.press('button', 'Unlock conversation')
    await see(page, 'unlocked the conversation')
    await hands.press('button', 'Close for another reason')
    await hands.press('button', 'Close as not planned')
    await see(page, 'Closed as not planned')
    await hands.press('button', 'Reopen issue')
    await see(page, 'reopened this')
    const { body: now } = await ann.get(`/repos/ann/tool/issues/${issue.number}`)
    assert.deepEqual(
      [now.title, now.labels.map(({ name }: Json) => name), now.assignees[0].login, now.milestone.title, now.state],
      ['Marked', ['bug'], 'bob', 'First release', 'open'],
    )
    await ann.delete(`/repos/ann/tool/issues/${issue.number}/pin`)
  })

  test('an issue is closed as a duplicate of another, and taken back', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    const { body: first } = await ann.post('/repos/ann/tool/issues', { title: 'Said first' })
    const { body: again } = await ann.post('/repos/ann/tool/issues', { title: 'Said again' })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, `/ann/tool/issues/${again.number}`)
    await hands.press('button', 'Close for another reason')
    await hands.write('of #', String(first.number))
    await hands.press('button', 'Close as duplicate')
    await see(page, 'Closed as duplicate')
    await see(page, 'marked this as a duplicate')
    const read = async () => (await ann.get(`/repos/ann/tool/issues/${again.number}`)).body
    assert.deepEqual([(await read()).state, (await read()).state_reason], ['closed', 'duplicate'])
    await page
      .getByRole('link', { name: `#${first.number}` })
      .first()
      .waitFor({ timeout: patience })
    await hands.press('button', 'Not a duplicate')
    await see(page, 'marked this as not a duplicate')
    assert.equal((await read()).state_reason, 'completed')
    await page.getByRole('button', { name: 'Not a duplicate' }).waitFor({ state: 'detached', timeout: patience })
  })

  test('a new issue names the milestone that was chosen for it', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'planned' })
    await ann.post('/repos/ann/planned/milestones', { title: 'Harvest' })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/planned/issues/new')
    await hands.press('button', 'Change milestone')
    await hands.press('button', /Harvest/)
    const side = page.getByRole('complementary', { name: 'About this' })
    await side.getByText('Harvest', { exact: true }).waitFor({ timeout: patience })
    assert.equal(await side.getByText('Milestone 1').count(), 0)
    await hands.write('Title', 'Bring it in')
    await hands.press('button', 'Create issue')
    await heading(page, /Bring it in/)
    await page.getByRole('link', { name: 'Harvest' }).first().waitFor({ timeout: patience })
  })

  test('two people in one issue see what the other does at once, and neither overwrites the other in silence', async () => {
    const { stage } = world
    const { body: issue } = await stage
      .as('bob')
      .post('/repos/ann/tool/issues', { title: 'Ours', body: 'The first text' })
    const path = `/ann/tool/issues/${issue.number}`
    const [{ page: ann }, { page: bob }] = [await stage.openAs('ann'), await stage.openAs('bob')]
    await Promise.all([show(ann, path), show(bob, path)])
    await bob.getByRole('textbox', { name: 'Add a comment' }).fill('Bob is writing this')
    await ann.getByRole('textbox', { name: 'Add a comment' }).fill('Ann says **hello**')
    await ann.getByRole('button', { name: 'Comment', exact: true }).click()
    await bob.locator('.comment strong', { hasText: 'hello' }).waitFor({ timeout: patience })
    assert.equal(await bob.getByRole('textbox', { name: 'Add a comment' }).inputValue(), 'Bob is writing this')
    // Both edit the description: who is second is told, and loses nothing.
    for (const page of [ann, bob]) await page.getByRole('button', { name: 'Edit', exact: true }).first().click()
    await ann.getByRole('textbox', { name: 'Edit the text' }).fill('Ann’s version')
    await bob.getByRole('textbox', { name: 'Edit the text' }).fill('Bob’s version')
    await ann.getByRole('button', { name: 'Save' }).click()
    await see(ann, 'Ann’s version')
    await bob.getByRole('button', { name: 'Save' }).click()
    await see(bob, 'Somebody else changed this text')
    await see(bob, 'Ann’s version')
    const read = async () => (await stage.as('ann').get(`/repos${path}`)).body.body
    assert.equal(await read(), 'Ann’s version')
    await bob.getByRole('button', { name: 'Replace it with mine' }).click()
    await bob.getByRole('button', { name: 'Save' }).click()
    await see(ann, 'Bob’s version')
    assert.equal(await read(), 'Bob’s version')
    // A reaction, and a label.
    await bob.getByRole('button', { name: 'React', exact: true }).first().click()
    await bob.getByRole('button', { name: 'React with rocket' }).click()
    await ann.getByRole('button', { name: 'Rocket: 1' }).waitFor({ timeout: patience })
    await stage.as('ann').post(`/repos${path}/labels`, { labels: ['question'] })
    await bob.locator('.issue-side .label-chip', { hasText: 'question' }).waitFor({ timeout: patience })
  })

  test('what one writes outlives a reload and a failure, and two tabs do not write over each other', async () => {
    const { stage } = world
    const { body: issue } = await stage.as('ann').post('/repos/ann/tool/issues', { title: 'Drafts' })
    const path = `/ann/tool/issues/${issue.number}`
    const { page, context } = await stage.openAs('bob')
    await show(page, path)
    const field = page.getByRole('textbox', { name: 'Add a comment' })
    await field.fill('Long thought about')
    await page.reload()
    assert.equal(await field.inputValue({ timeout: patience }), 'Long thought about')
    await page.route('**/comments', (route) => route.abort())
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await see(page, 'The server can’t be reached')
    assert.equal(await field.inputValue(), 'Long thought about')
    await page.unrouteAll()
    const other = await context.newPage()
    await show(other, path)
    const second = other.getByRole('textbox', { name: 'Add a comment' })
    assert.equal(await second.inputValue(), 'Long thought about')
    await second.fill('Another thought')
    await see(page, 'editing this text in another tab')
    assert.equal(await field.inputValue(), 'Long thought about')
    await Promise.all([page.reload(), other.reload()])
    assert.equal(await field.inputValue({ timeout: patience }), 'Long thought about')
    assert.equal(await second.inputValue({ timeout: patience }), 'Another thought')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await page.locator('.comment', { hasText: 'Long thought about' }).waitFor({ timeout: patience })
    assert.equal(await field.inputValue(), '')
    assert.equal(await second.inputValue(), 'Another thought')
  })

  test('an issue shows the branches that were made for it', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    const { body: issue } = await ann.post('/repos/ann/tool/issues', { title: 'A branch of its own' })
    const { body: ref } = await ann.get('/repos/ann/tool/git/ref/heads/main')
    const input = { issueId: issue.node_id, name: 'lamps/own', oid: ref.object.sha }
    const query =
      'mutation($input: CreateLinkedBranchInput!) { createLinkedBranch(input: $input) { clientMutationId } }'
    assert.equal((await ann.post('/graphql', { query, variables: { input } })).body.errors, undefined)
    const { page } = await stage.openAs('bob')
    const hands = takeKeyboard(page)
    await show(page, `/ann/tool/issues/${issue.number}`)
    await hands.press('link', 'lamps/own')
    await until(() => new URL(page.url()).pathname === '/ann/tool/tree/lamps/own')
  })

  test('an issue is written by a form of the repository, and a pull by one of several templates', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'fields', auto_init: true })
    const form = `name: Lamp report
description: A lamp that does not shine
title: "[Lamp]: "
labels: [bug]
body:
  - { type: markdown, attributes: { value: "**Thank you** for telling us." } }
  - { type: input, id: place, attributes: { label: Where is it?, description: The room. }, validations: { required: true } }
  - { type: textarea, attributes: { label: What happened? }, validations: { required: true } }
  - { type: textarea, attributes: { label: The log, render: shell } }
  - { type: dropdown, attributes: { label: Colour, options: [red, green] } }
  - { type: checkboxes, attributes: { label: Before you send it, options: [{ label: I have looked, required: true }] } }
`
    const config =
      'blank_issues_enabled: false\ncontact_links:\n  - { name: Forum, url: "https://forum.example.org", about: Ask there }\n'
    const files = {
      '.github/ISSUE_TEMPLATE/lamp.yml': form,
      '.github/ISSUE_TEMPLATE/config.yml': config,
      '.github/ISSUE_TEMPLATE/broken.yml': 'name: [',
      '.github/PULL_REQUEST_TEMPLATE/fix.md': 'What it fixes:',
      '.github/PULL_REQUEST_TEMPLATE/wish.md': 'What it adds:',
    }
    const put = (path: string, text: string, branch = 'main') =>
      ann.put(`/repos/ann/fields/contents/${path}`, {
        ...{ message: path, content: Buffer.from(text).toString('base64'), branch },
      })
    for (const [path, text] of Object.entries(files)) await put(path, text)
    const { body: ref } = await ann.get('/repos/ann/fields/git/ref/heads/main')
    await ann.post('/repos/ann/fields/git/refs', { ref: 'refs/heads/other', sha: ref.object.sha })
    await put('x', 'x', 'other')
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/fields/issues/new')
    await see(page, 'Ask there')
    assert.equal(await page.getByText('Blank issue').count(), 0)
    await hands.press('link', 'Get started: Lamp report')
    await see(page, 'for telling us.')
    await hands.write('Title', '[Lamp]: dark')
    await hands.write('Where is it? (required)', 'The hall')
    await hands.write('The log', 'off')
    await hands.choose('Colour', 'green')
    await hands.tick('checkbox', 'I have looked (required)')
    await hands.press('button', 'Create issue')
    await see(page, '“What happened?” is required.')
    await page.reload()
    await hands.write('What happened? (required)', 'It *broke*')
    await hands.press('button', 'Create issue')
    await heading(page, /\[Lamp\]: dark/)
    const { body: issue } = await ann.get('/repos/ann/fields/issues/1')
    assert.equal(
      issue.body,
      [
        ...['### Where is it?', 'The hall', '### What happened?', 'It *broke*', '### The log', '```shell\noff\n```'],
        ...['### Colour', 'green', '### Before you send it', '- [X] I have looked'],
      ].join('\n\n'),
    )
    assert.deepEqual(
      issue.labels.map(({ name }: Json) => name),
      ['bug'],
    )
    await show(page, '/ann/fields/pulls/new?head=other')
    const text = page.getByRole('textbox', { name: 'Description' })
    await text.waitFor({ timeout: patience })
    assert.equal(await text.inputValue(), 'What it fixes:')
    await hands.choose('Template', 'wish')
    await until(async () => (await text.inputValue()) === 'What it adds:')
    await hands.write('Description', 'My own words')
    await hands.choose('Template', 'fix')
    await hands.answer('Cancel')
    assert.equal(await text.inputValue(), 'My own words')
  })

  test('pinned issues stand above the list, and an issue and its pull lead to each other before anything is merged', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    const { body: issue } = await ann.post('/repos/ann/tool/issues', { title: 'Read this first' })
    const query = 'mutation($input: PinIssueInput!) { pinIssue(input: $input) { issue { number } } }'
    const pinned = await ann.post('/graphql', { query, variables: { input: { issueId: issue.node_id } } })
    assert.equal(pinned.body.errors, undefined)
    const { body: ref } = await ann.get('/repos/ann/tool/git/ref/heads/main')
    await ann.post('/repos/ann/tool/git/refs', { ref: 'refs/heads/wick', sha: ref.object.sha })
    const content = Buffer.from('A wick').toString('base64')
    await ann.put('/repos/ann/tool/contents/wick', { message: 'Add a wick', content, branch: 'wick' })
    const body = `Fixes #${issue.number}`
    const { body: pull } = await ann.post('/repos/ann/tool/pulls', {
      title: 'A wick',
      head: 'wick',
      base: 'main',
      body,
    })
    const { page } = await stage.openAs('bob')
    const hands = takeKeyboard(page)
    await show(page, '/ann/tool/issues')
    await page
      .getByRole('region', { name: 'Pinned issues' })
      .getByText('Read this first')
      .waitFor({ timeout: patience })
    await hands.press('link', 'Read this first')
    await heading(page, /Read this first/)
    await hands.press('link', `A wick #${pull.number}`)
    await heading(page, /A wick/)
    await see(page, 'Issues this closes')
    await hands.press('link', `Read this first #${issue.number}`)
    await heading(page, /Read this first/)
    await show(page, '/ann/tool/branches')
    const row = page.getByRole('row', { name: /^wick/ })
    await row.getByText('by ann').waitFor({ timeout: patience })
    await row.getByRole('link', { name: `#${pull.number}`, exact: true }).waitFor({ timeout: patience })
    await ann.put(`/repos/ann/tool/pulls/${pull.number}/merge`)
    await show(page, `/ann/tool/pull/${pull.number}`)
    await hands.press('button', 'Revert')
    await heading(page, /Revert "A wick"/)
    await see(page, 'wants to merge 1 commit')
    const number = Number(/\d+$/.exec(new URL(page.url()).pathname)![0])
    await ann.put(`/repos/ann/tool/pulls/${number}/merge`)
    for (const name of ['wick', `revert-${pull.number}-wick`])
      await ann.delete(`/repos/ann/tool/git/refs/heads/${name}`)
  })

  test('a link is followed though the issue changes before the next page has come', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    const { body: issue } = await ann.post('/repos/ann/tool/issues', { title: 'Changed while one leaves' })
    const { page } = await stage.openAs('bob')
    await show(page, `/ann/tool/issues/${issue.number}`)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/-\/assets\/.*\.js$/, (route) => released.then(() => route.continue()))
    await page.getByRole('link', { name: 'Code', exact: true }).click()
    await ann.patch(`/repos/ann/tool/issues/${issue.number}`, { title: 'Another title' })
    await see(page, 'Another title')
    release()
    await gone(page, 'Another title')
    assert.equal(new URL(page.url()).pathname, '/ann/tool')
  })

  test('labels and milestones are made, changed and deleted, and a milestone shows its issues', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/tool/labels')
    await hands.press('button', 'New label')
    await hands.write('Name', 'area: lamps')
    await hands.press('button', 'Create label')
    await page.locator('.label-chip', { hasText: 'area: lamps' }).waitFor({ timeout: patience })
    await hands.press('button', 'Edit area: lamps')
    await hands.write('Description', 'All that shines')
    await hands.press('button', 'Save')
    await see(page, 'All that shines')
    await hands.press('button', 'Delete area: lamps')
    await hands.answer('Delete')
    await gone(page, 'All that shines')
    await show(page, '/ann/tool/milestones')
    await hands.press('button', 'New milestone')
    await hands.write('Title', 'Second release')
    await hands.write('Description', 'All **of it**')
    await hands.press('button', 'Create milestone')
    await hands.press('link', 'Second release')
    await heading(page, 'Second release')
    await page.locator('.prose strong', { hasText: 'of it' }).waitFor({ timeout: patience })
    const number = Number(new URL(page.url()).pathname.split('/').at(-1))
    await stage.as('ann').post('/repos/ann/tool/issues', { title: 'For the second', milestone: number })
    await see(page, 'For the second')
    await hands.press('button', 'Close milestone')
    await see(page, /^Closed on/)
  })

  test('an issue is left and followed from its page, with the keyboard alone', async () => {
    const { stage } = world
    const { body: issue } = await stage.as('ann').post('/repos/ann/tool/issues', { title: 'Followed' })
    const subscription = async () =>
      (await stage.as('bob').get(`/repos/ann/tool/issues/${issue.number}/subscription`)).body
    const { page } = await stage.openAs('bob')
    const hands = takeKeyboard(page)
    await show(page, `/ann/tool/issues/${issue.number}`)
    await see(page, 'You are notified: you watch the repository.')
    await hands.press('button', 'Unsubscribe')
    await see(page, 'You are notified only if you comment or are mentioned.')
    assert.equal((await subscription()).ignored, true)
    await hands.press('button', 'Subscribe', true)
    await see(page, 'You are notified: you follow it.')
    assert.equal((await subscription()).reason, 'manual')
  })

  test('an issue is transferred, and its old address leads to it; one that is gone is told to be gone', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'elsewhere' })
    const { body: issue } = await ann.post('/repos/ann/tool/issues', { title: 'Wrong place' })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, `/ann/tool/issues/${issue.number}`)
    await hands.press('button', 'Transfer issue')
    await hands.write('New repository', 'ann/elsewhere')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/ann/elsewhere/issues/1')
    await page.goto(`/ann/tool/issues/${issue.number}`)
    await page.waitForURL('**/ann/elsewhere/issues/1')
    await heading(page, /Wrong place/)
    await hands.press('button', 'Delete issue')
    await hands.answer('Delete')
    await page.waitForURL('**/ann/elsewhere/issues')
    await page.goto('/ann/elsewhere/issues/1')
    await see(page, 'There is no such issue')
  })
}
