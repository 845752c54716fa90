/** What connects a repository with machines: webhooks that are edited, and deploy keys. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeveloperWorld } from '../developer-pages.test.ts'
import { patience, see, show, takeKeyboard } from '../hands.ts'
import { makePublicKey } from '../keys.ts'
import { lookAt } from '../looks.ts'

export function testConnections(world: DeveloperWorld): void {
  test('a webhook’s address, events, secret and state are changed on the page, with the keyboard alone', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'wired', auto_init: true })
    const hooks = '/repos/ann/wired/hooks'
    const { body: made } = await ann.post(hooks, {
      ...{ name: 'web', events: ['push'] },
      config: { url: 'https://hooks.example.org/a', content_type: 'form', secret: 'first' },
    })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/wired/settings/hooks')
    await hands.press('button', 'Edit https://hooks.example.org/a')
    await page.getByRole('heading', { name: 'Edit webhook' }).waitFor({ timeout: patience })
    await lookAt(page, 'edit-hook')
    await hands.write('Address', 'https://hooks.example.org/b')
    await hands.write('Events', 'push, issues')
    await hands.tick('checkbox', 'Active')
    await hands.press('button', 'Save webhook')
    await page.getByRole('button', { name: 'Edit https://hooks.example.org/b' }).waitFor({ timeout: patience })
    const read = async () => (await ann.get(`${hooks}/${made.id}`)).body
    const { config, events, active } = await read()
    assert.deepEqual(
      [config.url, config.content_type, events, active],
      ['https://hooks.example.org/b', 'form', ['issues', 'push'], false],
    )
    assert.ok(config.secret, 'the secret is kept')
    await hands.press('button', 'Edit https://hooks.example.org/b')
    await hands.tick('checkbox', 'Without a secret')
    await hands.press('button', 'Save webhook')
    await page.getByRole('heading', { name: 'Edit webhook' }).waitFor({ state: 'detached', timeout: patience })
    assert.equal((await read()).config.secret, undefined)
  })

  test('deploy keys are added, to read or to write, shown with their last use, and deleted', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    await show(page, '/ann/wired/settings/keys')
    await see(page, 'No deploy keys yet.')
    for (const [title, mayWrite] of [
      ['Builder', false],
      ['Publisher', true],
    ] as const) {
      await hands.write('Title', title)
      await hands.write('Key', makePublicKey())
      if (mayWrite) await hands.tick('checkbox', 'Allow write access')
      await hands.press('button', 'Add deploy key')
      await page.getByRole('button', { name: `Delete ${title}` }).waitFor({ timeout: patience })
    }
    await see(page, 'never used')
    await lookAt(page, 'deploy-keys')
    const listKeys = async () =>
      (await ann.get('/repos/ann/wired/keys')).body
        .map((key: { title: string; read_only: boolean }) => [key.title, key.read_only])
        .sort()
    assert.deepEqual(await listKeys(), [
      ['Builder', true],
      ['Publisher', false],
    ])
    await hands.press('button', 'Delete Builder')
    await hands.answer('Delete key')
    await page.getByRole('button', { name: 'Delete Builder' }).waitFor({ state: 'detached', timeout: patience })
    assert.deepEqual(await listKeys(), [['Publisher', false]])
    await hands.write('Title', 'Broken')
    await hands.write('Key', 'no key')
    await hands.press('button', 'Add deploy key')
    await page.getByRole('alert').waitFor({ timeout: patience })
  })
}
