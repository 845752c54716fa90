/** Pushes of linked files: what is handed in, what the commit's status says of it, and who hears of the verdict. */
import assert from 'node:assert/strict'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl, type WorkingFolder } from '../../support/git.ts'
import { claim, type JudgeStage, makeProblem, page, startJudge } from '../../support/judge.ts'
import { makeRest, makeToken, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { until } from '../../support/until.ts'

const minute = 60_000
const scopes = ['repo', 'judge', 'notifications', 'user']

for (const engine of engines)
  describe(`pushed files on ${engine}`, () => {
    const ruleTest = ruleTestOn(engine)
    const clock = makeManualClock()
    let stage: JudgeStage
    let contestant: RestClient
    let setter: RestClient
    let work: WorkingFolder
    const folders: WorkingFolder[] = []
    let drawn = 0
    before(async () => {
      stage = await startJudge(engine, { clock })
      const client = async (login: string) =>
        makeRest(stage.url, await makeToken(stage, login, { kind: 'classic', scopes }))
      contestant = await client('contestant')
      setter = await client('setter')
    })
    after(async () => {
      await stage.stop()
      for (const folder of folders) await folder.drop()
    })

    /** A repository of the contestant's, and a link of main.py to a problem. */
    async function makeLinked(over: object = {}): Promise<{ name: string; problem: Json }> {
      const repository = `exercises-${++drawn}`
      work = await makeWorkingFolder()
      folders.push(work)
      const { status } = await contestant.post('/user/repos', { name: repository, private: true })
      assert.equal(status, 201)
      const problem = await makeProblem(stage.cast.setter, { DisplayName: `Sum ${drawn}` })
      const name = `contestant/${repository}`
      const link = { Repository: name, UUID: problem.UUID, Path: 'main.py', ...over }
      await contestantRpc().call('put_problem_link', link)
      return { name, problem }
    }
    const contestantRpc = () => stage.cast.contestant.as(contestant.token)

    async function pushAs(by: RestClient, login: string, name: string, refs = ['HEAD:main']): Promise<string> {
      await work.must('push', '--quiet', '--force', remoteUrl(stage.url, name, login, by.token), ...refs)
      return work.must('rev-parse', 'HEAD')
    }
    /** One commit with these files, null for one that goes; pushed by the contestant. */
    async function push(name: string, files: Record<string, string | Buffer | null>, refs?: string[]): Promise<string> {
      for (const [path, content] of Object.entries(files)) {
        const place = join(work.path, path)
        await mkdir(dirname(place), { recursive: true })
        if (content === null) await rm(place, { recursive: true, force: true })
        else await writeFile(place, content)
      }
      await work.must('add', '--all', '.')
      await work.must('commit', '--quiet', '--allow-empty', '-m', `Commit ${++drawn}`)
      return pushAs(contestant, 'contestant', name, refs)
    }
    const statuses = async (name: string, sha: string): Promise<Json[]> =>
      (await contestant.get(`/repos/${name}/commits/${sha}/statuses`)).body
    const submissions = async ({ UUID }: Json): Promise<Json[]> =>
      (await stage.cast.setter.call('get_problem_submission_snippet_list', { ProblemUUID: UUID, ...page() }))
        .SubmissionSnippetList
    /** Until everything that pushes left to be done is done. */
    const settled = () =>
      until(async () => {
        const open = stage.services.store.db.selectFrom('job').select('id').where('kind', 'like', 'judge.pushed-%')
        return (await open.where('state', 'in', ['queued', 'running']).execute()).length === 0
      })
    async function judge(update: object): Promise<number> {
      const { ID } = await claim(stage.cast.worker)
      await stage.cast.worker.call('update_submission', { ID, Status: 3, ...update })
      await settled()
      return ID
    }

    test('a push that changes the file hands it in for whoever pushed, and its verdict comes to the commit', async () => {
      const { name, problem } = await makeLinked()
      const sha = await push(name, { 'main.py': 'print(3)\n', 'other.py': 'x = 1\n' })
      await settled()
      const [submission] = await submissions(problem)
      assert.deepEqual(
        [submission.Author.AccountName, submission.Language, submission.CreatedTime],
        ['contestant', 'python', clock.now()],
      )
      const whole = await stage.cast.setter.call('get_submission', { ID: submission.ID })
      assert.equal(whole.Submission.Content, 'print(3)\n')
      const address = `${stage.url}/-/judge/submissions/${submission.ID}`
      const context = `judge/${problem.DisplayName}`
      const shown = ({ state, context, target_url, description, creator }: Json) => [
        ...[state, context, target_url, description, creator?.login],
      ]
      const [pending] = await statuses(name, sha)
      const waits = `Submission ${submission.ID} waits to be judged.`
      assert.deepEqual(shown(pending), ['pending', context, address, waits, 'contestant'])
      await judge({ Result: 1 })
      const [success, ...before] = await statuses(name, sha)
      assert.deepEqual(shown(success), ['success', context, address, 'Accepted.', 'contestant'])
      assert.equal(before.length, 1)
      const combined = (await contestant.get(`/repos/${name}/commits/${sha}/status`)).body
      assert.deepEqual([combined.state, combined.statuses[0].target_url], ['success', address])

      // What does not change it, or moves another branch, or a tag, hands nothing in.
      await push(name, { 'other.py': 'x = 2\n' })
      await push(name, { 'main.py': 'print(4)\n' }, ['HEAD:dev', 'HEAD:refs/tags/v1'])
      await settled()
      assert.equal((await submissions(problem)).length, 1)
      const last = await pushAs(contestant, 'contestant', name)
      await settled()
      assert.equal((await submissions(problem)).length, 2)
      assert.equal((await statuses(name, last)).length, 1)
      await judge({ Result: 1 })
    })

    test('the verdict comes to the author’s inbox in the repository’s name, and anew when it is judged again', async () => {
      const { name, problem } = await makeLinked()
      const sha = await push(name, { 'main.py': `print(${++drawn})\n` })
      await settled()
      const ID = await judge({ Result: 6 })
      const threads = async (): Promise<Json[]> =>
        (await contestant.get('/notifications')).body.filter((one: Json) => one.repository.full_name === name)
      await until(async () => (await threads()).length === 1)
      const [thread] = await threads()
      assert.deepEqual([thread.reason, thread.subject.title], ['ci_activity', `${problem.DisplayName}: wrong answer`])
      await stage.cast.admin.call('rejudge_submission', { ID })
      await judge({ Result: 6 })
      assert.equal((await statuses(name, sha)).length, 2, 'the same verdict is told once')
      await stage.cast.admin.call('rejudge_submission', { ID })
      await judge({ Result: 1 })
      assert.deepEqual(
        (await statuses(name, sha)).map(({ state }) => state),
        ['success', 'failure', 'pending'],
      )
    })

    ruleTest('each verdict is a state and words, with points where there are any', async () => {
      const { name } = await makeLinked()
      const table: readonly (readonly [number, string, string])[] = [
        [1, 'success', 'Accepted.'],
        [2, 'failure', 'Compile error.'],
        [3, 'failure', 'Runtime error.'],
        [4, 'failure', 'Time limit exceeded.'],
        [5, 'failure', 'Memory limit exceeded.'],
        [6, 'failure', 'Wrong answer.'],
        [7, 'failure', 'Unsupported language.'],
        [8, 'failure', 'Output limit exceeded.'],
        [9, 'error', 'Judge failure.'],
      ]
      for (const [Result, state, description] of table) {
        const sha = await push(name, { 'main.py': `print(${++drawn})\n` })
        await settled()
        await judge({ Result })
        const [found] = await statuses(name, sha)
        assert.deepEqual([found.state, found.description], [state, description])
      }
    })

    test('what is no program is an error with its reason, and the push is taken', async () => {
      const { name, problem } = await makeLinked()
      const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n'
      const table: readonly (readonly [string, string | Buffer | null, string])[] = [
        ['first', 'print(1)\n', ''],
        ['gone', null, 'main.py is not in this commit: nothing was submitted.'],
        ['empty', '', 'main.py is empty.'],
        ['no UTF-8', Buffer.from([0x70, 0xff, 0xfe]), 'main.py is not UTF-8 text.'],
        ['binary', 'a\0b', 'main.py is not UTF-8 text.'],
        ['large', 'x'.repeat(64_001), 'main.py has 64001 bytes: a program can have at most 64000.'],
        ['Git LFS', pointer, 'main.py is kept by Git LFS: commit the program itself.'],
      ]
      for (const [what, content, reason] of table) {
        const sha = await push(name, { 'main.py': content })
        await settled()
        const [found] = await statuses(name, sha)
        if (reason !== '')
          assert.deepEqual([found.state, found.description, found.target_url], ['error', reason, null], what)
        else assert.equal(found.state, 'pending')
      }
      await push(name, { 'main.py': null })
      await symlink('other.py', join(work.path, 'main.py'))
      const linked = await push(name, {})
      await settled()
      assert.equal((await statuses(name, linked))[0].description, 'main.py is a symbolic link, not a file.')
      const folder = await push(name, { 'main.py': null, 'main.py/inner.py': 'x\n' })
      await settled()
      assert.equal((await statuses(name, folder))[0].description, 'main.py is a folder, not a file.')
      await rm(join(work.path, 'main.py'), { recursive: true })
      const longest = await push(name, { 'main.py': 'x'.repeat(64_000) })
      await settled()
      assert.equal((await statuses(name, longest))[0].state, 'pending')
      assert.equal((await submissions(problem)).length, 2)
      // Deleted with its branch, it is nothing to be handed in.
      await work.must('push', '--quiet', remoteUrl(stage.url, name, 'contestant', contestant.token), 'HEAD:x')
      await work.must('push', '--quiet', remoteUrl(stage.url, name, 'contestant', contestant.token), ':x')
      await settled()
      for (let i = 0; i < 2; i++) await judge({ Result: 1 })
    })

    test('a problem of a contest that the pusher’s team is in is handed in there, and the status names no contest', async () => {
      const { name, problem } = await makeLinked()
      const ContestID = `secret-${++drawn}`
      const draft = { ID: ContestID, Name: 'Secret', Style: 'icpc', Duration: 60 * minute, StartTime: clock.now() }
      await stage.cast.setter.call('create_contest', draft)
      const place = { ContestID, ID: 'a', Label: 'A', UUID: problem.UUID, Ordinal: 0, Colour: '#ff0000' }
      await stage.cast.setter.call('put_contest_problem', place)
      const team = { ContestID, ID: 't', Name: 'T', AccountNameList: ['contestant'] }
      await stage.cast.admin.call('put_contest_team', team)
      const sha = await push(name, { 'main.py': `print(${++drawn})\n` })
      await settled()
      const [status] = await statuses(name, sha)
      const reason = 'A running contest has this problem: submit there.'
      assert.deepEqual([status.state, status.description, status.target_url], ['error', reason, null])
      assert.equal((await submissions(problem)).length, 0)
      clock.advance(61 * minute)
      await push(name, { 'main.py': `print(${++drawn})\n` })
      await settled()
      assert.equal((await submissions(problem)).length, 1)
      await judge({ Result: 1 })
    })

    test('a branch moves by pushes, files written on the page, references set and pulls merged', async () => {
      const { name, problem } = await makeLinked({ Path: 'src/a b/ma ïn.py', Language: 'python' })
      const path = `/repos/${name}/contents/${encodeURI('src/a b/ma ïn.py')}`
      const content = (text: string) => Buffer.from(text).toString('base64')
      const expect = async (count: number, what: string) => {
        await settled()
        assert.equal((await submissions(problem)).length, count, what)
      }
      const made = await contestant.put(path, { message: 'Made', content: content('print(1)\n') })
      assert.equal(made.status, 201)
      await expect(1, 'a file made on the page')
      const { sha } = made.body.content
      const changed = await contestant.put(path, { message: 'Changed', content: content('print(2)\n'), sha })
      await expect(2, 'a file changed on the page')
      const first = made.body.commit.sha
      assert.equal(
        (await contestant.patch(`/repos/${name}/git/refs/heads/main`, { sha: first, force: true })).status,
        200,
      )
      await expect(3, 'a reference set back')
      await contestant.post(`/repos/${name}/git/refs`, { ref: 'refs/heads/next', sha: changed.body.commit.sha })
      await expect(3, 'another branch')
      const pull = { title: 'Next', head: 'next', base: 'main' }
      const { body } = await contestant.post(`/repos/${name}/pulls`, pull)
      const merged = await contestant.put(`/repos/${name}/pulls/${body.number}/merge`)
      assert.equal(merged.status, 200)
      await expect(4, 'a pull merged')
      assert.equal((await statuses(name, merged.body.sha)).length, 1)
      const gone = { message: 'Gone', sha: changed.body.content.sha }
      const removed = await contestant.ask('DELETE', path, gone)
      assert.equal(removed.status, 200)
      await expect(4, 'a file deleted on the page')
      assert.equal((await statuses(name, removed.body.commit.sha))[0].state, 'error')
      for (let i = 0; i < 4; i++) await judge({ Result: 1 })
    })

    test('a branch that is named is followed, and a file that is renamed to the path is handed in', async () => {
      const { name, problem } = await makeLinked({ Branch: 'release' })
      await push(name, { 'main.py': `print(${++drawn})\n` })
      await settled()
      assert.equal((await submissions(problem)).length, 0)
      await work.must('mv', 'main.py', 'moved.py')
      await push(name, {}, ['HEAD:release'])
      await settled()
      assert.equal((await submissions(problem)).length, 0)
      await work.must('mv', 'moved.py', 'main.py')
      await push(name, {}, ['HEAD:release'])
      await settled()
      assert.equal((await submissions(problem)).length, 1)
      await judge({ Result: 1 })
    })

    test('a push made in time is in time, and one after the deadline is told so', async () => {
      const { name, problem } = await makeLinked()
      await stage.cast.setter.call('update_problem_judging', { UUID: problem.UUID, Judging: { IsHeld: true } })
      const ClassID = `class-${++drawn}`
      await stage.cast.setter.call('create_class', { ID: ClassID, Name: 'Class' })
      await stage.cast.setter.call('put_class_member', { ClassID, AccountName: 'contestant', Role: 'student' })
      const ProblemList = [{ UUID: problem.UUID, Points: 10 }]
      const draft = { ClassID, Title: 'Sheet', OpenTime: clock.now(), IsPublished: true, ProblemList }
      const DueTime = clock.now() + minute
      const { Sheet } = await stage.cast.setter.call('create_sheet', { ...draft, DueTime, LanguageList: ['python'] })
      await push(name, { 'main.py': `print(${++drawn})\n` })
      await settled()
      assert.equal((await submissions(problem)).length, 1)
      await stage.cast.setter.call('update_sheet', { ID: Sheet.ID, LanguageList: ['c'] })
      const other = await push(name, { 'main.py': `print(${++drawn})\n` })
      await settled()
      assert.deepEqual(
        [(await statuses(name, other))[0].state, (await statuses(name, other))[0].description],
        ['error', 'The sheet Sheet takes only c.'],
      )
      clock.advance(2 * minute)
      const late = await push(name, { 'main.py': `print(${++drawn})\n` })
      await settled()
      assert.equal((await statuses(name, late))[0].description, 'The deadline for this problem has passed.')
      assert.equal((await submissions(problem)).length, 1)
      await judge({ Result: 1 })
    })

    ruleTest('whoever may not hand in is told so, and their push is taken', async () => {
      const { name, problem } = await makeLinked()
      await contestant.put(`/repos/${name}/collaborators/worker`, { permission: 'push' })
      const token = await makeToken(stage, 'worker', { kind: 'classic', scopes })
      const worker = makeRest(stage.url, token)
      const [invitation] = (await worker.get('/user/repository_invitations')).body
      await worker.patch(`/user/repository_invitations/${invitation.id}`)
      await writeFile(join(work.path, 'main.py'), `print(${++drawn})\n`)
      await work.must('add', '--all', '.')
      await work.must('commit', '--quiet', '-m', 'By a worker')
      const sha = await pushAs(worker, 'worker', name)
      await settled()
      const [status] = await statuses(name, sha)
      assert.deepEqual([status.state, status.description], ['error', 'Your role (worker) may not submit.'])
      assert.equal((await submissions(problem)).length, 0)
      await stage.cast.setter.call('update_problem_judging', { UUID: problem.UUID, Judging: { IsHeld: true } })
      const held = await push(name, { 'main.py': `print(${++drawn})\n` })
      await settled()
      assert.equal((await statuses(name, held))[0].description, `There is no problem ${problem.UUID}.`)
    })

    ruleTest('one push hands in twenty files at most, and problems of one title are told apart', async () => {
      const { name } = await makeLinked({ Path: 'p0.py' })
      for (let i = 1; i <= 21; i++) {
        const problem = await makeProblem(stage.cast.setter, { DisplayName: i < 3 ? 'Twin' : `Other ${i}` })
        await contestantRpc().call('put_problem_link', { Repository: name, UUID: problem.UUID, Path: `p${i}.py` })
      }
      const files = Object.fromEntries(Array.from({ length: 22 }, (_, i) => [`p${i}.py`, `print(${i})\n`]))
      const sha = await push(name, files)
      await settled()
      const found = (await contestant.get(`/repos/${name}/commits/${sha}/statuses?per_page=100`)).body as Json[]
      const pending = found.filter(({ state }) => state === 'pending')
      const refused = found.filter(({ state }) => state === 'error')
      assert.deepEqual([pending.length, refused.length], [20, 2])
      assert.equal(refused[0].description, 'One push can submit at most 20 files: push this one separately.')
      assert.equal(new Set(found.map(({ context }) => context)).size, 22)
      assert.equal(found.filter(({ context }) => /^judge\/Twin [0-9a-f]{8}$/.test(context)).length, 2)
      await push(name, Object.fromEntries(Object.keys(files).map((path) => [path, null])))
      await settled()
      for (let i = 0; i < 20; i++) await judge({ Result: 1 })
    })

    ruleTest('a link that came after the push, and one whose problem is deleted, hand nothing in', async () => {
      const { name, problem } = await makeLinked()
      await setter.get('/user')
      await stage.cast.setter.call('delete_problem', { UUID: problem.UUID })
      const sha = await push(name, { 'main.py': `print(${++drawn})\n` })
      await settled()
      assert.deepEqual(await statuses(name, sha), [])
      const other = await makeProblem(stage.cast.setter)
      clock.advance(1)
      await contestantRpc().call('put_problem_link', { Repository: name, UUID: other.UUID, Path: 'main.py' })
      assert.equal((await submissions(other)).length, 0)
    })
  })
