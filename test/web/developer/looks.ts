/** How a page looks and is reached: axe finds nothing to mend and nothing is too wide, narrow and wide, light and dark. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Json } from '../../support/rpc.ts'

declare const window: Json

const narrow = { width: 360, height: 740 }
const looks = [
  { size: narrow, colorScheme: 'light', rules: {} },
  { size: narrow, colorScheme: 'dark', rules: { runOnly: ['color-contrast', 'target-size'] } },
  {
    size: { width: 1280, height: 900 },
    colorScheme: 'dark',
    rules: { runOnly: ['color-contrast', 'scrollable-region-focusable', 'target-size'] },
  },
  { size: { width: 1280, height: 900 }, colorScheme: 'light', rules: { runOnly: ['color-contrast', 'target-size'] } },
] as const

const findPassedOver = (): string[] =>
  [...window.document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary)')]
    .filter((element: Json) => element.tabIndex < 0 && !element.disabled)
    .map((element: Json) => element.outerHTML.slice(0, 120))

/** As it is now. With PICTURES set to a folder, `name` is photographed there. */
export async function lookAt(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES
  const found: string[] = (await page.evaluate(findPassedOver)).map((html) => `the keyboard passes over ${html}`)
  await page.evaluate(axe.source)
  for (const { size, colorScheme, rules } of looks) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    const { violations } = (await page.evaluate(
      (chosen) => window.axe.run({ resultTypes: ['violations'], ...chosen }),
      rules,
    )) as axe.AxeResults
    const how = `${name} ${size.width} ${colorScheme}`
    found.push(...violations.map(({ id, nodes }) => `${how}: ${id} ${nodes[0]?.html.slice(0, 160)}`))
    const overflow = await page.evaluate(() => window.document.documentElement.scrollWidth - window.innerWidth)
    if (overflow > 0) found.push(`${how}: is ${overflow} px too wide`)
    if (folder)
      await page.screenshot({ path: join(folder, `${name}-${size.width}-${colorScheme}.png`), fullPage: true })
  }
  assert.deepEqual(found, [])
}
