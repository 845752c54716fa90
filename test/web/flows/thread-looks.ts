/** The pages of issues and pulls as people see and reach them: hostile texts run nothing, and axe finds nothing to mend. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { show } from '../hands.ts'
import { findFaults } from '../looks.ts'
import type { ThreadWorld } from '../thread-pages.test.ts'

declare const window: Json

const tag = '<img src=x onerror=window.pwned=1>'
const texts = [
  tag,
  '<script>window.pwned=1</script>',
  '<svg onload=window.pwned=1>',
  '[a](javascript:window.pwned=1)',
  `![a](javascript:window.pwned=1) </textarea>${tag}`,
  `\`\`\`suggestion\n${tag}\n\`\`\``,
].join('\n\n')

export function testThreadLooks(world: ThreadWorld): void {
  test('nothing that people write or name runs as a script or breaks out; axe finds nothing, narrow and wide, light and dark', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'odd', description: tag })
    const file = `${tag.replaceAll('/', '')}.txt`
    const branch = 'x"onmouseover="window.pwned=1'
    await stage.push('ann', 'odd', [
      {
        message: tag,
        files: {
          [file]: `${tag}\nb\n`,
          'b.txt': 'b\n',
          'b.bin': Buffer.from([0, 1]),
          'long.txt': 'x'.repeat(1_000_000),
        },
      },
      {
        message: tag,
        branch,
        files: {
          [file]: `${tag}\n${tag}\n`,
          'b.txt': 'c\n',
          'b.bin': Buffer.from([0, 2]),
          'long.txt': `${tag}${'y'.repeat(1_000_000)}`,
        },
      },
    ])
    await ann.post('/repos/ann/odd/labels', { name: tag, color: '777777', description: tag })
    await ann.post('/repos/ann/odd/milestones', { title: tag, description: texts })
    const { body: issue } = await ann.post('/repos/ann/odd/issues', {
      ...{ title: tag, body: texts, labels: [tag], assignees: ['ann'], milestone: 1 },
    })
    await ann.post(`/repos/ann/odd/issues/${issue.number}/comments`, { body: texts })
    await ann.post(`/repos/ann/odd/issues/${issue.number}/reactions`, { content: 'heart' })
    const { body: pull } = await ann.post('/repos/ann/odd/pulls', {
      title: tag,
      body: texts,
      head: branch,
      base: 'main',
    })
    assert.ok(pull.number, JSON.stringify(pull))
    await ann.post(`/repos/ann/odd/pulls/${pull.number}/reviews`, {
      ...{ event: 'COMMENT', body: texts, comments: [{ path: file, line: 2, side: 'RIGHT', body: texts }] },
    })
    await ann.post(`/repos/ann/odd/statuses/${pull.head.sha}`, {
      ...{ state: 'success', context: tag, description: tag, target_url: 'https://example.org/' },
    })
    const own = `/ann/odd/pull/${pull.number}`
    const paths = [
      ...['/ann/odd/issues', '/ann/odd/issues/new', `/ann/odd/issues/${issue.number}`, '/ann/odd/labels'],
      ...['/ann/odd/milestones', '/ann/odd/milestone/1', '/ann/odd/pulls', `/ann/odd/pulls/new?head=${branch}`],
      ...[own, `${own}/commits`, `${own}/checks`, `${own}/files`],
      `/ann/odd/issues?q=${encodeURIComponent(tag)}`,
    ]
    const { page } = await stage.openAs('ann')
    const found: string[] = []
    for (const path of paths) {
      await show(page, path)
      assert.equal(await page.evaluate(() => window.pwned), undefined, path)
      const bad = await page.evaluate(
        () =>
          window.document.querySelectorAll('main script, main [onerror], main [onload], main a[href^="javascript"]')
            .length,
      )
      assert.equal(bad, 0, path)
      found.push(...(await findFaults(page, path)))
    }
    assert.deepEqual(found, [])
  })
}
