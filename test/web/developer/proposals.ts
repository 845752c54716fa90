/** A change on a protected branch becomes a pull: with its template, its title, and the people who are to look at it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import type { DeveloperWorld } from '../developer-pages.test.ts'
import { heading, patience, see, show, takeKeyboard } from '../hands.ts'
import { lookAt } from '../looks.ts'

const template = '## What changes\n\n## How it was tried\n'

export function testProposals(world: DeveloperWorld): void {
  test('a change whose commit failed is proposed again on the branch that was made for it', async () => {
    const { stage } = world
    const ann = stage.as('ann')
    await ann.post('/user/repos', { name: 'retried', auto_init: true })
    const { page } = await stage.openAs('ann')
    const hands = takeKeyboard(page)
    // The first request is lost on its way, the second one's answer on its way back.
    let tries = 0
    await page.route('**/repos/ann/retried/contents/README.md', async (route) => {
      if (route.request().method() !== 'PUT' || ++tries > 2) return route.continue()
      if (tries === 2) await route.fetch()
      await route.abort()
    })
    await show(page, '/ann/retried/edit/main/README.md')
    for (const text of ['# One\n', '# Two\n', '# Three\n']) {
      await hands.writeCode(text)
      if (tries === 0) {
        await hands.turnTo('Where', /new branch/)
        await hands.write('New branch', 'again')
      }
      const sent = tries
      await hands.press('button', 'Propose change')
      await until(() => tries > sent)
      if (tries < 3) await page.getByRole('alert').waitFor({ timeout: patience })
    }
    await heading(page, 'New pull request')
    const { body: file } = await ann.get('/repos/ann/retried/contents/README.md?ref=again')
    assert.equal(Buffer.from(file.content, 'base64').toString(), '# Three\n')
    assert.equal((await ann.get('/repos/ann/retried/compare/main...again')).body.total_commits, 1)
    // A branch that others made is taken, as ever.
    await show(page, '/ann/retried/edit/main/README.md')
    await hands.writeCode('# Four\n')
    await hands.turnTo('Where', /new branch/)
    await hands.write('New branch', 'again')
    await hands.press('button', 'Propose change')
    await see(page, 'Reference already exists')
  })

  test('an edit on a branch that refuses commits goes to a new branch, and its pull is described before it is opened', async () => {
    const { stage } = world
    const [ann, bob] = [stage.as('ann'), stage.as('bob')]
    await stage.root.post('/admin/organizations', { login: 'guild', admin: 'ann' })
    await ann.post('/orgs/guild/repos', { name: 'mill', auto_init: true })
    const written = (path: string, text: string) =>
      ann.put(`/repos/guild/mill/contents/${path}`, { message: path, content: Buffer.from(text).toString('base64') })
    await written('.github/PULL_REQUEST_TEMPLATE.md', template)
    await ann.put('/orgs/guild/memberships/bob', { role: 'member' })
    await bob.patch('/user/memberships/orgs/guild', { state: 'active' })
    await ann.post('/orgs/guild/teams', { name: 'Millers', privacy: 'closed' })
    await ann.put('/orgs/guild/teams/millers/repos/guild/mill', { permission: 'push' })
    await ann.put('/orgs/guild/teams/millers/memberships/bob', { role: 'member' })
    await ann.post('/repos/guild/mill/labels', { name: 'grain', color: 'aa8800' })
    await ann.post('/repos/guild/mill/milestones', { title: 'Harvest' })
    const rules = { required_status_checks: null, enforce_admins: false, restrictions: null }
    const { status } = await ann.put('/repos/guild/mill/branches/main/protection', {
      ...rules,
      required_pull_request_reviews: { required_approving_review_count: 1 },
    })
    assert.equal(status, 200)

    const { page: admin } = await stage.openAs('ann')
    await show(admin, '/guild/mill/edit/main/README.md')
    await see(admin, 'The branch is protected, but its rules let you commit.')

    const { page } = await stage.openAs('bob')
    const hands = takeKeyboard(page)
    await show(page, '/guild/mill/edit/main/README.md')
    await see(page, 'is protected: changes reach it through a pull request')
    assert.equal(await page.getByRole('radio', { name: /On main/ }).count(), 0)
    await lookAt(page, 'edit-protected')
    await hands.writeCode('# Mill\n\nIt grinds.\n')
    await hands.write('Message', 'Say what it does\n\nIt grinds.')
    await hands.write('New branch', 'say-more')
    await hands.press('button', 'Propose change')
    await heading(page, 'New pull request')
    const title = page.getByRole('textbox', { name: 'Title' })
    await title.waitFor({ timeout: patience })
    assert.equal(await title.inputValue(), 'Say what it does')
    const body = await page.getByRole('textbox', { name: 'Description' }).inputValue()
    assert.equal(body, `It grinds.\n\n${template}`)
    assert.deepEqual((await ann.get('/repos/guild/mill/pulls')).body, [])

    const pick = async (what: string, choice: string, { isSingle = false } = {}) => {
      await hands.press('button', `Change ${what}`)
      await hands.press('button', new RegExp(`^(✓)?\\s*${choice}`))
      if (!isSingle) await page.keyboard.press('Escape')
    }
    await pick('reviewers', 'ann')
    await pick('reviewers', 'Millers')
    await pick('labels', 'grain')
    await pick('assignees', 'bob')
    await pick('milestone', 'Harvest', { isSingle: true })
    await lookAt(page, 'new-pull')
    await hands.press('button', 'Create pull request')
    await heading(page, /^Say what it does/)
    await see(page, 'Millers')
    const { body: pull } = await ann.get('/repos/guild/mill/pulls/1')
    assert.deepEqual(
      {
        by: pull.user.login,
        head: pull.head.ref,
        people: pull.requested_reviewers.map(({ login }: Json) => login),
        teams: pull.requested_teams.map(({ slug }: Json) => slug),
        labels: pull.labels.map(({ name }: Json) => name),
        assignees: pull.assignees.map(({ login }: Json) => login),
        milestone: pull.milestone.title,
      },
      {
        by: 'bob',
        head: 'say-more',
        people: ['ann'],
        teams: ['millers'],
        labels: ['grain'],
        assignees: ['bob'],
        milestone: 'Harvest',
      },
    )
    await hands.press('button', 'Change reviewers')
    await hands.press('button', /Millers/)
    await page.locator('.side-section', { hasText: 'Millers' }).waitFor({ state: 'visible' })
    await page.keyboard.press('Escape')
  })
}
