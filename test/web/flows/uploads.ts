/** Files uploaded in the browser: several in one commit, on a branch, as a pull request, or as the first of a repository. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Json } from '../../support/rpc.ts'
import type { CodeWorld } from '../code-pages.test.ts'
import { chosenFile, heading, patience, see, show, takeKeyboard } from '../hands.ts'

declare const window: Json

export function testUploads(world: CodeWorld): void {
  const read = async (repository: string, path: string, ref = 'main') => {
    const { body, status } = await world.stage.as('ann').get(`/repos/${repository}/contents/${path}?ref=${ref}`)
    return status === 200 ? Buffer.from(body.content, 'base64').toString() : status
  }

  test('several files are uploaded to a folder in one commit, with the keyboard alone', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'taken' })
    await stage.push('ann', 'taken', [{ message: 'First', files: { 'src/a.txt': 'old\n', 'src/b.txt': 'b\n' } }])
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/taken/tree/main/src')
    await hands.press('link', 'Upload files')
    await heading(page, 'Upload files to src')
    await hands.offer('Choose files', [
      chosenFile('a.txt', 'new\n'),
      chosenFile('c.bin', Buffer.from([0, 255, 1])),
      chosenFile('d.txt', ''),
    ])
    await hands.press('button', 'Remove d.txt')
    await see(page, 'c.bin')
    await hands.press('button', 'Commit')
    await page.waitForURL('**/ann/taken/tree/main/src', { timeout: patience })
    await page.getByRole('row', { name: /c.bin Add 2 files/ }).waitFor({ timeout: patience })
    assert.equal(await read('ann/taken', 'src/a.txt'), 'new\n')
    assert.equal(await read('ann/taken', 'src/b.txt'), 'b\n')
    assert.equal(await read('ann/taken', 'src/d.txt'), 404)
    const { body: bytes } = await ann.get('/repos/ann/taken/contents/src/c.bin')
    assert.deepEqual([...Buffer.from(bytes.content, 'base64')], [0, 255, 1])
    assert.equal((await ann.get('/repos/ann/taken/commits')).body.length, 2)
  })

  test('files dropped on a folder are proposed as a pull request by somebody who may not write', async () => {
    const { stage } = world
    const { page } = await stage.openAs('bob')
    await show(page, '/ann/taken')
    await page.getByRole('link', { name: 'src' }).waitFor({ timeout: patience })
    await drop(page, '.folder-drop', ['one.txt', 'two.txt'])
    await heading(page, 'Upload files')
    await see(page, 'one.txt')
    await see(page, /made in your own fork/)
    await page.getByLabel('Message').fill('Two more')
    await page.getByRole('button', { name: 'Propose change' }).click()
    await heading(page, 'New pull request')
    await page.getByRole('button', { name: 'Create pull request' }).click()
    await heading(page, /^Two more/)
    const number = Number(new URL(page.url()).pathname.split('/').at(-1))
    const { body: files } = await stage.as('ann').get(`/repos/ann/taken/pulls/${number}/files`)
    assert.deepEqual(
      files.map(({ filename }: Json) => filename),
      ['one.txt', 'two.txt'],
    )
  })

  test('an empty repository begins with uploaded files', async () => {
    const { stage } = world
    await stage.as('ann').post('/user/repos', { name: 'begun' })
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/begun')
    await page.getByRole('link', { name: 'upload files' }).click()
    await heading(page, 'Upload files')
    await drop(page, '.drop', ['x.txt', 'y.txt'])
    await page.getByRole('button', { name: 'Commit' }).click()
    await page.getByRole('link', { name: 'y.txt' }).waitFor({ timeout: patience })
    assert.equal(await read('ann/begun', 'x.txt'), 'Text of x.txt')
    assert.equal(await read('ann/begun', 'y.txt'), 'Text of y.txt')
  })

  test('menus close by Escape and by a press elsewhere, and a branch is found by any part of its name', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'menus', auto_init: true })
    const { body: ref } = await ann.get('/repos/ann/menus/git/ref/heads/main')
    await ann.post('/repos/ann/menus/git/refs', { ref: 'refs/heads/feature/zones', sha: ref.object.sha })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/menus')
    const menu = page.locator('details.menu', { has: page.getByText('Branch', { exact: true }) })
    await menu.locator('summary').click()
    const field = page.getByRole('searchbox', { name: 'Find a branch' })
    await field.fill('zones')
    await menu.getByRole('link', { name: 'main' }).waitFor({ state: 'detached', timeout: patience })
    await menu.getByRole('link', { name: 'feature/zones' }).waitFor({ timeout: patience })
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached', timeout: patience })
    assert.equal(
      await menu.locator('summary').evaluate((element: Json) => element === window.document.activeElement),
      true,
    )
    await menu.locator('summary').click()
    await field.waitFor({ timeout: patience })
    await page.mouse.click(3, 500)
    await field.waitFor({ state: 'detached', timeout: patience })
    await hands.open('Branch')
    await hands.write('Find a branch', 'zones')
    await hands.press('link', 'feature/zones')
    await page.waitForURL('**/ann/menus/tree/feature/zones', { timeout: patience })
  })

  test('a wiki is begun, its pages are changed, renamed and deleted, and nobody writes over what they have not seen', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'book', has_wiki: true })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/book/wiki')
    await hands.press('link', 'Write the first page')
    await heading(page, 'New page')
    await hands.write('Text', 'See [[Second page]].')
    await hands.press('button', 'Create page')
    await heading(page, 'Home')
    await hands.press('link', 'Second page')
    await hands.press('link', 'Write it')
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Second-page')
    await hands.write('Text', 'A *page*.')
    await hands.press('button', 'Create page')
    await heading(page, 'Second page')
    await hands.press('link', 'Edit')
    await hands.write('Name', 'Other page')
    await hands.write('What changed', 'A better name')
    await hands.press('button', 'Save page')
    await heading(page, 'Other page')
    await hands.press('link', 'History')
    await see(page, 'A better name')
    await show(page, '/ann/book/wiki/Home?view=edit')
    const { body: home } = await ann.get('/repos/ann/book/wiki/pages/Home')
    await ann.put('/repos/ann/book/wiki/pages/Home', { text: 'By somebody else.', sha: home.sha })
    await hands.write('Text', 'My own words')
    await hands.press('button', 'Save page')
    await see(page, 'Home has changed meanwhile.')
    assert.equal(await page.getByRole('textbox', { name: 'Text' }).inputValue(), 'My own words')
    await show(page, '/ann/book/wiki/Other-page')
    await hands.press('button', 'Delete')
    await hands.answer('Delete page')
    await heading(page, 'Home')
    assert.equal((await ann.get('/repos/ann/book/wiki/pages/Other-page')).status, 404)
  })
}

/** As a mouse does it. */
async function drop(page: Page, place: string, names: readonly string[]): Promise<void> {
  const dataTransfer = await page.evaluateHandle((all) => {
    const held = new window.DataTransfer()
    for (const name of all) held.items.add(new window.File([`Text of ${name}`], name, { type: 'text/plain' }))
    return held
  }, names)
  await page.dispatchEvent(place, 'drop', { dataTransfer })
}
