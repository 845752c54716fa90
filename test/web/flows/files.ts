/** Folders and files: their last commits, lines that are linked to, who wrote them, and their bytes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchPaths } from '../../../web/code/finding/match-paths.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import type { CodeWorld } from '../code-pages.test.ts'
import { heading, patience, see, show } from '../hands.ts'

declare const window: Json

/** A picture of one pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export function testFiles(world: CodeWorld): void {
  test('a repository’s home shows its files with their last commits, its README, and where it is cloned from', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'files', description: 'Many files' })
    await ann.put('/repos/ann/files/topics', { names: ['compilers'] })
    await stage.push('ann', 'files', [
      {
        message: 'First words',
        files: { 'README.md': '# Read me\n\nHello *there*.\n', 'src/a/deep.js': 'let a = 1\n' },
      },
      {
        message: 'Add a long one',
        files: { 'src/long.py': Array.from({ length: 20_000 }, (_, i) => `line_${i + 1} = ${i}\n`).join('') },
      },
      { message: 'On a branch', files: { 'src/branch.txt': 'b\n' }, branch: 'feature/x' },
    ])
    await ann.patch('/repos/ann/files', { default_branch: 'main' })
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/files')
    await page.getByRole('heading', { name: 'Read me' }).waitFor({ timeout: patience })
    await page.getByRole('row', { name: /src Add a long one/ }).waitFor({ timeout: patience })
    await page.getByRole('row', { name: /README.md First words/ }).waitFor({ timeout: patience })
    await see(page, '2 branches')
    await see(page, 'Python')
    await see(page, 'compilers')
    await page.getByText('Clone', { exact: true }).click()
    assert.equal(await page.getByLabel('Address to clone from').inputValue(), `${stage.url}/ann/files.git`)
    await page.getByRole('button', { name: 'Create a token for git' }).click()
    const token = await page.locator('.secret').textContent({ timeout: patience })
    const answer = await fetch(`${stage.url}/user`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(((await answer.json()) as { login: string }).login, 'ann')

    await page.getByRole('link', { name: 'src' }).click()
    await page.getByRole('row', { name: /long.py Add a long one/ }).waitFor({ timeout: patience })
    await page.getByText('Branch', { exact: false }).first().click()
    await page.getByRole('link', { name: 'feature/x' }).click()
    await page.getByRole('row', { name: /branch.txt On a branch/ }).waitFor({ timeout: patience })
    assert.equal(new URL(page.url()).pathname, '/ann/files/tree/feature/x/src')
    await page.getByRole('link', { name: 'branch.txt' }).click()
    await page.locator('.code-cell', { hasText: 'b' }).waitFor({ timeout: patience })
    assert.equal(new URL(page.url()).pathname, '/ann/files/blob/feature/x/src/branch.txt')
  })

  test('links and pictures of a README lead to files of its repository, and links to headings to the heading', async () => {
    const { stage } = world
    await stage.as('ann').post('/user/repos', { name: 'linked' })
    const readme =
      '# Linked\n\n[Guide](docs/guide.md#first-steps) ![dot](docs/dot.png) ![drawn](docs/drawn.svg) [Below](#what-is-below)\n\n'
    const guide = '# Guide\n\n[Back](../README.md) ![dot](./dot.png)\n\n'
    const long = 'Words.\n\n'.repeat(200)
    await stage.push('ann', 'linked', [
      {
        message: 'Linked',
        files: {
          'README.md': `${readme}${long}## What is below?\n`,
          'docs/guide.md': `${guide}${long}## First steps\n`,
          'docs/dot.png': Buffer.from(dot, 'base64'),
          'docs/drawn.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>',
        },
        branch: 'feature/x',
      },
    ])
    const { page } = await stage.openAs('ann')
    const widthOf = (name: string) =>
      page.locator(`img[alt="${name}"]`).evaluate(async (image: Json) => {
        await image.decode()
        return image.naturalWidth
      })
    const isInView = async (name: string) =>
      until(() =>
        page
          .getByRole('heading', { name })
          .evaluate((one: Json) => one.getBoundingClientRect().top < window.innerHeight),
      )
    await show(page, '/ann/linked/tree/feature/x')
    await page.getByRole('link', { name: 'Below' }).click()
    await isInView('What is below?')
    assert.deepEqual([await widthOf('dot'), await widthOf('drawn')], [1, 7])
    await page.getByRole('link', { name: 'Guide' }).click()
    await page.waitForURL('**/ann/linked/blob/feature/x/docs/guide.md#first-steps', { timeout: patience })
    await isInView('First steps')
    assert.equal(await widthOf('dot'), 1)
    await page.getByRole('link', { name: 'Back' }).click()
    await page.waitForURL('**/ann/linked/blob/feature/x/README.md', { timeout: patience })
    await page.goto('/ann/linked/tree/feature/x#what-is-below')
    await isInView('What is below?')
  })

  test('a long file is drawn as it is seen, and a line of it is linked to', async () => {
    const { stage } = world
    const { page } = await stage.openAs('ann')
    await page.goto('/ann/files/blob/main/src/long.py#L15000-L15002')
    await page.locator('tr.chosen').nth(2).waitFor({ timeout: patience })
    assert.deepEqual(await page.locator('tr.chosen .code-cell').allTextContents(), [
      'line_15000 = 14999',
      'line_15001 = 15000',
      'line_15002 = 15001',
    ])
    await page.locator('tr.chosen').first().waitFor({ state: 'visible' })
    assert.ok((await page.locator('tr[data-at]').count()) < 1_000)
    await see(page, '20,000 lines')
    await page.getByLabel('Go to line').fill('3')
    await page.keyboard.press('Enter')
    await page.waitForURL('**#L3')
    await page.locator('tr.chosen', { hasText: 'line_3 = 2' }).waitFor({ timeout: patience })
    await page.locator('.line-number[data-line="5"]').click({ modifiers: ['Shift'] })
    await page.waitForURL('**#L3-L5')
    await page.getByRole('link', { name: 'Blame' }).click()
    await page.getByRole('link', { name: 'Add a long one' }).first().waitFor({ timeout: patience })
  })

  test('a folder of 2,500 entries shows all of them with their commits, drawn as one scrolls', async () => {
    const { stage } = world
    await stage.as('ann').post('/user/repos', { name: 'large' })
    const files = Array.from({ length: 2_499 }, (_, i) => [`many/f${String(i).padStart(4, '0')}`, `${i}`])
    await stage.push('ann', 'large', [
      { message: 'All files', files: { ...Object.fromEntries(files), 'many/z/inside': '1' } },
      { message: 'Change the last', files: { 'many/f2498': 'changed' } },
    ])
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/large/tree/main/many')
    const rows = page.locator('.tree tr:has(.tree-name)')
    await rows.first().waitFor({ timeout: patience })
    assert.match((await rows.first().innerText()).trim(), /^z\b/)
    assert.ok((await rows.count()) < 1_000)
    const seen = new Set<string>()
    await until(async () => {
      await page.mouse.wheel(0, 4_000)
      for (const name of await rows.locator('.tree-name a').allTextContents()) seen.add(name)
      return seen.has('f2498')
    })
    assert.equal(seen.size, 2_500)
    await page.getByRole('row', { name: /f2498 Change the last/ }).waitFor({ timeout: patience })
    await page.getByRole('row', { name: /f2497 All files/ }).waitFor({ timeout: patience })
    assert.ok((await rows.count()) < 1_500)
  })

  test('a file is found by letters of its path, with the keyboard alone', async () => {
    const paths = ['src/plan.ts', 'src/deep/plain-text.ts', 'test/plan.test.ts', 'README.md']
    assert.deepEqual(matchPaths(paths, 'plan.ts', 9), ['src/plan.ts', 'test/plan.test.ts', 'src/deep/plain-text.ts'])
    assert.deepEqual(matchPaths(paths, 'srd pln', 9), ['src/deep/plain-text.ts'])
    assert.deepEqual(matchPaths(paths, 'xyz', 9), [])
    assert.deepEqual(matchPaths(paths, '', 2), paths.slice(0, 2))
    const { stage } = world
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/files')
    await page.keyboard.press('t')
    await page.getByRole('searchbox', { name: 'Find a file' }).waitFor({ timeout: patience })
    await page.keyboard.type('deep')
    await page.getByRole('link', { name: 'src/a/deep.js' }).waitFor({ timeout: patience })
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox', { name: 'Find a file' }).waitFor({ state: 'detached', timeout: patience })
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox', { name: 'Find a file' }).waitFor({ timeout: patience })
    await page.keyboard.type('l')
    await page.getByRole('link', { name: 'src/long.py' }).waitFor({ timeout: patience })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/ann/files/blob/main/**', { timeout: patience })
  })

  test('raw text is text to a browser, whatever is in it', async () => {
    const { stage } = world
    await stage.as('ann').post('/user/repos', { name: 'raw' })
    await stage.push('ann', 'raw', [
      {
        message: 'Raw',
        files: { 'a.html': '<script>document.title = "pwned"</script>', 'a.svg': '<svg onload="1"/>' },
      },
    ])
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/raw/blob/main/a.html')
    await page.getByRole('link', { name: 'Raw', exact: true }).click()
    await page.waitForURL('**/repos/ann/raw/raw/a.html?*')
    await see(page, '<script>document.title')
    assert.notEqual(await page.title(), 'pwned')
    await page.goto('/ann/raw/raw/main/a.svg')
    await page.waitForURL('**/repos/ann/raw/raw/a.svg?*')
    await see(page, '<svg onload')
  })

  test('what is not there says so and leads on', async () => {
    const { stage } = world
    await stage.as('ann').post('/user/repos', { name: 'empty' })
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/files/blob/main/none.txt')
    await heading(page, 'This file or folder does not exist')
    await show(page, '/ann/files/tree/none')
    await heading(page, 'This file or folder does not exist')
    await show(page, '/ann/empty')
    await see(page, 'This repository is empty')
    await see(page, 'git remote add origin')
  })
}
