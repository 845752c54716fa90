/** The grade sheet, the search of submissions by what they are, and what admins see of the queue. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mostCells, mostProblems } from '../../../src/judge/results/grade-sheet.ts'
import { mostLookedAt } from '../../../src/judge/submissions/submission-search.ts'
import { engines } from '../../support/engines.ts'
import {
  claim,
  finish,
  type JudgeStage,
  makeProblem,
  makeTest,
  startJudge,
  storeSubmissions,
  submit,
} from '../../support/judge.ts'
import { runProgram } from '../../support/program.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'

for (const engine of engines)
  describe(`results on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let stage: JudgeStage
    let setter: RpcClient
    let problem: Json
    before(async () => {
      stage = await startJudge(engine)
      const account = (await stage.services.accounts.findByName('setter'))!
      const { text } = await stage.services.tokens.make(account, { kind: 'classic', scopes: ['judge', 'dataset'] })
      setter = stage.cast.anonymous.as(text)
      problem = await makeProblem(setter)
    })
    after(() => stage.stop())

    async function hand(who: RpcClient, Result: number, uuid: string, Language = 'python'): Promise<number> {
      const { ID } = await submit(who, uuid, { Language })
      await claim(stage.cast.worker)
      await finish(stage.cast.worker, ID, Result)
      return ID
    }

    const readSheet = async (id: string): Promise<Json[]> => {
      const headers = { authorization: `Bearer ${setter.token}` }
      return (await (await fetch(`${stage.url}/v2/datasets/${id}/items`, { headers })).json()) as Json[]
    }

    test('points are the best of all tries, for who keeps the problem', async () => {
      const scored = await makeProblem(setter)
      await setter.call('update_problem_judging', { UUID: scored.UUID, Judging: { IsScored: true } })
      const test = await makeTest(setter, scored.UUID, { IsHidden: true })
      for (const Result of [1, 6]) {
        const { ID } = await submit(stage.cast.contestant, scored.UUID)
        const { Lease } = await claim(stage.cast.worker, { FeatureList: ['score'] })
        const figures = { CPUTimeInMillisecond: 1, WallTimeInMillisecond: 1, PeakMemoryInByte: 1 }
        const one = { TestCaseUUID: test.UUID, Result, ...figures, Stderr: '', ExitCode: 0, Signal: null }
        await stage.cast.worker.call('report_submission', {
          ID,
          Lease,
          Report: { Result, CompilerOutput: '', TestList: [one] },
        })
      }
      const params = { DatasetName: 'points', ProblemUUIDList: [scored.UUID] }
      const own = await readSheet((await setter.call('create_grade_sheet', params)).DatasetID)
      assert.deepEqual([own[0].points, own[0].maximumPoints, own[0].solved], [100, 100, true])
      const account = (await stage.services.accounts.findByName('colleague'))!
      const { text } = await stage.services.tokens.make(account, { kind: 'classic', scopes: ['judge', 'dataset'] })
      const made = await stage.cast.anonymous.as(text).call('create_grade_sheet', params)
      const headers = { authorization: `Bearer ${text}` }
      const others = (await (
        await fetch(`${stage.url}/v2/datasets/${made.DatasetID}/items`, { headers })
      ).json()) as Json[]
      assert.deepEqual([others[0].points, others[0].solved], [null, true])
      await setter.call('delete_problem', { UUID: scored.UUID })
    })

    test('a sheet of people has a row for each, with totals and the problems side by side, told apart where names are alike', async () => {
      const uuids = [await makeProblem(setter), await makeProblem(setter)].map(({ UUID }) => UUID as string)
      await setter.call('update_problem_judging', { UUID: uuids[0]!, Judging: { IsScored: true, MaximumScore: 40 } })
      const { ID } = await submit(stage.cast.contestant, uuids[0]!)
      await claim(stage.cast.worker, { FeatureList: ['score'] })
      await finish(stage.cast.worker, ID)
      await hand(stage.cast.contestant, 6, uuids[1]!)
      await hand(stage.cast.contestant, 1, uuids[1]!)
      const params = { DatasetName: 'people', ProblemUUIDList: uuids, HasEveryContestant: true, Layout: 'people' }
      const made = await setter.call('create_grade_sheet', params)
      assert.equal(made.ItemCount, 2)
      const [first, second] = await readSheet(made.DatasetID)
      const names = uuids.map((uuid) => `Sum (${uuid.slice(0, 8)})`)
      assert.match(first.lastSuccess, /^\d{4}-\d\d-\d\dT/)
      assert.deepEqual(
        { ...first, lastSuccess: null },
        {
          person: 'contestant',
          account: 'contestant',
          solved: 2,
          points: 40,
          tries: 3,
          lastSuccess: null,
          problems: { [names[0]!]: 40, [names[1]!]: 'accepted' },
        },
      )
      assert.deepEqual([second.account, second.solved, second.points, second.tries], ['rival', 0, null, 0])
      assert.deepEqual(Object.values(second.problems), ['not tried', 'not tried'])
      assert.equal(await setter.code('create_grade_sheet', { ...params, Layout: 'odd' }), -32602)
      for (const UUID of uuids) await setter.call('delete_problem', { UUID })
      const headers = { authorization: `Bearer ${setter.token}` }
      await fetch(`${stage.url}/v2/datasets/${made.DatasetID}`, { method: 'DELETE', headers })
    })

    test('the sheet has the first success, the tries, and who tried in vain; made again it is the same data set', async () => {
      const { contestant, rival } = stage.cast
      await hand(contestant, 6, problem.UUID)
      await hand(contestant, 1, problem.UUID)
      await hand(contestant, 3, problem.UUID)
      await hand(rival, 4, problem.UUID, 'c')
      const params = { DatasetName: 'results', ProblemUUIDList: [problem.UUID] }
      const made = await setter.call('create_grade_sheet', params)
      const rows = await readSheet(made.DatasetID)
      assert.equal(made.ItemCount, 2)
      const seen = rows.map((row) => [row.account, row.solved, row.result, row.tries, row.triesToSolve])
      assert.deepEqual(seen, [
        ['contestant', true, 'accepted', 3, 2],
        ['rival', false, 'time limit exceeded', 1, null],
      ])
      assert.match(rows[0].firstSuccess, /^\d{4}-\d\d-\d\dT/)
      await submit(rival, problem.UUID)
      const again = await setter.call('create_grade_sheet', { ...params, HasEveryContestant: true })
      assert.equal(again.DatasetID, made.DatasetID)
      const fresh = await readSheet(made.DatasetID)
      assert.deepEqual(
        fresh.map((row) => [row.account, row.result, row.tries]),
        [
          ['contestant', 'accepted', 3],
          ['rival', 'time limit exceeded', 2],
        ],
      )
      const untouched = await makeProblem(setter)
      const request = { DatasetName: 'nobody', ProblemUUIDList: [untouched.UUID] }
      assert.equal((await setter.call('create_grade_sheet', request)).ItemCount, 0)
      const blank = await setter.call('create_grade_sheet', { ...request, HasEveryContestant: true })
      assert.deepEqual(
        (await readSheet(blank.DatasetID)).map((row) => [row.account, row.result, row.tries]),
        [
          ['contestant', 'not tried', 0],
          ['rival', 'not tried', 0],
        ],
      )
      const own = { headers: { authorization: `Bearer ${setter.token}` } }
      const { data } = (await (await fetch(`${stage.url}/v2/datasets/~results`, own)).json()) as Json
      assert.deepEqual([data.id, data.itemCount, data.name], [made.DatasetID, 2, 'results'])
      const all = (await (await fetch(`${stage.url}/v2/datasets?unnamed=1`, own)).json()) as Json
      assert.equal(all.data.total, 3, 'nothing is left beside them')
    })

    rule('a sheet that is refused leaves the data set as it was', async () => {
      const headers = { authorization: `Bearer ${setter.token}`, 'content-type': 'application/json' }
      const before = await (await fetch(`${stage.url}/v2/datasets/~results/items`, { headers })).text()
      const schema = { fields: { type: 'object', required: ['never'] } }
      const set = (body: object) =>
        fetch(`${stage.url}/v2/datasets/~results`, { method: 'PUT', headers, body: JSON.stringify(body) })
      assert.equal((await set({ schema })).status, 200)
      assert.equal(await setter.code('create_grade_sheet', { DatasetName: 'results' }), -32602)
      assert.equal(await (await fetch(`${stage.url}/v2/datasets/~results/items`, { headers })).text(), before)
      assert.equal((await set({ schema: { fields: { type: 'nonsense' } } })).status, 400)
      assert.equal((await set({ schema: null })).status, 200)
      await setter.call('create_grade_sheet', { DatasetName: 'results' })
      const unknown = { DatasetName: 'results', ProblemUUIDList: ['6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11'] }
      assert.equal(await setter.code('create_grade_sheet', unknown), 6)
      assert.equal(await setter.code('create_grade_sheet', { DatasetName: 'a b' }), -32602)
    })

    test('submissions are found by person, language and result', async () => {
      const AccountID = stage.idOf('contestant')
      const find = async (params: object) =>
        (await setter.call('find_submission_snippet_list', { Limit: 100, ...params })).SubmissionSnippetList.map(
          ({ Result, Language }: Json) => `${Language} ${Result}`,
        )
      assert.deepEqual(await find({ Language: 'c' }), ['c 4'])
      assert.deepEqual(await find({ AccountID, ProblemUUID: problem.UUID }), ['python 3', 'python 1', 'python 6'])
      assert.deepEqual(await find({ Result: 1 }), ['python 1'])
      assert.deepEqual(await find({ Status: 1 }), ['python 0'])
      const first = await setter.call('find_submission_snippet_list', { AccountID, Limit: 2 })
      assert.equal(first.NextBeforeID, first.SubmissionSnippetList[1].ID)
      const rest = await setter.call('find_submission_snippet_list', {
        AccountID,
        Limit: 2,
        BeforeID: first.NextBeforeID,
      })
      assert.deepEqual([rest.SubmissionSnippetList.length, rest.NextBeforeID], [1, null])
      assert.equal(await setter.code('find_submission_snippet_list', { AccountID: 999_999, Limit: 1 }), 6)
      assert.equal(await setter.code('find_submission_snippet_list', { Result: 10, Limit: 1 }), -32602)
    })

    rule('what was handed in for a problem that is held is found by those who see the problem', async () => {
      const held = await makeProblem(setter)
      await setter.call('update_problem_judging', { UUID: held.UUID, Judging: { IsHeld: true } })
      const { ID } = await submit(setter, held.UUID, { Language: 'go' })
      const find = async (who: RpcClient) =>
        (await who.call('find_submission_snippet_list', { Language: 'go', Limit: 10 })).SubmissionSnippetList.length
      assert.deepEqual([await find(setter), await find(stage.cast.admin), await find(stage.cast.rival)], [1, 1, 0])
      assert.equal(await find(stage.cast.colleague), 0)
      await setter.call('delete_submission', { ID })
    })

    test('what is rare is found by going on: one call looks at a bounded number', async () => {
      const quiet = await makeProblem(setter)
      const start = 1_000_000
      const many = Array.from({ length: mostLookedAt + 10 }, (_, at) => ({
        id: start + at,
        authorId: stage.idOf('rival'),
        problemUuid: quiet.UUID,
        status: 3,
      }))
      await storeSubmissions(stage, many)
      const params = { ProblemUUID: quiet.UUID, Language: 'rust', Limit: 10 }
      const first = await setter.call('find_submission_snippet_list', params)
      assert.deepEqual([first.SubmissionSnippetList, first.NextBeforeID], [[], start + 10])
      const next = await setter.call('find_submission_snippet_list', { ...params, BeforeID: start + 10 })
      assert.deepEqual([next.SubmissionSnippetList, next.NextBeforeID], [[], null])
    })

    test('admins see what waits and who judges', async () => {
      const { admin, worker } = stage.cast
      const LanguageList = [{ Value: 'python', Name: 'Python 3' }]
      await worker.call('register_executor', { Name: 'far', LanguageList, ParallelRunCount: 4 })
      await submit(stage.cast.contestant, problem.UUID, { Language: 'cobol' })
      const { Queue } = await admin.call('get_queue')
      assert.equal(Queue.WaitingSubmissionCount, 2)
      assert.deepEqual(Queue.LanguageList.map(({ Language }: Json) => Language).sort(), ['cobol', 'python'])
      assert.ok(Queue.OldestSubmissionTime > 0 && !Queue.IsCountCut)
      await claim(worker)
      const { ExecutorList } = await admin.call('get_executor_list')
      const [far] = ExecutorList.filter(({ Name }: Json) => Name === 'far')
      assert.deepEqual(
        [
          far.LanguageList,
          far.ParallelRunCount,
          far.IsConnected,
          far.ExecutingSubmissionCount,
          far.Account.AccountName,
        ],
        [LanguageList, 4, true, 1, 'worker'],
      )
      assert.equal((await admin.call('get_queue')).Queue.ExecutingSubmissionCount, 1)
    })

    if (engine === 'sqlite')
      test('a sheet of more than 200,000 rows is refused', async () => {
        const all = await Promise.all(Array.from({ length: mostProblems }, () => makeProblem(stage.cast.admin)))
        const people = Math.floor(mostCells / mostProblems)
        await stage.services.store.write(async (trx) => {
          const names = Array.from({ length: people }, (_, at) => `pupil-${at}`)
          const rows = names.map((name) => ({
            kind: 'user' as const,
            name,
            name_key: name,
            display_name: name,
            role: 'contestant' as const,
            password_hash: null,
            created_at: 1,
            updated_at: 1,
          }))
          for (let at = 0; at < rows.length; at += 500)
            await trx
              .insertInto('account')
              .values(rows.slice(at, at + 500))
              .execute()
        })
        const params = { DatasetName: 'all', ProblemUUIDList: all.map(({ UUID }) => UUID), HasEveryContestant: true }
        const { error } = await setter.ask('create_grade_sheet', params)
        assert.equal(error.code, 9)
        assert.match(error.message, /choose fewer problems/)
      })

    if (engine === 'sqlite')
      test('the command makes the same sheet, and a class from a list', async () => {
        const environment = { GUILDHALL_DATA: stage.database.folder }
        const made = await runProgram(
          ['grades', 'by-hand', '--owner', 'setter', '--problems', problem.UUID],
          environment,
          '',
        )
        assert.deepEqual([made.code, made.err], [0, ''])
        assert.match(made.out, /^Data set \w{17}: by-hand of setter, 2 rows\.\n$/)
        const refused = await runProgram(['grades', 'x', '--owner', 'contestant'], environment, '')
        assert.match(refused.err, /may not make grade sheets/)
        const latin = Buffer.from('ren\u00e9;Ren\u00e9\n', 'latin1')
        const unread = await runProgram(['account', 'import', '-'], environment, latin)
        assert.match(unread.err, /is not UTF-8 text: .*iconv -f WINDOWS-1252 -t UTF-8/)
        const list = 'login;name\nkim;Kim Moe\nlee;"Lee, Jr."\nrival;Again\n'
        const added = await runProgram(['account', 'import', '-'], environment, list)
        assert.equal(added.code, 1)
        assert.match(added.err, /rival: The account name rival is taken(?:.|\n)*2 of 3 accounts were made/)
        const [, kim = '', lee = ''] = added.out.split('\n')
        assert.match(lee, /^lee,"Lee, Jr\.",/)
        await stage.cast.anonymous.signIn('kim', kim.split(',')[2]!)
      })
  })
