/** What `gh` sends over GraphQL for single commands, as it was recorded: gh 2.23, and newer ones by their source. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { registerApp } from '../apps/app-world.ts'
import { makeWorld, type World } from '../world.ts'

const encode = (text: string) => Buffer.from(text).toString('base64')

for (const engine of engines) {
  describe(`what gh asks on ${engine}`, () => {
    let server: TestServer
    let world: World
    const ask = async (query: string, variables: object = {}, client: RestClient = world.ann): Promise<Json> => {
      const { status, body } = await client.post('/api/graphql', { query, variables })
      assert.equal(status, 200)
      return body
    }
    const read = async (query: string, variables?: object, client?: RestClient): Promise<Json> => {
      const { data, errors } = await ask(query, variables, client)
      assert.deepEqual(errors, undefined)
      return data
    }
    const id = async (path: string): Promise<string> => (await world.ann.get(path)).body.node_id

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      world = await makeWorld(server)
    })
    after(() => server.stop())

    test('gh pr create -r: a team is found by its slug, like a user', async () => {
      const query =
        'query RepositoryResolveMetadataIDs {\nu000: user(login:"cid"){id,login}\nrepository(owner:"acme",name:"tool"){\nl000: label(name:"bug"){id,name}\n}\norganization(login:"acme"){\nt000: team(slug:"crew"){id,slug}\nt001: team(slug:"none"){id,slug}\n}\n}\n'
      const { u000, repository, organization } = await read(query, undefined, world.cid)
      assert.deepEqual([u000.login, repository.l000.name], ['cid', 'bug'])
      assert.deepEqual(organization, { t000: { id: await id('/orgs/acme/teams/crew'), slug: 'crew' }, t001: null })
      const { errors } = await ask(query, undefined, world.bob)
      assert.deepEqual(errors.map(({ path }: Json) => path.join('.')).sort(), [
        'organization.t000',
        'organization.t001',
        'repository',
      ])
    })

    test('gh issue create -l, -m: a label or a milestone that is not there is null, without an error', async () => {
      const query =
        'query RepositoryResolveMetadataIDs {\nrepository(owner:"ann",name:"open"){\nl000: label(name:"none"){id,name}\nm: milestone(number:99){title}\n}\n}\n'
      assert.deepEqual(await read(query), { repository: { l000: null, m: null } })
    })

    test('gh issue create -p: there are no projects to find', async () => {
      const classic =
        'projects(states: [OPEN], first: 100, orderBy: {field: NAME, direction: ASC}, after: $endCursor){nodes{id,name,number,resourcePath},pageInfo{hasNextPage,endCursor}}'
      const newer =
        'projectsV2(first: 100, orderBy: {field: TITLE, direction: ASC}, after: $endCursor, query: $query){nodes{id,title,number,resourcePath,closed},pageInfo{hasNextPage,endCursor}}'
      const query = `query List($endCursor:String$query:String!){repository(owner: "ann", name: "open"){${classic} ${newer}} organization(login: "acme"){${classic} ${newer}} viewer{${newer}}}`
      const { repository, organization, viewer } = await read(query, { endCursor: null, query: 'is:open' })
      const lists = [repository.projects, organization.projects, repository.projectsV2, organization.projectsV2]
      assert.deepEqual(
        [...lists, viewer.projectsV2].map(({ nodes }) => nodes),
        [[], [], [], [], []],
      )
    })

    test('gh issue list --app: those that an app opened, by its slug', async () => {
      const query =
        'query IssueList($owner: String!, $repo: String!, $limit: Int, $endCursor: String, $states: [IssueState!] = OPEN, $app: String){repository(owner: $owner, name: $repo) {issues(first: $limit, after: $endCursor, orderBy: {field: CREATED_AT, direction: DESC}, states: $states, filterBy: {createdBy: $app}){totalCount nodes { title }}}}'
      const { errors } = await ask(query, { owner: 'ann', repo: 'open', limit: 30, app: 'app/none' })
      assert.match(errors[0].message, /There is no app none\./)
      const { body: app } = await registerApp(world, world.ann)
      const { repository } = await read(query, { owner: 'ann', repo: 'open', limit: 30, app: `app/${app.slug}` })
      assert.deepEqual(repository.issues, { totalCount: 0, nodes: [] })
      const found = await world.ann.get(`/search/issues?q=author:app/${app.slug}`)
      assert.deepEqual([found.status, found.body.total_count], [200, 0])
    })

    test('gh repo create --template: a repository like another, for oneself or an organisation', async () => {
      await world.ann.patch('/repos/ann/open', { is_template: true })
      const query =
        '\n\t\tmutation CloneTemplateRepository($input: CloneTemplateRepositoryInput!) {\n\t\t\tcloneTemplateRepository(input: $input) {\n\t\t\t\trepository {\n\t\t\t\t\tid\n\t\t\t\t\tname\n\t\t\t\t\towner { login }\n\t\t\t\t\turl\n\t\t\t\t}\n\t\t\t}\n\t\t}\n\t\t'
      const repositoryId = await id('/repos/ann/open')
      const input = { name: 'copy', visibility: 'PUBLIC', ownerId: await id('/users/ann'), repositoryId }
      const { cloneTemplateRepository } = await read(query, { input: { ...input, includeAllBranches: true } })
      assert.equal(cloneTemplateRepository.repository.owner.login, 'ann')
      assert.equal((await world.ann.get('/repos/ann/copy/branches')).body.length, 2)
      await read(query, {
        input: { ...input, ownerId: await id('/orgs/acme'), visibility: 'PRIVATE', description: 'D' },
      })
      const { body } = await world.ann.get('/repos/acme/copy')
      assert.deepEqual([body.private, body.description, body.template_repository.full_name], [true, 'D', 'ann/open'])
      const shown = await read(
        '{ repository(owner: "acme", name: "copy") { templateRepository { id name owner { id login } } } }',
      )
      assert.equal(shown.repository.templateRepository.owner.login, 'ann')
    })

    test('gh repo create --team: the team gets the new repository', async () => {
      const query =
        '\n\tmutation RepositoryCreate($input: CreateRepositoryInput!) {\n\t\tcreateRepository(input: $input) {\n\t\t\trepository {\n\t\t\t\tid\n\t\t\t\tname\n\t\t\t\towner { login }\n\t\t\t\turl\n\t\t\t}\n\t\t}\n\t}\n\t'
      const teamId = await id('/orgs/acme/teams/crew')
      const input = {
        visibility: 'PRIVATE',
        hasIssuesEnabled: true,
        hasWikiEnabled: true,
        ownerId: await id('/orgs/acme'),
        teamId,
      }
      await read(query, { input: { ...input, name: 'shared' } })
      const crew = async () => (await world.ann.get('/orgs/acme/teams/crew/repos')).body.map(({ name }: Json) => name)
      assert.ok((await crew()).includes('shared'))
      const { body: team } = await world.ann.get('/orgs/acme/teams/crew')
      await world.ann.post('/orgs/acme/repos', { name: 'shared-too', auto_init: true, team_id: team.id })
      assert.ok((await crew()).includes('shared-too'))
      const { errors } = await ask(query, { input: { ...input, name: 'no', ownerId: await id('/users/ann') } })
      assert.match(errors[0].message, /teamId/)
      assert.equal((await world.ann.get('/repos/ann/no')).status, 404)
      const refused = await world.ann.post('/orgs/acme/repos', { name: 'no', team_id: 99_999 })
      assert.deepEqual([refused.status, refused.body.errors[0].field], [422, 'team_id'])
      assert.equal((await world.ann.get('/repos/acme/no')).status, 404)
    })

    test('gh repo create --license, --gitignore: the files are there, and an unknown one is refused by name', async () => {
      for (const member of ['license_template', 'gitignore_template'])
        for (const path of ['/user/repos', '/orgs/acme/repos']) {
          const { status, body } = await world.ann.post(path, {
            name: 'licensed',
            auto_init: true,
            [member]: 'nothing',
          })
          assert.deepEqual([status, body.errors[0].field], [422, member])
        }
      assert.equal((await world.ann.get('/repos/ann/licensed')).status, 404)
      assert.equal((await world.ann.post('/user/repos', { name: 'plain', license_template: '' })).status, 201)
      const { body: licenses } = await world.ann.get('/licenses')
      const { body: names } = await world.ann.get('/gitignore/templates')
      for (const { key } of licenses) {
        const { body: license } = await world.ann.get(`/licenses/${key}`)
        await world.ann.post('/user/repos', { name: `by-${key}`, license_template: key })
        const { body: file } = await world.ann.get(`/repos/ann/by-${key}/contents/LICENSE`)
        const text = Buffer.from(file.content, 'base64').toString()
        const filled = license.body.replace('[year]', String(new Date().getUTCFullYear())).replace('[fullname]', 'ann')
        assert.equal(text, filled, key)
        assert.equal((await world.ann.get(`/repos/ann/by-${key}/contents/README.md`)).status, 404)
      }
      for (const name of names) {
        const { body: ignores } = await world.ann.get(`/gitignore/templates/${encodeURIComponent(name)}`)
        assert.ok(ignores.name === name && ignores.source.length > 50, name)
      }
      assert.equal((await world.ann.get('/licenses/nothing')).status, 404)
      assert.equal((await world.ann.get('/gitignore/templates/..%2Flicenses%2Fmit')).status, 404)
    })

    test('gh repo view --json: every field that gh knows of a repository', async () => {
      await world.ann.put('/repos/ann/hidden/contents/.github/ISSUE_TEMPLATE/bug.md', {
        message: 'Bug',
        content: encode('---\nname: Bug\nabout: It breaks\ntitle: "[bug] "\nlabels: bug\n---\n\nWhat happened?\n'),
      })
      for (const path of ['pull_request_template.md', '.github/PULL_REQUEST_TEMPLATE/big.md'])
        await world.ann.put(`/repos/ann/hidden/contents/${path}`, { message: 'T', content: encode(`Of ${path}`) })
      const fields =
        'codeOfConduct{key,name,url},contactLinks{about,name,url},fundingLinks{platform,url},isBlankIssuesEnabled,isSecurityPolicyEnabled,isUserConfigurationRepository,issueTemplates{name,title,body,about},languages(first:100){edges{size,node{name}}},licenseInfo{key,name,nickname},openGraphImageUrl,projects(first:100,states:OPEN){nodes{id,name,number,body,resourcePath}},pullRequestTemplates{body,filename},securityPolicyUrl,templateRepository{id,name,owner{id,login}},usesCustomOpenGraphImage,viewerDefaultCommitEmail,viewerDefaultMergeMethod,viewerPossibleCommitEmails,archivedAt'
      const { repository } = await read(`{ repository(owner: "ann", name: "hidden") { ${fields} } }`)
      assert.deepEqual(repository.issueTemplates, [
        { name: 'Bug', title: '[bug] ', body: 'What happened?\n', about: 'It breaks' },
      ])
      assert.deepEqual(repository.pullRequestTemplates, [
        { body: 'Of .github/PULL_REQUEST_TEMPLATE/big.md', filename: 'big.md' },
        { body: 'Of pull_request_template.md', filename: 'pull_request_template.md' },
      ])
      assert.equal(repository.languages.edges[0].node.name, 'TypeScript')
      assert.deepEqual(
        [repository.viewerDefaultMergeMethod, repository.viewerDefaultCommitEmail],
        ['MERGE', 'ann@users.noreply'],
      )
      const { repository: none } = await read(
        '{ repository(owner: "acme", name: "tool") { issueTemplates { name } pullRequestTemplates { body } templateRepository { id } } }',
      )
      assert.deepEqual(none, { issueTemplates: [], pullRequestTemplates: [], templateRepository: null })
    })
  })
}
