/** Tasks in texts are ticked where they stand, and counted; alerts, footnotes and names of emoji are shown. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTasks, tickTask } from '../../../web/issues/tasks.ts'
import { until } from '../../support/until.ts'
import type { DeveloperWorld } from '../developer-pages.test.ts'
import { patience, see, show, takeKeyboard } from '../hands.ts'
import { lookAt } from '../looks.ts'

const body = 'To do:\r\n\r\n- [x] one\r\n- [ ] two\r\n  1. [ ] three\r\n\r\n```\r\n- [ ] code\r\n```\r\n'

export function testTasks(world: DeveloperWorld): void {
  test('tasks are counted as they are shown, and ticking one changes nothing else', () => {
    assert.deepEqual(countTasks(body), { done: 1, all: 3 })
    assert.deepEqual(countTasks('> * [X] a\n- [ ]b\n~~~\n- [ ] c\n~~~\n<!-- - [ ] d -->\n+ [ ] e\n'), {
      done: 1,
      all: 2,
    })
    assert.deepEqual(countTasks(null), { done: 0, all: 0 })
    assert.equal(tickTask(body, 3, true), body.replace('[ ] two', '[x] two'))
    assert.equal(tickTask(body, 4, true), body.replace('[ ] three', '[x] three'))
    assert.equal(tickTask(body, 2, false), body.replace('[x] one', '[ ] one'))
    assert.equal(tickTask(body, 0, true), undefined)
    assert.equal(tickTask(body, 99, true), undefined)
  })

  test('a task is ticked by whoever may edit the text, and a text that somebody has changed is not overwritten', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'tasks' })
    const { body: issue } = await ann.post('/repos/ann/tasks/issues', { title: 'Three tasks', body })
    const path = `/repos/ann/tasks/issues/${issue.number}`
    await ann.post(`${path}/comments`, { body: '- [ ] of a comment' })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, `/ann/tasks/issues/${issue.number}`)
    const box = (name: string) => page.getByRole('checkbox', { name })
    const textNow = async () => (await ann.get(path)).body.body
    await see(page, '1 of 3')
    await hands.tick('checkbox', 'two')
    await see(page, '2 of 3')
    assert.equal(await textNow(), body.replace('[ ] two', '[x] two'))
    await until(() => box('two').evaluate((one) => one === one.ownerDocument.activeElement))
    await hands.tick('checkbox', 'of a comment')
    await until(async () => (await ann.get(`${path}/comments`)).body[0].body === '- [x] of a comment')
    await lookAt(page, 'tasks')
    // The page is cut off from news while somebody else writes.
    await page.route('**/-/live**', (route) => route.abort())
    await page.reload()
    await box('three').waitFor({ timeout: patience })
    await ann.patch(path, { body: '- [ ] another\n- [ ] text\n' })
    await box('three').click()
    await see(page, /Somebody else has changed this text in the meantime/)
    await box('another').waitFor({ timeout: patience })
    assert.equal(await textNow(), '- [ ] another\n- [ ] text\n')

    const { page: other } = await stage.openAs('bob')
    await show(other, '/ann/tasks/issues')
    await see(other, '0 of 2')
    await show(other, `/ann/tasks/issues/${issue.number}`)
    assert.equal(await other.getByRole('checkbox', { name: 'another' }).isDisabled(), true)
  })

  test('alerts, footnotes and names of emoji are shown in comments, and a footnote leads to its text and back', async () => {
    const { stage } = world
    const kinds = ['NOTE', 'TIP', 'IMPORTANT', 'WARNING', 'CAUTION'].map((kind) => `> [!${kind}]\n> Words of it.\n`)
    const text = `${kinds.join('\n')}\nA claim[^1] :tada:\n\n${'Words.\n\n'.repeat(60)}\n\n[^1]: Its reason.\n`
    const { body: issue } = await stage.as('ann').post('/repos/ann/tasks/issues', { title: 'Marks', body: text })
    await stage.as('ann').post(`/repos/ann/tasks/issues/${issue.number}/comments`, { body: 'B[^1]\n\n[^1]: Other.\n' })
    const { page } = await stage.openAs('ann')
    await show(page, `/ann/tasks/issues/${issue.number}`)
    await see(page, /A claim.*🎉/)
    for (const name of ['Note', 'Tip', 'Important', 'Warning', 'Caution'])
      await page.locator('.markdown-alert-title', { hasText: name }).waitFor({ timeout: patience })
    await lookAt(page, 'marks')
    const isInView = (words: string) =>
      until(() =>
        page
          .getByText(words)
          .first()
          .evaluate((one) => {
            const { top } = one.getBoundingClientRect()
            return top >= 0 && top < 740
          }),
      )
    await page.locator('sup a').first().click()
    await isInView('Its reason.')
    await page.getByRole('link', { name: 'Back to reference 1' }).first().click()
    await isInView('A claim')
  })
}
