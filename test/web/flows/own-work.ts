/** One’s own work in all repositories: notifications that a page has shown, and invitations. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { patience, see, show, takeKeyboard } from '../hands.ts'
import type { OwnWorkWorld } from '../own-work.test.ts'

export function testOwnWork(world: OwnWorkWorld): void {
  test('the page of an issue or a pull marks its notification read, and no other; the badge follows', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    const file = (branch: string) => ({ message: 'Add', branch, content: Buffer.from(branch).toString('base64') })
    const { body: ref } = await ann.get('/repos/ann/tool/git/ref/heads/main')
    await ann.post('/repos/ann/tool/git/refs', { ref: 'refs/heads/news', sha: ref.object.sha })
    await ann.put('/repos/ann/tool/contents/news', file('news'))
    const path = '/repos/ann/tool'
    const { body: issue } = await ann.post(`${path}/issues`, { title: '100% of "it", for @bob', body: 'See, @bob' })
    const { body: other } = await ann.post(`${path}/issues`, { title: 'Left alone', body: 'And this, @bob' })
    const wanted = { title: 'News', head: 'news', base: 'main', body: 'Look, @bob' }
    const { body: pull } = await ann.post(`${path}/pulls`, wanted)
    const { page } = await stage.openAs('bob')
    const unread = async (): Promise<string[]> =>
      await page.evaluate(async () => {
        const threads = (await (await fetch('/notifications?per_page=50')).json()) as Json[]
        return threads.map(({ subject }) => subject.url.split('/').at(-1))
      })
    await show(page, '/-/docs')
    await until(async () => (await unread()).length === 3)
    await show(page, `/ann/tool/issues/${issue.number}`)
    await page.getByText('2 unread').waitFor({ timeout: patience })
    await show(page, `/ann/tool/pull/${pull.number}`)
    await page.getByText('1 unread').waitFor({ timeout: patience })
    assert.deepEqual(await unread(), [String(other.number)])
    // What is said while the page shows it is read, too.
    await ann.post(`${path}/issues/${pull.number}/comments`, { body: 'One more word, @bob' })
    await see(page, 'One more word')
    await until(async () => (await unread()).join() === String(other.number))
  })

  test('invitations to organisations and repositories are answered on the home', async () => {
    const { stage } = world
    for (const login of ['guild', 'rivals']) {
      await stage.root.post('/admin/organizations', { login, admin: 'ann' })
      await stage.as('ann').put(`/orgs/${login}/memberships/bob`, { role: 'member' })
    }
    await stage.as('ann').post('/user/repos', { name: 'shared', private: true })
    await stage.as('ann').put('/repos/ann/shared/collaborators/bob', { permission: 'push' })
    const { page } = await stage.openAs('bob')
    const hands = takeKeyboard(page)
    await show(page, '/-/')
    await see(page, 'You are invited to join guild as a member.')
    await hands.press('button', 'Accept the invitation to guild')
    await page.getByRole('region', { name: 'Invitation to guild' }).waitFor({ state: 'detached', timeout: patience })
    await hands.press('button', 'Decline the invitation to rivals')
    await page.getByRole('region', { name: 'Invitation to rivals' }).waitFor({ state: 'detached', timeout: patience })
    await hands.press('button', 'Accept the invitation to ann/shared')
    await page.getByRole('region', { name: /^Invitation/ }).waitFor({ state: 'detached', timeout: patience })
    const { body } = await stage.as('bob').get('/user/memberships/orgs')
    assert.deepEqual(
      body.map(({ organization, state }: Json) => [organization.login, state]),
      [['guild', 'active']],
    )
    assert.equal((await stage.as('bob').get('/repos/ann/shared')).status, 200)
  })
}
