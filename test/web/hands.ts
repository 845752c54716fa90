/** What a person does with a page: looks for words, goes to places, and uses it, by the keyboard alone where it matters. */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Json } from '../support/rpc.ts'

/** What is evaluated in the page sees its world, not ours. */
declare const window: Json

/** A machine under load is slow, and nothing here is about time. */
export const patience = Number(process.env.PATIENCE ?? 60_000)

export type Named = string | RegExp
type FileToChoose = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }

export const heading = (page: Page, name: Named) =>
  page.getByRole('heading', { level: 1, name }).waitFor({ timeout: patience })

export const see = (page: Page, text: Named) => page.getByText(text).first().waitFor({ timeout: patience })

/** Goes there, and waits until what it shows is read. */
export async function show(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.locator('main h1').first().waitFor({ timeout: patience })
  await page.locator('.loading').first().waitFor({ state: 'detached', timeout: patience })
}

export const chosenFile = (name: string, content: string | Buffer): FileToChoose => ({
  name,
  mimeType: name.endsWith('.zip') ? 'application/zip' : 'text/plain',
  buffer: Buffer.from(content),
})

/** More would mean that something can't be reached. */
const mostTabs = 250

/**
 * In the page: whether the target has the focus, it can't have it yet, or the focus is in the editor, where Tab indents; and
 * how many places the focus passes on its way, of those that nothing can make it leave out.
 */
function lookAround(target: Json) {
  const { document } = window
  const here = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement
  const stops = [...document.querySelectorAll('a[href], button, input:not([type=radio]), select, textarea')].filter(
    (element: Json) =>
      !element.disabled && element.tabIndex === 0 && element.checkVisibility({ visibilityProperty: true }),
  )
  const isAfter = (one: Json, other: Json) => (other.compareDocumentPosition(one) & 4) !== 0
  return {
    isThere: here === target,
    isInEditor: Boolean(here?.classList?.contains('cm-content')),
    stepsBetween: stops.filter((stop: Json) => isAfter(target, stop) && (here === document.body || isAfter(stop, here)))
      .length,
  }
}

/** Nothing here touches a mouse, nor gives the focus to anything: Tab alone moves it, as it would a person's. */
export function takeKeyboard(page: Page) {
  const { keyboard } = page
  // Listened to from now on, since a browser that is told so only as Enter is pressed may not have heard it yet.
  page.on('filechooser', () => {})

  /** Holds Tab down for as many steps as lie between for certain, then goes step by step, looking each time. */
  async function reach(target: Locator, what: Named): Promise<void> {
    await target.waitFor({ timeout: patience })
    let place = await target.evaluate(lookAround)
    const held = place.isInEditor ? 0 : place.stepsBetween
    await Promise.all(Array.from({ length: held }, () => keyboard.down('Tab')))
    if (held > 0) await keyboard.up('Tab')
    for (let times = held; times < mostTabs; times++) {
      place = await target.evaluate(lookAround)
      if (place.isThere) break
      if (place.isInEditor) await keyboard.press('Escape')
      await keyboard.press('Tab')
    }
    assert.ok(place.isThere, `the keyboard reaches ${what}`)
  }

  const press = async (role: 'button' | 'link', name: Named, exact = false) => {
    await reach(page.getByRole(role, { name, exact, ...(role === 'button' && { disabled: false }) }).first(), name)
    await keyboard.press('Enter')
  }
  return {
    press,
    /** In a field with this name; what was there is written over. */
    async write(name: Named, text: string, { exact = false, isLast = false } = {}) {
      const fields = page
        .getByRole('textbox', { name, exact })
        .or(page.getByRole('spinbutton', { name, exact }))
        .or(page.getByRole('searchbox', { name, exact }))
        // A field that offers words as one writes.
        .or(page.locator('input').and(page.getByRole('combobox', { name, exact })))
      await reach(isLast ? fields.last() : fields.first(), name)
      await keyboard.press('Control+A')
      await keyboard.insertText(text)
    },
    async tick(role: 'checkbox' | 'radio', name: Named) {
      await reach(page.getByRole(role, { name }).first(), name)
      await keyboard.press('Space')
    },
    /** Arrows move within a set of radio buttons, of which Tab reaches one. */
    async turnTo(set: Named, name: Named) {
      const buttons = page.getByRole('group', { name: set }).getByRole('radio')
      await reach(page.getByRole('group', { name: set }).locator('input:checked'), set)
      for (let times = 0; times < (await buttons.count()); times++) {
        if (await page.getByRole('radio', { name }).isChecked()) return
        await keyboard.press('ArrowDown')
      }
      assert.ok(await page.getByRole('radio', { name }).isChecked(), `${set} turns to ${name}`)
    },
    /** An option by its first letters. */
    async choose(name: Named, option: string, { isLast = false } = {}) {
      const fields = page.getByRole('combobox', { name })
      const field = isLast ? fields.last() : fields.first()
      await reach(field, name)
      // The browser forgets letters after a second: on a busy machine a word may arrive in two parts.
      for (let tries = 1; ; tries++) {
        await keyboard.type(option)
        const chosen = await field.evaluate((element: Json) => element.selectedOptions[0].textContent)
        if (chosen.startsWith(option)) return
        assert.ok(tries < 5, `${name} is ${chosen}`)
        await new Promise((resolve) => setTimeout(resolve, 1_100))
        await reach(field, name)
      }
    },
    /** What lies folded under these words. */
    async open(words: string) {
      await reach(page.locator('summary', { hasText: words }).first(), words)
      await keyboard.press('Enter')
    },
    async offer(name: Named, file: FileToChoose | FileToChoose[]) {
      await reach(page.getByLabel(name).first(), name)
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), keyboard.press('Enter')])
      await chooser.setFiles(file)
    },
    /** In the question that stands before everything else. */
    async answer(name: string) {
      await reach(page.getByRole('dialog').getByRole('button', { name, exact: true }), name)
      await keyboard.press('Enter')
    },
    async writeCode(text: string) {
      await reach(page.locator('.cm-content'), 'the editor')
      await keyboard.press('Control+A')
      await keyboard.insertText(text)
    },
  }
}
