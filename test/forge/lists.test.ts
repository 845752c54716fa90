/** Lists and doors agree: whoever may open a repository finds it in the lists, and nobody else does, however access came about. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { engines } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import { startServer } from '../support/server.ts'

const logins = ['ann', 'bob', 'cid', 'dee']
const teams = ['top', 'low', 'other']

const some = <T>(values: readonly T[]) => fc.subarray([...values])
const worlds = fc.record({
  base: fc.constantFrom('none', 'read', 'write'),
  members: some(logins.slice(1)),
  invited: some(logins.slice(1)),
  isNested: fc.boolean(),
  inTeams: fc.array(fc.tuple(fc.constantFrom(...teams), fc.constantFrom(...logins.slice(1))), { maxLength: 4 }),
  ofTeams: fc.array(fc.tuple(fc.constantFrom(...teams), fc.constantFrom('one', 'two')), { maxLength: 3 }),
  collaborators: some(logins.slice(1)),
  leaving: some(logins.slice(1)),
})

for (const engine of engines) {
  test(`what is listed is what can be opened, on ${engine}`, async (t) => {
    const server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
    t.after(() => server.stop())
    const root = asAdmin(server)
    const users: Record<string, RestClient> = {}
    for (const login of logins) users[login] = await makeUser(server, login)
    const narrow = makeRest(server.url, await makeToken(server, 'bob', { kind: 'classic', scopes: ['public_repo'] }))
    const ann = users.ann!
    let count = 0

    const property = fc.asyncProperty(worlds, async (world) => {
      const org = `org${++count}`
      await root.post('/admin/organizations', { login: org, admin: 'ann' })
      await ann.patch(`/orgs/${org}`, { default_repository_permission: world.base })
      for (const name of ['one', 'two']) await ann.post(`/orgs/${org}/repos`, { name, private: true })
      const top = await ann.post(`/orgs/${org}/teams`, { name: 'top', privacy: 'closed' })
      const parent = world.isNested ? { parent_team_id: top.body.id } : {}
      await ann.post(`/orgs/${org}/teams`, { name: 'low', privacy: 'closed', ...parent })
      await ann.post(`/orgs/${org}/teams`, { name: 'other' })
      for (const login of world.invited) await ann.put(`/orgs/${org}/memberships/${login}`, {})
      for (const login of world.members) await root.put(`/orgs/${org}/memberships/${login}`, {})
      for (const [team, login] of world.inTeams) await ann.put(`/orgs/${org}/teams/${team}/memberships/${login}`, {})
      for (const [team, name] of world.ofTeams) await ann.put(`/orgs/${org}/teams/${team}/repos/${org}/${name}`, {})
      for (const login of world.collaborators) {
        const { body, status } = await ann.put(`/repos/${org}/two/collaborators/${login}`, { permission: 'pull' })
        if (status === 201) await users[login]!.patch(`/user/repository_invitations/${body.id}`)
      }
      for (const login of world.leaving) await ann.delete(`/orgs/${org}/members/${login}`)

      for (const client of [...Object.values(users), narrow]) {
        const listed = async (path: string): Promise<string[]> => {
          const found = (await client.get(`${path}?per_page=100`)).body as { full_name: string }[]
          return found.map((each) => each.full_name).filter((name) => name.startsWith(`${org}/`))
        }
        const open: string[] = []
        for (const name of [`${org}/one`, `${org}/two`])
          if ((await client.get(`/repos/${name}`)).status === 200) open.push(name)
        assert.deepEqual((await listed('/user/repos')).sort(), open)
        assert.deepEqual((await listed(`/orgs/${org}/repos`)).sort(), open)
      }
    })
    await fc.assert(property, { numRuns: engine === 'sqlite' ? 12 : 4, endOnFailure: true })
  })
}
