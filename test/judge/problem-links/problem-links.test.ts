/** Problem links and copies of a sheet's template: who may what, what is taken, and that each student has one copy. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { type JudgeStage, makeProblem, startJudge, unknownUuid } from '../../support/judge.ts'
import { asAdmin, makeRest, makeToken, type RestClient } from '../../support/rest.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { until } from '../../support/until.ts'

const scopes = ['repo', 'judge', 'user', 'admin:org']
type Name = 'contestant' | 'rival' | 'setter' | 'colleague' | 'admin' | 'worker'

for (const engine of engines)
  describe(`problem links and templates on ${engine}`, () => {
    const ruleTest = ruleTestOn(engine)
    let stage: JudgeStage
    let problem: Json
    const rest = {} as Record<Name, RestClient>
    const rpc = {} as Record<Name, RpcClient>
    let drawn = 0
    /** The contestant owns contestant/code, which the rival may write to and the colleague read. The setter owns the organisation. */
    before(async () => {
      stage = await startJudge(engine, { environment: { GUILDHALL_JUDGE_LIMITS: 'repositoryLinks=3' } })
      for (const name of ['contestant', 'rival', 'setter', 'colleague', 'admin', 'worker'] as const) {
        const more = name === 'admin' ? ['site_admin'] : []
        const token = await makeToken(stage, name, { kind: 'classic', scopes: [...scopes, ...more] })
        rest[name] = makeRest(stage.url, token)
        rpc[name] = stage.cast.admin.as(token)
      }
      problem = await makeProblem(stage.cast.setter)
      await asAdmin(stage).post('/admin/organizations', { login: 'school', admin: 'setter' })
      await rest.contestant.post('/user/repos', { name: 'code', private: true })
      for (const [name, permission] of [
        ['rival', 'push'],
        ['colleague', 'pull'],
      ] as const) {
        const { body } = await rest.contestant.put(`/repos/contestant/code/collaborators/${name}`, { permission })
        await rest[name].patch(`/user/repository_invitations/${body.id}`)
      }
    })
    after(() => stage.stop())

    const link = (over: object = {}) => ({
      Repository: 'contestant/code',
      UUID: problem.UUID,
      Path: 'main.py',
      ...over,
    })
    const codesOf = async (ask: (by: RpcClient) => Promise<number>) => {
      const codes: Record<string, number> = {}
      for (const [name, by] of Object.entries(rpc)) codes[name] = await ask(by)
      return codes
    }

    ruleTest(
      'writers put and delete links, readers read them, and to all others there is no such repository',
      async () => {
        assert.deepEqual(await codesOf((by) => by.code('put_problem_link', link())), {
          ...{ contestant: 0, rival: 0, setter: 6, colleague: 8, admin: 0, worker: 6 },
        })
        assert.deepEqual(await codesOf((by) => by.code('get_problem_link_list', { Repository: 'contestant/code' })), {
          ...{ contestant: 0, rival: 0, setter: 6, colleague: 0, admin: 0, worker: 6 },
        })
        assert.deepEqual(
          await codesOf(async (by) => {
            await rpc.contestant.call('put_problem_link', link())
            return by.code('delete_problem_link', { Repository: 'contestant/code', UUID: problem.UUID })
          }),
          { contestant: 0, rival: 0, setter: 6, colleague: 8, admin: 0, worker: 6 },
        )
        assert.equal(await stage.cast.anonymous.code('put_problem_link', link()), 17)
        // A token that is good for the judge alone changes no repository.
        assert.notEqual(await stage.cast.contestant.code('put_problem_link', link()), 0)
        await rpc.contestant.ask('delete_problem_link', { Repository: 'contestant/code', UUID: problem.UUID })
      },
    )

    test('a link is as it was put, and another to the same problem takes its place', async () => {
      const put = async (over: object) => (await rpc.contestant.call('put_problem_link', link(over))).ProblemLink
      const whole = { Repository: 'contestant/code', UUID: problem.UUID, DisplayName: 'Sum', Path: 'main.py' }
      assert.deepEqual(await put({}), { ...whole, Branch: null, Language: 'python' })
      const changed = { ...whole, Path: 'src/a.kt', Branch: 'dev', Language: 'kotlin' }
      assert.deepEqual(await put({ Path: 'src/a.kt', Branch: 'dev', Language: 'kotlin' }), changed)
      const { ProblemLinkList } = await rpc.colleague.call('get_problem_link_list', { Repository: 'Contestant/Code' })
      assert.deepEqual(ProblemLinkList, [changed])
      await rpc.contestant.call('delete_problem_link', { Repository: 'contestant/code', UUID: problem.UUID })
      const gone = { Repository: 'contestant/code', UUID: problem.UUID }
      assert.equal(await rpc.contestant.code('delete_problem_link', gone), 6)
    })

    test('a problem’s links are listed, newest first, of the repositories that one may read', async () => {
      const listed = async (by: RpcClient) =>
        (await by.call('get_problem_repository_list', { UUID: problem.UUID })).ProblemLinkList.map((one: Json) => [
          ...[one.Repository, one.Path, one.DisplayName],
        ])
      assert.deepEqual(await listed(rpc.contestant), [])
      await rest.setter.post('/user/repos', { name: 'open' })
      await rpc.contestant.call('put_problem_link', link())
      await rpc.setter.call('put_problem_link', link({ Repository: 'setter/open', Path: 'b.py' }))
      const open = ['setter/open', 'b.py', 'Sum']
      const both = [open, ['contestant/code', 'main.py', 'Sum']]
      assert.deepEqual(await listed(rpc.contestant), both)
      assert.deepEqual(await listed(rpc.colleague), both)
      assert.deepEqual(await listed(rpc.setter), [open])
      assert.deepEqual(await listed(rpc.worker), [open])
      // A token that is good for the judge alone reads what everybody does.
      assert.deepEqual(await listed(stage.cast.contestant), [open])
      await stage.cast.setter.call('update_problem_judging', { UUID: problem.UUID, Judging: { IsHeld: true } })
      assert.equal(await rpc.contestant.code('get_problem_repository_list', { UUID: problem.UUID }), 6)
      await stage.cast.setter.call('update_problem_judging', { UUID: problem.UUID, Judging: { IsHeld: false } })
      await rpc.setter.call('delete_problem_link', { Repository: 'setter/open', UUID: problem.UUID })
      await rpc.contestant.call('delete_problem_link', { Repository: 'contestant/code', UUID: problem.UUID })
    })

    ruleTest('what is no path, branch, language, repository or problem is refused', async () => {
      const table: readonly (readonly [object, number])[] = [
        [{ Path: 'a/b.py' }, 0],
        [{ Path: '' }, -32602],
        [{ Path: '/main.py' }, -32602],
        [{ Path: 'a//b.py' }, -32602],
        [{ Path: '../b.py' }, -32602],
        [{ Path: './b.py' }, -32602],
        [{ Path: '.git/b.py' }, -32602],
        [{ Path: 'a\nb.py' }, -32602],
        [{ Path: 'a\0b.py' }, -32602],
        [{ Path: 'x'.repeat(1_025) }, -32602],
        [{ Path: 'main.kt' }, -32602],
        [{ Path: 'main' }, -32602],
        [{ Path: 'main', Language: 'c' }, 0],
        [{ Language: 'x'.repeat(33) }, -32602],
        [{ Branch: 'a b' }, -32602],
        [{ Branch: 'refs/heads/main' }, -32602],
        [{ Branch: 'feature/x' }, 0],
        [{ Repository: 'code' }, 6],
        [{ Repository: 'a/b/c' }, 6],
        [{ Repository: 'contestant/none' }, 6],
        [{ UUID: unknownUuid() }, 6],
        [{ UUID: 'x' }, -32602],
      ]
      for (const [over, code] of table)
        assert.equal(await rpc.contestant.code('put_problem_link', link(over)), code, JSON.stringify(over))
      await rpc.contestant.call('delete_problem_link', { Repository: 'contestant/code', UUID: problem.UUID })
    })

    ruleTest('a repository has so many links and no more, and none to what one may not see', async () => {
      const held = await makeProblem(stage.cast.setter)
      const problems = [await makeProblem(stage.cast.setter), held, await makeProblem(stage.cast.setter)]
      for (const { UUID } of problems) await rpc.contestant.call('put_problem_link', link({ UUID }))
      assert.equal(await rpc.contestant.code('put_problem_link', link()), 9)
      await rpc.contestant.call('put_problem_link', link({ UUID: held.UUID, Path: 'other.py' }))
      await stage.cast.setter.call('update_problem_judging', { UUID: held.UUID, Judging: { IsHeld: true } })
      assert.equal(await rpc.contestant.code('put_problem_link', link({ UUID: held.UUID })), 6)
      const listed = async (by: RpcClient) =>
        (await by.call('get_problem_link_list', { Repository: 'contestant/code' })).ProblemLinkList.length
      assert.deepEqual([await listed(rpc.contestant), await listed(rpc.admin)], [2, 3])
      for (const { UUID } of problems)
        await rpc.admin.call('delete_problem_link', { Repository: 'contestant/code', UUID })
    })

    /** A class of the setter's with a sheet whose template has a commit and a link; contestant and rival attend. */
    async function makeSheet(over: object = {}): Promise<Json> {
      const repository = `template-${++drawn}`
      await rest.setter.post('/orgs/school/repos', { name: repository, private: true })
      const folder = await makeWorkingFolder()
      try {
        await writeFile(join(folder.path, 'main.py'), 'def solve():\n    pass\n')
        await folder.must('add', '.')
        await folder.must('commit', '--quiet', '-m', 'Template')
        const remote = remoteUrl(stage.url, `school/${repository}`, 'setter', rest.setter.token)
        await folder.must('push', '--quiet', remote, 'main', 'main:refs/heads/solution')
      } finally {
        await folder.drop()
      }
      const Repository = `school/${repository}`
      await rpc.setter.call('put_problem_link', { Repository, UUID: problem.UUID, Path: 'main.py' })
      const ClassID = `Algo_${drawn}`
      await rpc.setter.call('create_class', { ID: ClassID, Name: 'Algorithms' })
      for (const [AccountName, Role] of [
        ['contestant', 'student'],
        ['rival', 'student'],
        ['colleague', 'teacher'],
      ])
        await rpc.setter.call('put_class_member', { ClassID, AccountName, Role })
      const draft = { ClassID, Title: 'Übung 1: Größe & más', OpenTime: 0, IsPublished: true }
      const Template = { Repository, Organisation: 'school' }
      return (await rpc.setter.call('create_sheet', { ...draft, Template, ...over })).Sheet
    }

    test('a student gets one private copy, with its links, to write to; the teachers run it', async () => {
      const sheet = await makeSheet()
      const calls = Array.from({ length: 4 }, () => rpc.contestant.call('accept_sheet', { SheetID: sheet.ID }))
      const answers = await Promise.all(calls)
      const name = `school/algo_${drawn}-ubung-1-grosse-mas-contestant`
      assert.deepEqual(answers, Array(4).fill({ Repository: name }))
      assert.deepEqual(await rpc.contestant.call('accept_sheet', { SheetID: sheet.ID }), { Repository: name })
      const { body } = await rest.contestant.get(`/repos/${name}`)
      assert.deepEqual(
        [body.private, body.fork, body.default_branch, body.permissions.push, body.permissions.admin],
        [true, false, 'main', true, false],
      )
      for (const teacher of ['setter', 'colleague'] as const)
        assert.equal((await rest[teacher].get(`/repos/${name}`)).body.permissions.admin, true)
      assert.equal((await rest.rival.get(`/repos/${name}`)).status, 404)
      const branches = (await rest.contestant.get(`/repos/${name}/branches`)).body
      assert.deepEqual(
        branches.map((branch: Json) => branch.name),
        ['main'],
      )
      const { ProblemLinkList } = await rpc.contestant.call('get_problem_link_list', { Repository: name })
      const copied = { Repository: name, UUID: problem.UUID, DisplayName: 'Sum', Path: 'main.py' }
      assert.deepEqual(ProblemLinkList, [{ ...copied, Branch: null, Language: 'python' }])
      const copies = async (by: RpcClient) =>
        (await by.call('get_sheet_copy_list', { SheetID: sheet.ID })).SheetCopyList.map(
          ({ AccountName }: Json) => AccountName,
        )
      await rpc.rival.call('accept_sheet', { SheetID: sheet.ID })
      assert.deepEqual(
        [await copies(rpc.contestant), await copies(rpc.rival), await copies(rpc.setter)],
        [['contestant'], ['rival'], ['contestant', 'rival']],
      )
      assert.equal(await rpc.worker.code('get_sheet_copy_list', { SheetID: sheet.ID }), 6)

      // What the student pushes to it is handed in; making it was not.
      const authors = async (): Promise<string[]> =>
        (
          await rpc.setter.call('get_problem_submission_snippet_list', {
            ...{ ProblemUUID: problem.UUID, Offset: 0, Limit: 100 },
          })
        ).SubmissionSnippetList.map(({ Author }: Json) => Author.AccountName)
      const path = `/repos/${name}/contents/main.py`
      const { sha } = (await rest.contestant.get(path)).body
      const content = Buffer.from('print(3)\n').toString('base64')
      assert.equal((await rest.contestant.put(path, { message: 'Solve', content, sha })).status, 200)
      await until(async () => (await authors()).includes('contestant'))
      assert.deepEqual(await authors(), ['contestant'], 'a copy by itself is not handed in')
    })

    test('a new branch that is as the template was hands nothing in, and what is changed on it does', async () => {
      const sheet = await makeSheet()
      const { Repository } = await rpc.contestant.call('accept_sheet', { SheetID: sheet.ID })
      const { UUID } = await makeProblem(stage.cast.setter)
      await rpc.contestant.call('put_problem_link', { Repository, UUID, Path: 'main.py', Branch: 'dev' })
      const contents = async (): Promise<string[]> => {
        const list = { ProblemUUID: UUID, Offset: 0, Limit: 100 }
        const { SubmissionSnippetList } = await rpc.setter.call('get_problem_submission_snippet_list', list)
        const ids: number[] = SubmissionSnippetList.map(({ ID }: Json) => ID)
        return Promise.all(ids.map(async (ID) => (await rpc.setter.call('get_submission', { ID })).Submission.Content))
      }
      const path = `/repos/${Repository}/contents/main.py`
      const refs = `/repos/${Repository}/git/refs`
      const { sha: first } = (await rest.contestant.get(`/repos/${Repository}/commits/main`)).body
      await rest.contestant.post(refs, { ref: 'refs/heads/dev', sha: first })
      const write = async (branch: string, text: string) => {
        const { sha } = (await rest.contestant.get(`${path}?ref=${branch}`)).body
        const content = Buffer.from(text).toString('base64')
        const { status, body } = await rest.contestant.put(path, { message: 'Solve', content, sha, branch })
        assert.equal(status, 200)
        return body.commit.sha
      }
      await write('dev', 'print(3)\n')
      await until(async () => (await contents()).length > 0)
      assert.deepEqual(await contents(), ['print(3)\n'], 'the template was not handed in')
      await rest.contestant.delete(`${refs}/heads/dev`)
      await rpc.contestant.call('delete_problem_link', { Repository, UUID: problem.UUID })
      const sha = await write('main', 'print(4)\n')
      await rest.contestant.post(refs, { ref: 'refs/heads/dev', sha })
      await until(async () => (await contents()).length > 1)
      assert.deepEqual(await contents(), ['print(4)\n', 'print(3)\n'], 'a branch that begins with a change')
    })

    test('a name that is taken gets a number, and a copy that was deleted is made again', async () => {
      const sheet = await makeSheet({ Title: '???' })
      const first = `algo_${drawn}-sheet-${sheet.ID}-contestant`
      await rest.setter.post('/orgs/school/repos', { name: first })
      const accept = async () => (await rpc.contestant.call('accept_sheet', { SheetID: sheet.ID })).Repository
      assert.equal(await accept(), `school/${first}-2`)
      const remover = makeRest(
        stage.url,
        await makeToken(stage, 'setter', { kind: 'classic', scopes: [...scopes, 'delete_repo'] }),
      )
      assert.equal((await remover.delete(`/repos/school/${first}-2`)).status, 204)
      assert.equal(await accept(), `school/${first}-2`)
    })

    ruleTest('only students of an open sheet with a template accept it', async () => {
      const sheet = await makeSheet()
      const ask = (SheetID: number) => codesOf((by) => by.code('accept_sheet', { SheetID }))
      const everybody = { contestant: 0, rival: 0, setter: 8, colleague: 8, admin: 8, worker: 6 }
      assert.deepEqual(await ask(sheet.ID), everybody)
      const bare = await makeSheet({ Template: null })
      assert.deepEqual(await ask(bare.ID), { ...everybody, contestant: 10, rival: 10 })
      const hidden = await makeSheet({ IsPublished: false })
      assert.deepEqual(await ask(hidden.ID), { ...everybody, contestant: 6, rival: 6 })
    })

    ruleTest(
      'a template is set by a teacher who may read it and make repositories there, and copied by their rights',
      async () => {
        const sheet = await makeSheet()
        const { Template } = sheet
        const set = (by: RpcClient, over: object | null, more: object = {}) =>
          by.code('update_sheet', { ID: sheet.ID, Template: over && { ...Template, ...over }, ...more })
        // The colleague teaches the class, and has no part in the organisation.
        assert.equal(await set(rpc.colleague, {}, { Title: 'As it is' }), 0)
        assert.equal(await set(rpc.colleague, { Repository: 'school/none' }), 6)
        assert.equal(await set(rpc.colleague, { Repository: Template.Repository.toUpperCase() }), 6)
        assert.equal(await set(rpc.setter, { Organisation: 'nobody' }), 6)
        assert.equal(await set(rpc.setter, { Repository: 'contestant/code' }), 6)
        await rest.colleague.post('/user/repos', { name: 'own', auto_init: true })
        assert.equal(await set(rpc.colleague, { Repository: 'colleague/own' }), 8)
        assert.equal(await set(stage.cast.setter, { Repository: 'colleague/own' }), 8, 'a token without repo')
        // Whoever set it loses their rights: the student is told whom to ask.
        await asAdmin(stage).put('/orgs/school/memberships/admin', { role: 'admin' })
        await asAdmin(stage).delete('/orgs/school/members/setter')
        const { error } = await rpc.contestant.ask('accept_sheet', { SheetID: sheet.ID })
        assert.equal(error.code, 10)
        await asAdmin(stage).put('/orgs/school/memberships/setter', { role: 'admin' })
        await rest.setter.patch('/user/memberships/orgs/school', { state: 'active' })
        assert.equal(await rpc.contestant.code('accept_sheet', { SheetID: sheet.ID }), 0)
      },
    )
  })
