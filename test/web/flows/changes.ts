/** What changed: commits and comparisons, large ones too, with lines drawn as they come into sight. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePatch, toRows } from '../../../web/parts/diff/patch.ts'
import type { Json } from '../../support/rpc.ts'
import type { CodeWorld } from '../code-pages.test.ts'
import { heading, patience, see } from '../hands.ts'

declare const window: Json

export function testChanges(world: CodeWorld): void {
  test('a patch becomes lines with the numbers of both sides, and replaced ones stand side by side', () => {
    const patch = '@@ -1,4 +1,4 @@ head\n a\n-b\n-c\n+B\n d\n\\ No newline at end of file\n@@ -9 +9,2 @@\n+x\r\n y'
    const hunks = parsePatch(patch)
    const lines = hunks.map(({ lines: all }) =>
      all.map(({ text, oldNumber, newNumber }) => [text, oldNumber, newNumber]),
    )
    assert.deepEqual(lines, [
      [
        ['a', 1, 1],
        ['b', 2, undefined],
        ['c', 3, undefined],
        ['B', undefined, 2],
        ['d', 4, 3],
      ],
      [
        ['x\r', undefined, 9],
        ['y', 9, 10],
      ],
    ])
    assert.deepEqual(
      toRows(hunks, 'split').map((row) =>
        row.kind === 'hunk' ? '@' : `${row.left?.text ?? ''}|${row.right?.text ?? ''}`,
      ),
      ['@', 'a|a', 'b|B', 'c|', 'd|d', '@', '|x\r', 'y|y'],
    )
    assert.equal(hunks[0]!.lines.at(-1)!.lacksEnd, true)
    assert.deepEqual(
      hunks.map(({ newText }) => newText),
      ['a\nB\nd', 'x\r\ny'],
    )
  })

  test('a commit shows what it changed, unified and side by side; of many lines those in sight are drawn', async () => {
    const { stage } = world
    await stage.as('ann').post('/user/repos', { name: 'changes' })
    const lines = (from: number, word: string) =>
      Array.from({ length: 10_000 }, (_, i) => `${word}${from + i};\n`).join('')
    await stage.push('ann', 'changes', [
      {
        message: 'First',
        files: {
          'a.js': 'const a = 1\nlet b = 2\n',
          'old.txt': 'one\ntwo\nthree\n',
          'picture.bin': Buffer.from([0, 1, 2, 3]),
          'long.js': 'x',
        },
      },
      {
        message: 'Change much\n\nAnd say <b>why</b>.',
        files: {
          'a.js': 'const a = 1\nlet b = 3\n',
          'old.txt': undefined,
          'new.txt': 'one\ntwo\nthree\n',
          'picture.bin': Buffer.from([0, 9, 2, 3]),
          'long.js': `${'y'.repeat(1_000_000)}\n`,
          'ten.js': lines(0, 'a'),
        },
      },
    ])
    const { body: commit } = await stage.as('ann').get('/repos/ann/changes/commits/main')
    const { page } = await stage.openAs('ann')
    await page.goto(`/ann/changes/commit/${commit.sha}`)
    await heading(page, 'Change much')
    await see(page, 'And say <b>why</b>.')
    await see(page, 'The content is the same.')
    await see(page, 'There is no text to show')
    await see(page, 'These changes are too large')
    assert.equal(await page.getByRole('radio', { name: 'Unified' }).isChecked(), true)
    const a = page.getByRole('region', { name: 'Changes of a.js' })
    await a.locator('.tok-keyword').first().waitFor({ timeout: patience })
    assert.deepEqual(await a.locator('.changed-part').allTextContents(), ['2', '3'])
    await page.getByRole('radio', { name: 'Side by side' }).check()
    await a.locator('.code-cell').nth(3).waitFor({ timeout: patience })
    assert.equal(await a.locator('tr[data-row]').count(), 2)
    const drawn = () => page.locator('tr[data-row]').count()
    assert.ok((await drawn()) < 1_500, `${await drawn()} rows`)
    await page.evaluate(() => window.scrollTo(0, window.document.body.scrollHeight))
    await see(page, 'a9999;')
    assert.ok((await drawn()) < 1_500, `${await drawn()} rows`)
  })
}
