/** The page: what its first load weighs, how soon it is seen, how late a verdict and others' acts are shown, and whether large data slow it down. */
import type { Page } from 'playwright-core'
import { submit } from '../test/support/judge.ts'
import type { Json } from '../test/support/rpc.ts'
import { makeSum, openStage, password, type Stage, sum } from '../test/web/stage.ts'
import { readOption } from './options.ts'
import { timeCompany } from './page-company.ts'
import { timeLargeDiff, timeLargeInbox } from './page-large.ts'
import type { Row } from './table.ts'

const rounds = 7
const mostScriptBytes = 60_000
/** How much later than over JSON-RPC a verdict may be shown. */
const latestMs = 100
const items = Number(readOption('items') ?? 1_000_000)

export async function bench(): Promise<Row[]> {
  const stage = await openStage()
  try {
    const problem = await makeSum(stage)
    return [
      await weighScripts(stage),
      await timeFirstView(stage, problem.UUID),
      await timeVerdicts(stage, problem.UUID),
      ...(await timeCompany(stage)),
      await timeLargeData(stage),
      await timeLargeInbox(stage),
      await timeLargeDiff(stage),
    ]
  } finally {
    await stage.close()
  }
}

async function weighScripts({ url }: Stage): Promise<Row> {
  const shell = await (await fetch(`${url}/-/`, { headers: { accept: 'text/html' } })).text()
  const paths = [...shell.matchAll(/"(\/-\/assets\/[^"]+\.js)"/g)].map(([, path]) => path!)
  let sent = 0
  let unpacked = 0
  for (const path of paths) {
    const head = await fetch(url + path, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
    sent += Number(head.headers.get('content-length'))
    const body = await fetch(url + path, { headers: { 'accept-encoding': 'identity' } })
    unpacked += (await body.arrayBuffer()).byteLength
  }
  return {
    what: 'script of the first load, gzip',
    against: `${mostScriptBytes} bytes`,
    ratios: [sent / mostScriptBytes],
    goal: { atMost: 1 },
    note: `${sent} bytes in ${paths.length} files, ${unpacked} unpacked`,
  }
}

/** Each in a context of its own, so that nothing is cached; the bare shell is the same document without its script. */
async function timeFirstView(stage: Stage, uuid: string): Promise<Row> {
  const times: { whole: number; bare: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const bare = await stage.open()
    await bare.page.route('**/*.js', (route) => route.abort())
    const { page } = await stage.openAs('ann')
    const bareMs = await timed(() => bare.page.goto('/-/', { waitUntil: 'domcontentloaded' }))
    const wholeMs = await timed(async () => {
      await page.goto(`/-/judge/problems/${uuid}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    })
    times.push({ whole: wholeMs, bare: bareMs })
    await Promise.all([bare.context.close(), page.context().close()])
  }
  return {
    what: 'a problem seen, nothing cached',
    against: 'the bare shell without its script',
    ratios: times.map(({ whole, bare }) => whole / bare),
    note: `${describe(times.map(({ whole }) => whole))}, bare ${describe(times.map(({ bare }) => bare))}`,
  }
}

async function timeVerdicts(stage: Stage, uuid: string): Promise<Row> {
  const { page } = await stage.openAs('ann')
  const ann = await stage.cast.anonymous.signIn('ann', password)
  await page.goto(`/-/judge/problems/${uuid}`)
  await page.locator('.cm-content').click()
  const times: { shown: Waited; called: Waited }[] = []
  for (let round = 0; round < rounds; round++) {
    const Content = `${sum}# ${round}\n`
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(Content)
    const startedAt = Date.now()
    const { ID } = await submit(ann, uuid, { Content })
    await ann.call('wait_for_submission', { ID, WaitMillisecond: 30_000 })
    const called = await findWaited(stage, { ID, startedAt, endedAt: Date.now() })
    await page.evaluate(watchVerdict)
    await page.getByRole('button', { name: 'Submit' }).click()
    const shown = await page.waitForFunction(readSeen)
    times.push({ shown: await findWaited(stage, (await shown.jsonValue()) as Seen), called })
  }
  const median = (of: (one: (typeof times)[number]) => number) => describe(times.map(of))
  return {
    what: 'a verdict shown later than it comes over JSON-RPC',
    against: `${latestMs} ms`,
    ratios: times.map(({ shown, called }) => (sumOf(shown) - sumOf(called)) / latestMs),
    goal: { atMost: 1 },
    note: `until it waits ${median(({ shown }) => shown.before)}, called ${median(({ called }) => called.before)}; once it is judged ${median(({ shown }) => shown.after)}, called ${median(({ called }) => called.after)}`,
  }
}

type Seen = { readonly ID: number; readonly startedAt: number; readonly endedAt: number }
/** What is not judging: until the submission is in the queue, and once it is finished. */
type Waited = { readonly before: number; readonly after: number }

const sumOf = ({ before, after }: Waited): number => before + after

/** How long the judging itself takes differs from run to run by more than the page may add. */
async function findWaited({ cast }: Stage, { ID, startedAt, endedAt }: Seen): Promise<Waited> {
  const { Submission } = await cast.admin.call('get_submission', { ID })
  return { before: Submission.CreatedTime - startedAt, after: endedAt - Submission.FinishedTime }
}

/**
 * In the page: notes when the button was pressed, and the frame in which the verdict of another submission than the last
 * one was drawn. What drives the browser looks at a button for some frames before it presses, which is no part of the page.
 */
const watchVerdict = (): void => {
  const page = globalThis as unknown as Json
  const { document } = page
  const readId = () => /submission (\d+)/.exec(document.querySelector('h2 a.small')?.textContent ?? '')?.[1]
  const before = readId()
  page.seen = undefined
  const start = () => {
    const startedAt = Date.now()
    const observer = new page.MutationObserver(() => {
      const id = readId()
      if (id === undefined || id === before || !document.querySelector('.verdict-head.good')) return
      observer.disconnect()
      page.requestAnimationFrame(() => {
        page.seen = { ID: Number(id), startedAt, endedAt: Date.now() }
      })
    })
    observer.observe(document.body, { childList: true, subtree: true, characterData: true })
  }
  document.addEventListener('click', start, { once: true, capture: true })
}

const readSeen = (): unknown => (globalThis as unknown as Json).seen

async function timeLargeData(stage: Stage): Promise<Row> {
  const [small, large] = [await fillDataset(stage, 'small', 1_000), await fillDataset(stage, 'large', items)]
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const measure = async (id: string) => {
      const { page } = await stage.openAs('ada')
      const ms = await measureScripting(page, `/-/datasets/${id}`)
      await page.context().close()
      return ms
    }
    ratios.push((await measure(large)) / (await measure(small)))
  }
  return {
    what: `scripting time of opening a data set of ${items.toLocaleString('en')} items`,
    against: 'one of 1,000',
    ratios,
    goal: { atMost: 1.5 },
  }
}

async function fillDataset(stage: Stage, name: string, count: number): Promise<string> {
  const ada = await stage.cast.anonymous.signIn('ada', password)
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
  const made = await fetch(`${stage.url}/v2/datasets?name=${name}`, { method: 'POST', headers })
  const { data } = (await made.json()) as Json
  const portion = 100_000
  for (let first = 0; first < count; first += portion) {
    const part = Array.from({ length: Math.min(portion, count - first) }, (_, at) => ({
      number: first + at,
      title: `Item ${first + at}`,
      tags: ['a', 'b'],
    }))
    const url = `${stage.url}/v2/datasets/${data.id}/items`
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(part) })
    if (answer.status !== 201) throw new Error(`The items were not stored: ${answer.status} ${await answer.text()}`)
  }
  return data.id as string
}

async function measureScripting(page: Page, path: string): Promise<number> {
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable')
  await page.goto(path)
  await page.getByRole('cell', { name: 'Item 0', exact: true }).waitFor()
  const { metrics } = await client.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'ScriptDuration')!.value
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}

const describe = (times: readonly number[]): string =>
  `${Math.round([...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!)} ms`
