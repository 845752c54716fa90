/** Commits as a list and as a graph, comparisons, branches, tags, releases, and files that are written in the browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawGraph } from '../../../web/code/graph-rows.ts'
import { commitSigned, drawSigner, signBySsh } from '../../forge/signatures/signing.ts'
import { makeWorkingFolder } from '../../support/git.ts'
import type { CodeWorld } from '../code-pages.test.ts'
import { chosenFile, heading, patience, see, show, takeKeyboard } from '../hands.ts'

export function testHistory(world: CodeWorld): void {
  test('a graph leads each commit to its parents, and columns that nobody waits for are free again', () => {
    const commit = (sha: string, ...parents: string[]) => ({ sha, parents: parents.map((one) => ({ sha: one })) })
    const rows = drawGraph([commit('m', 'b', 's'), commit('s', 'a'), commit('b', 'a'), commit('a')])
    assert.deepEqual(rows, [
      {
        column: 0,
        above: [],
        below: [
          [0, 0],
          [0, 1],
        ],
      },
      {
        column: 1,
        above: [
          [0, 0],
          [1, 1],
        ],
        below: [
          [0, 0],
          [1, 1],
        ],
      },
      {
        column: 0,
        above: [
          [0, 0],
          [1, 1],
        ],
        below: [
          [1, 1],
          [0, 1],
        ],
      },
      { column: 1, above: [[1, 1]], below: [] },
    ])
  })

  test('a commit tells whether a registered key signed it, in the list and on its page', async () => {
    const { stage } = world
    const [ann, signer] = [stage.as('ann'), drawSigner()]
    await ann.patch('/user', { email: 'ann@example.org' })
    await ann.post('/user/repos', { name: 'sealed' })
    await stage.push('ann', 'sealed', [{ message: 'Plain', files: { 'a.txt': 'a\n' } }])
    const folder = await makeWorkingFolder()
    try {
      await folder.must('pull', '--quiet', `${stage.url}/ann/sealed.git`, 'main')
      const sha = await commitSigned(folder, 'ann@example.org', (payload) => signBySsh(signer, payload), 'Sealed')
      await stage.pushCommit('ann', 'sealed', folder, sha)
      const { page } = await stage.openAs('ann')
      await show(page, '/ann/sealed/commits/main')
      await page.locator('.commit-row', { hasText: 'Sealed' }).getByText('Unverified').waitFor({ timeout: patience })
      assert.equal(await page.locator('.commit-row', { hasText: 'Plain' }).getByText('erified').count(), 0)
      await ann.post('/user/ssh_signing_keys', { key: signer.bare })
      await show(page, `/ann/sealed/commit/${sha}`)
      await page.locator('.commit-card').getByText('Verified', { exact: true }).waitFor({ timeout: patience })
    } finally {
      await folder.drop()
    }
  })

  test('commits are listed and drawn, branches compared, and tags and releases published with files', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'story' })
    await stage.push('ann', 'story', [
      { message: 'One', files: { 'a.txt': 'a\n' } },
      { message: 'Two\n\nIn more words.', files: { 'a.txt': 'b\n' } },
      { message: 'Three', files: { 'c.txt': 'c\n' }, branch: 'side/step' },
    ])
    await ann.patch('/repos/ann/story', { default_branch: 'main' })
    const { page } = await stage.openAs('ann')
    await show(page, '/ann/story/commits/main')
    await page.getByRole('link', { name: 'Two' }).waitFor({ timeout: patience })
    await page.getByRole('link', { name: 'Graph' }).click()
    await page.locator('.graph-row svg').nth(1).waitFor({ timeout: patience })
    await show(page, '/ann/story/commits/side/step/c.txt')
    await page.getByRole('link', { name: 'Three' }).waitFor({ timeout: patience })
    assert.equal(await page.locator('.commit-row').count(), 1)

    await show(page, '/ann/story/branches')
    await page.getByRole('link', { name: 'Compare side/step with main' }).click()
    await heading(page, 'Compare changes')
    await see(page, '1 commit, 1 changed file')
    await page.getByRole('region', { name: 'Changes of c.txt' }).waitFor({ timeout: patience })
    await show(page, '/ann/story/branches')
    await page.getByRole('textbox', { name: 'Name' }).fill('fresh')
    await page.getByRole('button', { name: 'Create branch' }).click()
    await page.getByRole('button', { name: 'Delete fresh' }).click({ timeout: patience })
    await page.getByRole('dialog').getByRole('button', { name: 'Delete branch' }).click()
    await page.getByRole('button', { name: 'Delete fresh' }).waitFor({ state: 'detached', timeout: patience })

    await show(page, '/ann/story/releases')
    await see(page, 'No releases yet')
    await page.getByRole('link', { name: 'New release' }).click()
    await page.getByRole('textbox', { name: 'Tag' }).fill('v1.0')
    await page.getByRole('textbox', { name: 'Title' }).fill('The first')
    await page.getByRole('textbox', { name: 'Release notes' }).fill('It is **there**.')
    await page.getByLabel('Files', { exact: true }).setInputFiles(chosenFile('tool.txt', 'tool'))
    await page.getByRole('button', { name: 'Publish release' }).click()
    await heading(page, 'The first')
    assert.equal(new URL(page.url()).pathname, '/ann/story/releases/tag/v1.0')
    await page.getByRole('link', { name: 'tool.txt' }).waitFor({ timeout: patience })
    assert.equal(await page.locator('.release strong').textContent(), 'there')
    await show(page, '/ann/story/tags')
    await page.getByRole('link', { name: 'v1.0', exact: true }).waitFor({ timeout: patience })
  })

  test('a file is written, changed, moved, proposed and deleted, with the keyboard alone', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'written' })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/written')
    await hands.press('link', 'Create its first file here')
    await heading(page, 'New file')
    await hands.write('Path', 'docs/a.md')
    await hands.writeCode('# Ä first\n')
    await hands.press('button', 'Commit', true)
    await heading(page, /docs\/a.md/)
    await page.getByRole('heading', { name: 'Ä first' }).waitFor({ timeout: patience })
    assert.equal((await ann.get('/repos/ann/written/commits/main')).body.commit.message, 'Create a.md')

    await hands.press('link', 'Edit')
    await heading(page, 'Edit a.md')
    await hands.write('Path', 'docs/b.md')
    await hands.writeCode('# Moved\n')
    await hands.press('button', 'Commit', true)
    await page.waitForURL('**/blob/main/docs/b.md')
    await page.getByRole('heading', { name: 'Moved' }).waitFor({ timeout: patience })
    assert.equal((await ann.get('/repos/ann/written/contents/docs/a.md')).status, 404)

    const { page: other } = await stage.openAs('bob')
    const others = takeKeyboard(other)
    await show(other, '/ann/written/edit/main/docs/b.md')
    await see(other, 'Your change is made in your own fork')
    await others.writeCode('# Proposed\n')
    await others.press('button', 'Propose change')
    await heading(other, 'New pull request')
    await others.press('button', 'Create pull request')
    await other.waitForURL('**/ann/written/pull/1', { timeout: patience })
    const { body: pull } = await ann.get('/repos/ann/written/pulls/1')
    assert.deepEqual([pull.head.repo.full_name, pull.base.ref, pull.title], ['bob/written', 'main', 'Update b.md'])

    await show(page, '/ann/written/blob/main/docs/b.md')
    await hands.press('link', 'Delete')
    await heading(page, 'Delete b.md')
    await hands.press('button', 'Commit', true)
    await page.waitForURL('**/ann/written/tree/main/docs', { timeout: patience })
    assert.equal((await ann.get('/repos/ann/written/contents/docs/b.md')).status, 404)
  })
}
