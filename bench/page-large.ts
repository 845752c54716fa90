/** Whether what is large slows the page down: an inbox of 100,000 threads, and a diff of 10,000 lines. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { makeWorkingFolder, remoteUrl } from '../test/support/git.ts'
import { asAdmin } from '../test/support/rest.ts'
import { admin } from '../test/support/server.ts'
import type { Stage } from '../test/web/stage.ts'
import { makeThreads } from './notifications/seeding.ts'
import type { Row } from './table.ts'

const rounds = 7
const many = 100_000
const few = 100
const diffLines = 10_000
/** A diff is usable so soon after its answer. */
const usableMs = 1_000

async function measureScripting(page: Page, path: string, seen: () => Promise<unknown>): Promise<number> {
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable')
  await page.goto(path)
  await seen()
  const { metrics } = await client.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'ScriptDuration')!.value
}

export async function timeLargeInbox(stage: Stage): Promise<Row> {
  const root = asAdmin(stage)
  await root.post('/user/repos', { name: 'large', auto_init: true })
  const { body: repository } = await root.get('/repos/admin/large')
  for (const [name, count] of [
    ['ann', few],
    ['sam', many],
  ] as const) {
    const { body: user } = await root.get(`/users/${name}`)
    await makeThreads(stage, { repositoryId: repository.id, userId: user.id, count, name: `${name}-` })
  }
  const measure = async (name: string) => {
    const { page } = await stage.openAs(name)
    const ms = await measureScripting(page, '/-/inbox', () => page.locator('.thread-row').nth(5).waitFor())
    await page.context().close()
    return ms
  }
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) ratios.push((await measure('sam')) / (await measure('ann')))
  return {
    what: `scripting time of opening an inbox of ${many.toLocaleString('en')} threads`,
    against: `one of ${few}`,
    ratios,
    goal: { atMost: 1.5 },
  }
}

export async function timeLargeDiff(stage: Stage): Promise<Row> {
  const root = asAdmin(stage)
  await root.post('/user/repos', { name: 'changed' })
  const folder = await makeWorkingFolder()
  try {
    for (const word of ['old', 'new']) {
      const text = Array.from({ length: diffLines / 2 }, (_, at) => `const ${word}_${at} = "${word} line ${at}"\n`)
      await writeFile(join(folder.path, 'large.js'), text.join(''))
      await folder.must('add', '--all')
      await folder.must('commit', '--quiet', '-m', word)
    }
    await folder.must('push', '--quiet', '--all', remoteUrl(stage.url, 'admin/changed', 'admin', admin.token))
  } finally {
    await folder.drop()
  }
  const { body: commits } = await root.get('/repos/admin/changed/commits')
  const path = `/admin/changed/commit/${commits[0].sha}`
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { page } = await stage.openAs('ann')
    const answered = page.waitForResponse((response) => response.url().includes('/repos/admin/changed/commits/'))
    await page.goto(path, { waitUntil: 'commit' })
    await (await answered).finished()
    const start = performance.now()
    await page.locator('.code-cell.added').first().waitFor()
    // Usable: what is done to it has an effect.
    await page.mouse.wheel(0, 4_000)
    await page.locator('.code-cell', { hasText: 'old_100 ' }).first().waitFor()
    times.push(performance.now() - start)
    await page.context().close()
  }
  return {
    what: `a diff of ${diffLines.toLocaleString('en')} lines drawn and scrolled after its answer`,
    against: `${usableMs} ms`,
    ratios: times.map((ms) => ms / usableMs),
    goal: { atMost: 1 },
    note: `${times.map(Math.round).join(', ')} ms`,
  }
}
