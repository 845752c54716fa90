/** Every page of code as people see and reach it, and with everything in it that tries to break out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import type { CodeWorld } from '../code-pages.test.ts'
import { patience, see } from '../hands.ts'
import { findFaults } from '../looks.ts'

declare const window: Json

const tag = '<img src=x onerror=window.pwned=1>'
const fileTag = '<img src=x onerror=window.pwned=1>"\u202Etxt.exe'
const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1"><script>window.pwned=1</script></svg>'

export function testCodeLooks(world: CodeWorld): void {
  test('what people push runs no script, breaks out of nothing, and is good to look at and to reach', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'odd', description: tag, homepage: 'javascript:window.pwned=1' })
    const branch = '"><img/src=x/onerror=window.pwned=1>'
    await stage.push('ann', 'odd', [
      {
        message: `${tag}\n\n<script>window.pwned=1</script>`,
        files: {
          'README.md': `${tag}\n\n<script>window.pwned=1</script>\n\n[a](javascript:window.pwned=1)\n`,
          [`d/${fileTag}.js`]: `// </script>${tag}\nlet a = 1\n`,
          'a.svg': svg,
          'a.html': `<script>window.pwned=1</script>`,
          'b.bin': Buffer.from([0, 1, 2, 255]),
          'long.js': `${'x'.repeat(1_000_000)}\nshort\n`,
          'turned.js': 'if (a /*\u202E } */ b\n',
        },
      },
      {
        message: `Again ${tag}`,
        files: { [`d/${fileTag}.js`]: `// ${tag}${tag}\nlet a = 2\n`, 'b.bin': Buffer.from([0, 3]), 'a.html': tag },
      },
      { message: 'Branch', files: { 'x.txt': 'x\n' }, branch },
    ])
    await stage.push('ann', 'odd.wiki', [
      {
        message: tag,
        files: {
          'Home.md': `${tag}<p id="main">a</p>\n\n[[${tag}]] [[A page|javascript:window.pwned=1]]\n`,
          '_Sidebar.md': `[[Home]]\n\n<script>window.pwned=1</script>\n`,
          [`${fileTag}.md`]: `# ${tag}\n`,
        },
      },
    ])
    await ann.post('/user/repos', { name: 'vacant' })
    await ann.patch('/repos/ann/odd', { default_branch: 'main' })
    await ann.post('/repos/ann/odd/releases', { tag_name: 'v1', target_commitish: 'main', name: tag, body: tag })
    const { body: head } = await ann.get('/repos/ann/odd/commits/main')
    const { page } = await stage.openAs('ann')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const file = `d/${encodeURIComponent(`${fileTag}.js`)}`
    const paths = [
      ...['/ann', '/-/repositories', '/-/repositories/new', '/ann/odd', '/ann/odd/tree/main/d'],
      ...[`/ann/odd/blob/main/${file}`, `/ann/odd/blame/main/${file}`, '/ann/odd/blob/main/a.svg'],
      ...['/ann/odd/blob/main/long.js', '/ann/odd/blob/main/turned.js', '/ann/odd/blob/main/b.bin'],
      ...['/ann/odd/blob/main/README.md', '/ann/odd/commits/main', '/ann/odd/commits/main?view=graph'],
      ...[`/ann/odd/commit/${head.sha}`, '/ann/odd/branches', '/ann/odd/tags', '/ann/odd/releases'],
      ...['/ann/odd/releases/new', `/ann/odd/compare/main...${encodeURIComponent(branch)}`],
      ...[`/ann/odd/tree/${encodeURIComponent(branch)}`, '/ann/odd/new/main', `/ann/odd/edit/main/${file}`],
      ...['/ann/odd/upload/main/d', '/ann/odd/wiki', '/ann/odd/wiki/Home?view=history'],
      `/ann/odd/wiki/${encodeURIComponent(fileTag)}`,
      ...['/ann/odd/settings', '/ann/odd/settings/access', '/ann/odd/settings/branches', '/ann/odd/settings/hooks'],
      ...['/ann/odd/settings/import', '/ann/vacant', '/ann/vacant/settings/import'],
      ...['/ann/odd/graphs/contributors', '/ann/odd/blob/main/nothing', '/ann/odd/commit/0000'],
    ]
    const found: string[] = []
    for (const path of paths) {
      await page.goto(path)
      await page.locator('main h1').first().waitFor({ state: 'attached', timeout: patience })
      await page.locator('main :is(.loading, .spinner)').first().waitFor({ state: 'detached', timeout: patience })
      assert.equal(await page.evaluate(() => window.pwned), undefined, path)
      const bad = await page.locator('main :is(script, iframe, [onerror], [onload], a[href^="javascript:"])').count()
      assert.equal(bad, 0, path)
      found.push(...(await findFaults(page, path)))
    }
    assert.deepEqual(found, [])
    await page.goto('/ann/odd/blob/main/long.js')
    await see(page, '998,000 more characters')
    await page.goto('/ann/odd/blob/main/turned.js')
    await see(page, 'change the direction of text')
    const raw = await page.goto('/repos/ann/odd/raw/a.svg?ref=main')
    assert.match(raw!.headers()['content-type']!, /^text\/plain/)
    assert.equal(await page.evaluate(() => window.pwned), undefined)
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(stage.url) && !url.startsWith('data:')),
      [],
    )
  })
  test('the bar is one row with all its words, also with unread threads, and what stands in rows begins where its heading does', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'told', auto_init: true })
    await ann.post('/repos/ann/told/issues', { title: 'Look', body: '@bob' })
    const { page } = await stage.openAs('bob')
    await page.goto('/ann/told')
    await page.getByRole('button', { name: 'Star' }).waitFor({ timeout: patience })
    await page.getByRole('link', { name: 'Contributors' }).waitFor({ timeout: patience })
    await page.locator('.unread-count').waitFor({ timeout: patience })
    const startOf = (selector: string) =>
      page.evaluate((of) => Math.round(window.document.querySelector(of).getBoundingClientRect().left), selector)
    const start = await startOf('.about h2')
    assert.equal(await startOf('.about .row button'), start)
    assert.equal(await startOf('.about section:last-of-type .row > *'), start)
    const name = 'A person with quite a long name'
    await page.evaluate((text) => {
      window.document.querySelector('.who a').textContent = text
    }, name)
    for (const width of [1240, 1280, 1440, 1920, 800, 360]) {
      await page.setViewportSize({ width, height: 740 })
      const bar = await page.evaluate(() => {
        const { document } = window
        const shown = [...document.querySelector('.bar').children].filter(
          (each: Json) => window.getComputedStyle(each).position !== 'absolute' && each.getClientRects().length > 0,
        )
        const boxes = shown.map((each: Json) => each.getBoundingClientRect())
        return {
          rows:
            Math.max(...boxes.map(({ top }: Json) => top)) < Math.min(...boxes.map(({ bottom }: Json) => bottom))
              ? 1
              : 2,
          isTall: document.querySelector('.bar').clientHeight > 64,
          overlaps: boxes.some((box: Json, at: number) => at > 0 && box.left < boxes[at - 1].right),
          cut: document.querySelector('.brand').scrollWidth > document.querySelector('.brand').clientWidth,
          tooWide: document.documentElement.scrollWidth > window.innerWidth,
        }
      })
      assert.deepEqual(bar, { rows: 1, isTall: false, overlaps: false, cut: false, tooWide: false }, `${width} px`)
    }
  })
}
