/** The search box and the home: everything that one may see is found from anywhere, and what waits for one is on the first page. */
import { test } from 'node:test'
import { makeProblem } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { heading, patience, see, show } from '../hands.ts'
import type { Mine } from '../mine.ts'

export function testSearch(mine: Mine): void {
  test('Control and K open the box; arrows and Enter lead to what is found, and nothing private of others is', async () => {
    const { stage, sam, ann } = mine
    await sam.post('/user/repos', { name: 'zebra-secret', private: true })
    await ann.post('/user/repos', { name: 'zebra-open', description: '<script>window.broken=1</script>' })
    const { page } = await stage.openAs('ann')
    const { keyboard } = page
    await show(page, '/-/judge')
    await keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search' })
    await field.waitFor({ timeout: patience })
    await keyboard.type('zebra')
    await page.getByRole('option', { name: /ann\/zebra-open/ }).waitFor({ timeout: patience })
    if ((await page.getByText('zebra-secret').count()) > 0) throw new Error('what is private is shown')
    await keyboard.press('Enter')
    await page.waitForURL('**/ann/zebra-open')
    await keyboard.press('/')
    await field.waitFor({ timeout: patience })
    await keyboard.type('watched')
    await page.getByRole('option', { name: 'Watched repositories' }).waitFor({ timeout: patience })
    await keyboard.press('Enter')
    await heading(page, 'Watching')
  })

  test('a hit of every kind leads to what it names', async () => {
    const { stage, ann } = mine
    const { UUID } = await makeProblem(stage.cast.admin, { DisplayName: 'Quokka sums' })
    await stage.cast.admin.call('create_account', {
      ...{ AccountName: 'quokka', DisplayName: 'Quokka', Role: 'contestant', Password: 'correct horse' },
    })
    await ann.post('/user/repos', { name: 'quokka-tools', auto_init: true })
    const content = Buffer.from('let quokka = 1\n').toString('base64')
    await ann.put('/repos/ann/quokka-tools/contents/quokka.js', { message: 'Add', content })
    await ann.post('/repos/ann/quokka-tools/issues', { title: 'Quokka jumps' })
    const { page } = await stage.openAs('ann')
    const answer = await page.context().request.post(`${stage.url}/v2/datasets?name=quokka-data`)
    const { data } = (await answer.json()) as Json
    const { keyboard } = page
    const field = page.getByRole('combobox', { name: 'Search' })
    const hits: readonly (readonly [words: string, option: RegExp, path: string])[] = [
      ['quokka', /^Quokka sums/, `/-/judge/problems/${UUID}`],
      ['quokka', /^ann\/quokka-tools/, '/ann/quokka-tools'],
      ['quokka', /^Quokka jumps/, '/ann/quokka-tools/issues/1'],
      ['quokka', /^quokka(?!-)/, '/quokka'],
      ['quokka', /^quokka-data/, `/-/datasets/${data.id}`],
      ['quokka', /^Search code/, '/-/search'],
      ['my profile', /^My profile/, '/ann'],
    ]
    await show(page, '/-/docs')
    for (const [words, option, path] of hits) {
      await keyboard.press('Control+k')
      await field.waitFor({ timeout: patience })
      await keyboard.type(words)
      const hit = page.getByRole('option', { name: option })
      await hit.waitFor({ timeout: patience })
      await until(async () => {
        if ((await hit.getAttribute('aria-selected')) === 'true') return true
        await keyboard.press('ArrowDown')
        return false
      })
      await keyboard.press('Enter')
      await page.waitForURL((url) => url.pathname === path, { timeout: patience })
      await page.locator('main h1').first().waitFor({ timeout: patience })
    }
    await show(page, '/-/search?q=quokka')
    await page
      .getByRole('link', { name: /quokka\.js/ })
      .first()
      .click()
    await page.waitForURL('**/ann/quokka-tools/blob/**', { timeout: patience })
  })

  test('the home shows what waits: unread threads, what is assigned, repositories, data sets', async () => {
    const { stage, sam } = mine
    await sam.put('/repos/sam/course/collaborators/ann', { permission: 'push' })
    await mine.deliver('ann', 'A new run <i>')
    const { page } = await stage.openAs('ann', { width: 360, isDark: true })
    await show(page, '/-/')
    await heading(page, 'Hello, ann')
    await see(page, 'A new run <i>')
    for (const name of ['Inbox', 'Due sheets', 'Review requests', 'Being judged', 'Recent data sets'])
      await page.getByRole('region', { name }).waitFor({ timeout: patience })
    await page
      .getByRole('region', { name: 'Recent repositories' })
      .getByText('ann/zebra-open')
      .waitFor({ timeout: patience })
    // The header is one row, with a menu.
    await page.getByRole('button', { name: 'Menu' }).click()
    await page
      .getByRole('link', { name: /^Inbox/ })
      .first()
      .click()
    await heading(page, 'Inbox')
  })
}
