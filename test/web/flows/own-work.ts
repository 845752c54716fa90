/** One’s own work in all repositories: notifications that a page has shown, lists of issues and pulls, invitations. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { heading, patience, see, show, takeKeyboard } from '../hands.ts'
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

  test('one’s own issues and pulls of all repositories are listed: created, assigned, mentioned, review requested', async () => {
    const { stage } = world
    const [ann, bob] = [stage.as('ann'), stage.as('bob')]
    await bob.post('/user/repos', { name: 'second', auto_init: true })
    await bob.put('/repos/bob/second/collaborators/ann', { permission: 'push' })
    await bob.post('/repos/bob/second/issues', { title: 'By bob, in second' })
    await bob.post('/repos/ann/tool/issues', { title: 'By bob, in tool', body: 'For @ann' })
    const { body: closed } = await bob.post('/repos/ann/tool/issues', { title: 'By bob, closed' })
    await bob.patch(`/repos/ann/tool/issues/${closed.number}`, { state: 'closed' })
    await ann.post('/repos/ann/tool/issues', { title: 'By ann, for ann', assignees: ['ann'] })
    const { page } = await stage.openAs('bob')
    const hands = takeKeyboard(page)
    await show(page, '/-/')
    await hands.press('link', 'Issues', true)
    await heading(page, 'Issues')
    await see(page, 'By bob, in second')
    await see(page, 'bob/second')
    await see(page, 'By bob, in tool')
    assert.equal(await page.getByText('By ann, for ann').count(), 0)
    assert.equal(await page.getByText('By bob, closed').count(), 0)
    await hands.press('link', /Closed/)
    await see(page, 'By bob, closed')
    await show(page, '/-/')
    await hands.press('link', 'Pull requests', true)
    await heading(page, 'Pull requests')
    await hands.press('link', 'Review requested')
    await see(page, 'No pull requests match.')
    const { page: own } = await stage.openAs('ann')
    const { keyboard } = own
    await show(own, '/-/')
    await keyboard.press('Control+k')
    await own.getByRole('combobox', { name: 'Search' }).waitFor({ timeout: patience })
    await keyboard.type('my issues')
    await own.getByRole('option', { name: 'My issues', exact: true }).waitFor({ timeout: patience })
    await keyboard.press('Enter')
    await heading(own, 'Issues')
    const hers = takeKeyboard(own)
    await hers.press('link', 'Assigned', true)
    await see(own, 'By ann, for ann')
    await hers.press('link', 'Mentioned')
    await see(own, 'By bob, in tool')
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
