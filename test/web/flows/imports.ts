/** Repositories imported by their address and mirrored, in the browser, by the keyboard alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { objectId } from '../../forge/crafted-packs.ts'
import { listRefs, makeHistory, sendPack, startHostileSource, treeEntry } from '../../forge/sources/hostile-source.ts'
import { until } from '../../support/until.ts'
import type { CodeWorld } from '../code-pages.test.ts'
import { patience, see, show, takeKeyboard } from '../hands.ts'

export function testImports(world: CodeWorld): void {
  test('an empty repository is imported into once its address is right, with the keyboard alone', async (t) => {
    const source = await startHostileSource()
    t.after(() => source.close())
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'imported' })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/imported')
    await see(page, 'Import from another git server')
    await hands.write('Address', 'https://10.0.0.1/ann/tool.git')
    await hands.press('button', 'Start the import')
    await see(page, 'This server does not import from there')
    const blob = { type: 'blob', bytes: Buffer.from('Hello\n') } as const
    const { pack, sha } = makeHistory([blob], treeEntry('100644', 'hello.txt', objectId('blob', 'Hello\n')))
    source.pack = sendPack(pack)
    source.list = (response) => response.writeHead(401).end()
    await hands.write('Address', source.url)
    await hands.press('button', 'Start the import')
    await see(page, 'The source asks for credentials')
    source.list = listRefs({ 'refs/heads/main': sha })
    await hands.press('button', 'Try again')
    await page.getByRole('link', { name: 'hello.txt' }).first().waitFor({ timeout: patience })
    assert.equal((await ann.get('/repos/ann/imported/import')).body.status, 'complete')
  })

  test('a mirror is set up, fetched and stopped in the settings, and offers no pushes meanwhile', async (t) => {
    const source = await startHostileSource()
    t.after(() => source.close())
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'followed' })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/followed/settings/import')
    await hands.write('Address', source.url)
    await hands.turnTo('How often', /Mirror/)
    await hands.choose('Fetch every', 'hour')
    await hands.press('button', 'Start mirroring')
    await see(page, '1 branch and 0 tags are here.')
    const { body } = await ann.get('/repos/ann/followed/import')
    assert.deepEqual([body.mirror, body.interval_minutes], [true, 60])
    const { pack, sha } = makeHistory([], undefined, 'two\n')
    source.list = listRefs({ 'refs/heads/main': sha, 'refs/tags/v2': sha })
    source.pack = sendPack(pack)
    await ann.patch('/repos/ann/followed/import')
    await until(async () => (await ann.get('/repos/ann/followed/git/ref/heads/main')).body.object?.sha === sha)
    await page.reload()
    await see(page, '1 branch and 1 tag are here.')
    await hands.press('button', 'Stop mirroring')
    await hands.answer('Stop mirroring')
    await see(page, 'Only an empty repository can be imported into.')
    assert.equal((await ann.get('/repos/ann/followed')).body.mirror_url, null)
  })
}
