/** Contests on the command line: a package in, what is missing, the start, and a package out. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { defaultLimits } from '../../src/judge/limits.ts'
import { openZip } from '../../src/judge/packages/package-files.ts'
import { legacy, zipOf } from '../judge/packages/packages.ts'
import { claim, type JudgeStage, page, startJudge } from '../support/judge.ts'
import { runProgram } from '../support/program.ts'
import type { Json } from '../support/rpc.ts'

const contestYaml = `id: finals
name: Finals
formal_name: The Finals
duration: 5:00:00
scoreboard_freeze_duration: 1:00:00
scoreboard_type: pass-fail
penalty_time: 20
`
const problemsYaml = `- id: different
  label: A
  name: Different
  ordinal: 1
  rgb: '#00f'
- id: lost
  label: B
  name: Lost
  ordinal: 2
`
const accountsYaml = `- id: jane
  username: jane
  type: judge
  password: judging-all-day
- id: team1
  username: team_1
  name: One
  type: team
  team_id: 't.1'
`

describe('contests on the command line', () => {
  let stage: JudgeStage
  before(async () => {
    stage = await startJudge('sqlite')
  })
  after(() => stage.stop())

  const place = (name: string) => join(stage.database.folder, name)
  const run = (...words: string[]) =>
    runProgram(words, { GUILDHALL_SERVER: stage.url, GUILDHALL_TOKEN: stage.cast.admin.token! })
  const call = (method: string, params: object): Promise<Json> => stage.cast.admin.call(method, params)

  async function writePackage(name: string, over: Record<string, string> = {}): Promise<string> {
    const files: Record<string, string | Buffer> = {
      'finals/contest.yaml': contestYaml,
      'finals/problems.yaml': problemsYaml,
      'finals/accounts.yaml': accountsYaml,
      'finals/groups.json': JSON.stringify([{ id: 'north', name: 'North' }]),
      'finals/organizations.json': JSON.stringify([{ id: 'kth.se', name: 'KTH' }]),
      'finals/languages.json': JSON.stringify([{ id: 'python3', name: 'Python 3', extensions: ['py'] }]),
      'finals/teams.json': JSON.stringify([
        { id: 't.1', label: '1', name: 'One', organization_id: 'kth.se', group_ids: ['north'] },
        { id: 't2', label: '2', name: 'Two', organization_id: null, group_ids: [] },
      ]),
      'finals/problems/different/different.zip': zipOf(legacy),
      ...over,
    }
    await writeFile(place(name), zipOf(files))
    return place(name)
  }

  test('a package makes a contest with its problems, teams and accounts, and completes it the next time', async () => {
    const path = await writePackage('finals.zip')
    const first = await run('contest', 'import', path)
    assert.equal(first.code, 1, first.err)
    assert.match(first.err, /Problem lost has no package/)
    assert.match(first.err, /Contest finals: 1 problem, 2 teams, 2 accounts made\.\n$/)
    assert.match(first.out, /^name,team,password\njane,,judging-all-day\nteam-1,t_1,[a-z2-9]{4}(?:-[a-z2-9]{4}){2}\n$/)
    const { Contest } = await call('get_contest', { ID: 'finals' })
    assert.deepEqual(
      [Contest.Name, Contest.FormalName, Contest.Duration, Contest.FreezeDuration, Contest.PenaltyMinute],
      ['Finals', 'The Finals', 5 * 3_600_000, 3_600_000, 20],
    )
    assert.deepEqual([Contest.JuryList, Contest.LanguageList], [['jane'], [{ Language: 'python', TimeFactor: 1 }]])
    const [problem] = Contest.ProblemList
    assert.deepEqual([problem.ID, problem.Label, problem.Colour], ['different', 'A', '#0000ff'])
    assert.equal((await call('get_problem_judging', { UUID: problem.UUID })).Judging.IsHeld, true)
    const { TeamList } = await call('get_contest_team_list', { ContestID: 'finals', ...page() })
    assert.deepEqual(
      TeamList.map(({ ID, AccountNameList, OrganisationID, GroupIDList }: Json) => [
        ID,
        AccountNameList,
        OrganisationID,
        GroupIDList,
      ]),
      [
        ['t_1', ['team-1'], 'kth_se', ['north']],
        ['t2', [], null, []],
      ],
    )
    const again = await run('contest', 'import', await writePackage('finals.zip', { 'finals/problems.yaml': '[]' }))
    assert.deepEqual([again.code, again.out], [0, ''], again.err)
    const { Contest: same } = await call('get_contest', { ID: 'finals' })
    assert.deepEqual(same.ProblemList, Contest.ProblemList)
  })

  test('what is missing is said before a start, and a start is refused as long as it is', async () => {
    const before = await run('contest', 'check', 'finals')
    assert.equal(before.code, 1)
    assert.match(before.out, /✗ Team t2 is without an account\.\n/)
    assert.match(before.out, /✗ Problem A was never solved/)
    const refused = await run('contest', 'start', 'finals')
    assert.equal(refused.code, 1)
    assert.match(refused.out, /The contest was not started/)
    const { Contest } = await call('get_contest', { ID: 'finals' })
    const { UUID } = Contest.ProblemList[0]
    await call('create_submission', { ProblemUUID: UUID, Content: 'print(3)', Language: 'python' })
    const offer = { LanguageList: [{ Value: 'python', Name: 'Python' }], FeatureList: ['checker', 'score'] }
    const { worker } = stage.cast
    await worker.call('register_executor', { Name: 'played', ParallelRunCount: 1, ...offer })
    const { ID, Lease } = await claim(worker, { FeatureList: ['checker', 'score'] })
    const { TestCaseSnippetList } = await call('get_problem_test_case_snippet_list', { ProblemUUID: UUID, ...page() })
    const TestList = TestCaseSnippetList.map((one: Json) => ({
      ...{ TestCaseUUID: one.UUID, Result: 1, CPUTimeInMillisecond: 500, WallTimeInMillisecond: 600 },
      ...{ PeakMemoryInByte: 1, Stderr: '', ExitCode: 0, Signal: null },
    }))
    await worker.call('report_submission', { ID, Lease, Report: { Result: 1, CompilerOutput: '', TestList } })
    const team = { ContestID: 'finals', ID: 't2', Name: 'Two', AccountNameList: ['rival'] }
    await call('put_contest_team', team)
    const checked = await run('contest', 'check', 'finals')
    assert.deepEqual([checked.code, checked.err], [0, ''], checked.out)
    assert.match(checked.out, /Executors suffice: 2 teams .* 2\.8 s each, need 1 slots; 1 are connected\./)
    await call('update_contest', { ID: 'finals', LanguageList: [{ Language: 'cobol', TimeFactor: 1 }] })
    const lacking = await run('contest', 'check', 'finals')
    assert.match(lacking.out, /✗ No executor has cobol/)
    await call('update_contest', { ID: 'finals', LanguageList: [] })
    const begun = Date.now()
    const started = await run('contest', 'start', 'finals')
    assert.equal(started.code, 0, started.out)
    const { Contest: after } = await call('get_contest', { ID: 'finals' })
    assert.ok(after.StartTime >= begun + 30_000)
    const later = await run('contest', 'start', 'finals', '--at', '2040-01-01T10:00:00+01')
    assert.match(later.out, /Finals starts at 2040-01-01T09:00:00\.000Z\./)
    for (const [words, message] of [
      [['contest', 'start', 'finals', '--at', 'noon'], /noon is not a time/],
      [['contest', 'check', 'none'], /There is no contest none/],
      [['contest', 'import', place('nowhere')], /There is nothing at/],
    ] as const) {
      const { code, err } = await run(...words)
      assert.equal(code, 1)
      assert.match(err, message)
    }
  })

  test('a contest is written as a package, from which another server makes the same', async () => {
    const out = place('out.zip')
    const { code, err } = await run('contest', 'export', 'finals', '--output', out)
    assert.equal(code, 0, err)
    const zip = await readFile(out)
    const contest = { mark: /(?:^|\/)contest\.json$/, missing: 'none' }
    const files = await openZip(zip, defaultLimits, contest)
    const read = async (path: string): Promise<Json> => JSON.parse((await files.read(path)).toString())
    assert.equal((await read('api.json')).version, '2026-01')
    assert.deepEqual(
      (await read('teams.json')).map(({ id }: Json) => id),
      ['t_1', 't2'],
    )
    assert.equal((await read('problems.json'))[0].package[0].filename, 'different.zip')
    const lines = (await files.read('event-feed.ndjson')).toString().trimEnd().split('\n')
    assert.equal(JSON.parse(lines.at(-1)!).type, 'state')
    const other = await startJudge('sqlite')
    try {
      const made = await runProgram(['contest', 'import', out, '--id', 'copy'], {
        GUILDHALL_SERVER: other.url,
        GUILDHALL_TOKEN: other.cast.admin.token!,
      })
      assert.equal(made.code, 0, made.err)
      const { Contest } = await other.cast.admin.call('get_contest', { ID: 'copy' })
      assert.deepEqual(
        [Contest.Name, Contest.FreezeDuration, Contest.ProblemList.length, Contest.GroupList],
        ['Finals', 3_600_000, 1, [{ ID: 'north', Name: 'North' }]],
      )
    } finally {
      await other.stop()
    }
  })
})
