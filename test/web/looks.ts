/** A page as people see and reach it: axe’s judgement and nothing too wide, at three widths, in both colours, and nothing that the keyboard passes over. */
import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Json } from '../support/rpc.ts'
import { patience } from './hands.ts'

declare const window: Json

/** A folder for pictures of every page that is looked at, to look at them oneself. */
const pictures = process.env.GUILDHALL_PICTURES

const byLook = { runOnly: ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'] }
/** The first asks all that axe knows; what else it looks at is the same in the others. */
const looks = [
  { width: 360, colorScheme: 'light', rules: {} },
  { width: 768, colorScheme: 'dark', rules: byLook },
  { width: 1280, colorScheme: 'light', rules: byLook },
] as const

/** In the page: what can be used by a mouse and is left out of the order of the keyboard. Password managers read the one exception. */
const findPassedOver = (): string[] =>
  [...window.document.querySelectorAll('a[href], button, input, select, textarea, summary, [onclick]')]
    .filter((element: Json) => element.tabIndex < 0 && !element.disabled && element.autocomplete !== 'username')
    .map((element: Json) => element.outerHTML.slice(0, 120))

const readOverflow = (): number => window.document.documentElement.scrollWidth - window.innerWidth

/** What is to be mended on the page that is open, each with the name of the page; then the page is as large and light as before. */
export async function findFaults(page: Page, name: string): Promise<string[]> {
  const size = page.viewportSize()!
  await page.evaluate(axe.source)
  const found = (await page.evaluate(findPassedOver)).map((html) => `${name}: the keyboard passes over ${html}`)
  for (const { width, colorScheme, rules } of looks) {
    const how = `${name} ${width} ${colorScheme}`
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    const { violations } = (await page.evaluate(
      (chosen) => window.axe.run({ resultTypes: ['violations'], ...chosen }),
      rules,
    )) as axe.AxeResults
    found.push(...violations.map(({ id, nodes }) => `${how}: ${id} ${nodes[0]?.html.slice(0, 160)}`))
    const overflow = await page.evaluate(readOverflow)
    if (overflow > 0) found.push(`${how}: is ${overflow} px too wide`)
    if (pictures) {
      const path = `${pictures}/${how.replace(/\W+/g, '-')}.png`
      await page.screenshot({ path, fullPage: true, caret: 'initial', timeout: patience })
    }
  }
  await page.setViewportSize(size)
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}

export async function lookAt(page: Page, name: string): Promise<void> {
  assert.deepEqual(await findFaults(page, name), [])
}
