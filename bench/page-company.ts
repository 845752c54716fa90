/** How soon one person's browser shows what another has done in theirs: in an issue, in a pull, and in the inbox. */
import type { Page } from 'playwright-core'
import { asAdmin } from '../test/support/rest.ts'
import type { Json } from '../test/support/rpc.ts'
import type { Stage } from '../test/web/stage.ts'
import type { Row } from './table.ts'

const rounds = 9
/** What people take for at once. */
const soonMs = 1_000

export async function timeCompany(stage: Stage): Promise<Row[]> {
  const root = asAdmin(stage)
  const path = '/repos/admin/company'
  await root.post('/user/repos', { name: 'company', auto_init: true })
  const { body: ref } = await root.get(`${path}/git/ref/heads/main`)
  await root.post(`${path}/git/refs`, { ref: 'refs/heads/side', sha: ref.object.sha })
  await root.put(`${path}/contents/side.txt`, { message: 'Side', branch: 'side', content: 'eA==' })
  const { body: issue } = await root.post(`${path}/issues`, { title: 'Talked about' })
  const { body: pull } = await root.post(`${path}/pulls`, { title: 'Looked at', head: 'side', base: 'main' })
  const [ann, sam] = [await stage.openAs('ann'), await stage.openAs('sam')]

  const comment = async (words: string) => {
    await ann.page.getByRole('textbox', { name: 'Add a comment' }).fill(words)
    return ann.page.getByRole('button', { name: 'Comment', exact: true })
  }
  const onThread = async (address: string) => {
    for (const { page } of [ann, sam]) await open(page, address)
    return measure(ann.page, sam.page, comment)
  }
  const rows = [
    describe('a comment on an issue', await onThread(`/admin/company/issues/${issue.number}`)),
    describe('a comment on a pull', await onThread(`/admin/company/pull/${pull.number}`)),
  ]
  await open(sam.page, '/-/inbox')
  const mention = async (words: string) => {
    await open(ann.page, `/admin/company/issues/new?${new URLSearchParams({ title: words, body: 'For @sam' })}`)
    return ann.page.getByRole('button', { name: 'Create issue' })
  }
  rows.push(describe('an issue that mentions somebody, in their inbox', await measure(ann.page, sam.page, mention)))
  for (const { page } of [ann, sam]) await page.context().close()
  return rows
}

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('main h1').first().waitFor()
  await page.locator('.loading').first().waitFor({ state: 'detached' })
}

/** From the press of the button that `prepare` answers, in the one browser, until the words are drawn in the other. */
async function measure(
  from: Page,
  to: Page,
  prepare: (words: string) => Promise<ReturnType<Page['getByRole']>>,
): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const words = `Round ${round} ${crypto.randomUUID()}`
    const button = await prepare(words)
    // A page that was just read waits a little before it reads again.
    await to.waitForTimeout(1_000)
    await to.evaluate(watchWords, words)
    await from.evaluate(watchPress)
    await button.click()
    const pressedAt = await from.waitForFunction(() => (globalThis as Json).pressedAt)
    const drawnAt = await to.waitForFunction(() => (globalThis as Json).drawnAt)
    times.push(Number(await drawnAt.jsonValue()) - Number(await pressedAt.jsonValue()))
  }
  return times
}

/** In the page: notes when the button was pressed. Both browsers have the clock of one machine. */
const watchPress = (): void => {
  const page = globalThis as Json
  page.pressedAt = undefined
  const note = () => {
    page.pressedAt = Date.now()
  }
  page.document.addEventListener('click', note, { once: true, capture: true })
}

/** In the page: notes the frame in which the words were drawn. */
const watchWords = (words: string): void => {
  const page = globalThis as Json
  page.drawnAt = undefined
  const observer = new page.MutationObserver(() => {
    if (!page.document.querySelector('main')?.textContent.includes(words)) return
    observer.disconnect()
    page.requestAnimationFrame(() => {
      page.drawnAt = Date.now()
    })
  })
  observer.observe(page.document.body, { childList: true, subtree: true, characterData: true })
}

const describe = (what: string, times: readonly number[]): Row => ({
  what: `${what}, until another's browser shows it`,
  against: `${soonMs} ms`,
  ratios: times.map((ms) => ms / soonMs),
  goal: { atMost: 1 },
  note: `${times.join(', ')} ms`,
})
