import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../support/engines.ts'
import {
  type Cast,
  claim,
  claimMethod,
  finish,
  type JudgeStage,
  makeProblem,
  makeTest,
  page,
  problemDraft,
  startJudge,
  submit,
} from '../support/judge.ts'
import type { Json } from '../support/rpc.ts'
import { toBase64 } from '../support/zip.ts'

const roles = ['anonymous', 'contestant', 'setter', 'colleague', 'admin', 'worker'] as const
type Who = (typeof roles)[number]

/** What a call may need; everything is the setter's and the contestant's, made anew for each cell. */
type Scene = {
  problem: Json
  test: Json
  submission: Json
  claimed: Json
  ClassID: string
  SheetID: number
  UUID: string
}

type Row = {
  what: string
  method: string
  params(scene: Scene, stage: JudgeStage): object
  needs?: ('problem' | 'test' | 'submission' | 'claimed' | 'finished' | 'class' | 'sheet')[]
  /** The code of each role's answer, in the order of `roles`: the setter owns the problem, the colleague does not. */
  codes: [number, number, number, number, number, number]
}

const ok = 0
const everyone: Row['codes'] = [ok, ok, ok, ok, ok, ok]
const signedIn: Row['codes'] = [17, ok, ok, ok, ok, ok]
const keepers: Row['codes'] = [17, 8, ok, 8, ok, 8]
const writers: Row['codes'] = [17, 8, ok, ok, ok, 8]
const executors: Row['codes'] = [17, 8, 8, 8, ok, ok]
/** The setter teaches the class, the contestant is a student of it. */
const members: Row['codes'] = [17, ok, ok, 6, ok, 6]
const teachers: Row['codes'] = [17, 8, ok, 6, ok, 6]
const admins: Row['codes'] = [17, 8, 8, 8, ok, 8]

/** Only a session keeps credentials: a token could make others of more scopes. */
const byToken: Row['codes'] = [17, 8, 8, 8, 8, 8]

let drawn = 0
const newAccount = (Role: string) => () => ({
  AccountName: `drawn-${drawn++}`,
  DisplayName: 'Drawn',
  Password: 'password',
  Role,
})
const newClass = () => ({ ID: `class-${drawn++}`, Name: 'Class' })
const report = { Result: 1, CompilerOutput: '', TestList: [] }

/** Their table is `contests/contest-visibility.test.ts`: rights there are those of a contest, not of a role. */
const ofContests =
  'apply_rejudging cancel_rejudging create_clarification create_contest create_contest_submission create_rejudging delete_contest delete_contest_group delete_contest_organisation delete_contest_problem delete_contest_team finalize_contest freeze_contest get_balloon_list get_clarification_list get_contest get_contest_list get_contest_submission_list get_contest_team_list get_rejudging get_rejudging_list get_scoreboard get_series_standings ignore_submission join_contest override_result put_contest_group put_contest_organisation put_contest_problem put_contest_team reopen_contest store_series_standings unfreeze_contest update_balloon update_contest'.split(
    ' ',
  )

const table: Row[] = [
  { what: 'get_server_info', method: 'get_server_info', params: () => ({}), codes: everyone },
  { what: 'create_account as contestant', method: 'create_account', params: newAccount('contestant'), codes: everyone },
  {
    what: 'create_account as problem_setter',
    method: 'create_account',
    params: newAccount('problem_setter'),
    codes: everyone,
  },
  { what: 'create_account as admin', method: 'create_account', params: newAccount('admin'), codes: admins },
  { what: 'create_account as worker', method: 'create_account', params: newAccount('worker'), codes: admins },
  { what: 'get_session', method: 'get_session', params: () => ({}), codes: signedIn },
  { what: 'get_session_list by a token', method: 'get_session_list', params: () => page(), codes: byToken },
  { what: 'end_session by a token', method: 'end_session', params: () => ({ ID: '0'.repeat(16) }), codes: byToken },
  { what: 'create_token by a token', method: 'create_token', params: () => ({ Kind: 'classic' }), codes: byToken },
  { what: 'get_token_list by a token', method: 'get_token_list', params: () => page(), codes: byToken },
  { what: 'delete_token by a token', method: 'delete_token', params: () => ({ ID: 1 }), codes: byToken },
  { what: 'get_queue', method: 'get_queue', params: () => ({}), codes: admins },
  { what: 'get_executor_list', method: 'get_executor_list', params: () => ({}), codes: admins },
  {
    what: 'find_submission_snippet_list',
    method: 'find_submission_snippet_list',
    params: () => ({ Limit: 10 }),
    codes: signedIn,
  },
  {
    what: 'create_grade_sheet, by tokens of which the admin’s alone may write data sets',
    method: 'create_grade_sheet',
    params: () => ({ DatasetName: 'results' }),
    codes: admins,
  },
  { what: 'get_account_list', method: 'get_account_list', params: () => page(), codes: [17, 8, ok, ok, ok, 8] },
  {
    what: 'get_account of the contestant',
    method: 'get_account',
    params: (_, { idOf }) => ({ ID: idOf('contestant') }),
    codes: [17, ok, ok, ok, ok, 8],
  },
  {
    what: 'get_account of the worker',
    method: 'get_account',
    params: (_, { idOf }) => ({ ID: idOf('worker') }),
    codes: [17, 8, ok, ok, ok, ok],
  },
  {
    what: 'update_account of the contestant',
    method: 'update_account',
    params: (_, { idOf }) => ({ ID: idOf('contestant'), DisplayName: 'Renamed' }),
    codes: [17, ok, 8, 8, ok, 8],
  },
  {
    what: 'update_account with Role',
    method: 'update_account',
    params: (_, { idOf }) => ({ ID: idOf('rival'), Role: 'contestant' }),
    codes: admins,
  },
  { what: 'create_problem', method: 'create_problem', params: () => problemDraft, codes: writers },
  {
    what: 'get_problem',
    method: 'get_problem',
    needs: ['problem'],
    params: ({ problem }) => ({ UUID: problem.UUID }),
    codes: signedIn,
  },
  {
    what: 'get_problem_statement',
    method: 'get_problem_statement',
    needs: ['problem'],
    params: ({ problem }) => ({ UUID: problem.UUID }),
    codes: signedIn,
  },
  {
    what: 'import_problem_package',
    method: 'import_problem_package',
    params: () => ({ ZippedPackage: packageOfOne }),
    codes: writers,
  },
  { what: 'preview_statement', method: 'preview_statement', params: () => ({ Description: 'x' }), codes: writers },
  { what: 'get_problem_snippet_list', method: 'get_problem_snippet_list', params: () => page(), codes: signedIn },
  {
    what: 'get_account_problem_snippet_list',
    method: 'get_account_problem_snippet_list',
    params: (_, { idOf }) => ({ AccountID: idOf('setter'), ...page() }),
    codes: signedIn,
  },
  {
    what: 'update_problem',
    method: 'update_problem',
    needs: ['problem'],
    params: ({ problem }) => ({ UUID: problem.UUID, DisplayName: 'New' }),
    codes: keepers,
  },
  {
    what: 'delete_problem',
    method: 'delete_problem',
    needs: ['problem'],
    params: ({ problem }) => ({ UUID: problem.UUID }),
    codes: keepers,
  },
  {
    what: 'create_test_case',
    method: 'create_test_case',
    needs: ['problem'],
    params: ({ problem }) => ({ ProblemUUID: problem.UUID, Input: '', Output: '', IsHidden: false }),
    codes: keepers,
  },
  {
    what: 'create_test_case_list',
    method: 'create_test_case_list',
    needs: ['problem'],
    params: ({ problem }) => ({ ProblemUUID: problem.UUID, ZippedTestData: zipOfOne }),
    codes: keepers,
  },
  {
    what: 'update_test_case',
    method: 'update_test_case',
    needs: ['test'],
    params: ({ test }) => ({ UUID: test.UUID, Input: 'new' }),
    codes: keepers,
  },
  {
    what: 'delete_test_case',
    method: 'delete_test_case',
    needs: ['test'],
    params: ({ test }) => ({ UUID: test.UUID }),
    codes: keepers,
  },
  {
    what: 'get_test_case',
    method: 'get_test_case',
    needs: ['test'],
    params: ({ test }) => ({ UUID: test.UUID }),
    codes: signedIn,
  },
  {
    what: 'get_problem_test_case_snippet_list',
    method: 'get_problem_test_case_snippet_list',
    needs: ['problem'],
    params: ({ problem }) => ({ ProblemUUID: problem.UUID, ...page() }),
    codes: signedIn,
  },
  {
    what: 'get_problem_judging',
    method: 'get_problem_judging',
    needs: ['problem'],
    params: ({ problem }) => ({ UUID: problem.UUID }),
    codes: signedIn,
  },
  {
    what: 'update_problem_judging',
    method: 'update_problem_judging',
    needs: ['problem'],
    params: ({ problem }) => ({ UUID: problem.UUID, Judging: { IsScored: true } }),
    codes: keepers,
  },
  {
    what: 'get_test_case_judging',
    method: 'get_test_case_judging',
    needs: ['test'],
    params: ({ test }) => ({ UUID: test.UUID }),
    codes: [17, 8, ok, 8, ok, ok],
  },
  {
    what: 'update_test_case_judging',
    method: 'update_test_case_judging',
    needs: ['test'],
    params: ({ test }) => ({ UUID: test.UUID, Points: 1 }),
    codes: keepers,
  },
  {
    what: 'get_problem_test_case_judging_list',
    method: 'get_problem_test_case_judging_list',
    needs: ['problem'],
    params: ({ problem }) => ({ ProblemUUID: problem.UUID, ...page() }),
    codes: [17, 8, ok, 8, ok, ok],
  },
  {
    what: 'create_submission',
    method: 'create_submission',
    needs: ['problem'],
    params: ({ problem }) => ({ ProblemUUID: problem.UUID, Content: 'x', Language: 'c' }),
    codes: [17, ok, ok, ok, ok, 8],
  },
  {
    // 10: whoever may is told that no executor is there.
    what: 'run_program',
    method: 'run_program',
    needs: ['problem'],
    params: ({ problem }) => ({ ProblemUUID: problem.UUID, Content: 'x', Language: 'c' }),
    codes: [17, 10, 10, 10, 10, 8],
  },
  { what: 'claim_trial', method: 'claim_trial', params: () => ({ LanguageList: ['c'] }), codes: [17, 8, 8, 8, 6, 6] },
  {
    what: 'renew_trial_lease',
    method: 'renew_trial_lease',
    params: () => ({ ID: 1, Lease: 'none' }),
    codes: [17, 8, 8, 8, 6, 6],
  },
  {
    what: 'report_trial',
    method: 'report_trial',
    params: () => ({ ID: 1, Lease: 'none', Reason: 'none' }),
    codes: [17, 8, 8, 8, 6, 6],
  },
  { what: 'get_submission_snippet_list', method: 'get_submission_snippet_list', params: () => page(), codes: signedIn },
  {
    what: 'get_account_submission_snippet_list',
    method: 'get_account_submission_snippet_list',
    params: (_, { idOf }) => ({ AccountID: idOf('contestant'), ...page() }),
    codes: signedIn,
  },
  {
    what: 'get_problem_submission_snippet_list',
    method: 'get_problem_submission_snippet_list',
    needs: ['problem'],
    params: ({ problem }) => ({ ProblemUUID: problem.UUID, ...page() }),
    codes: signedIn,
  },
  {
    what: 'get_account_problem_submission_snippet_list',
    method: 'get_account_problem_submission_snippet_list',
    needs: ['problem'],
    params: ({ problem }, { idOf }) => ({ AccountID: idOf('contestant'), ProblemUUID: problem.UUID, ...page() }),
    codes: signedIn,
  },
  {
    what: 'get_submission',
    method: 'get_submission',
    needs: ['submission'],
    params: ({ submission }) => ({ ID: submission.ID }),
    codes: signedIn,
  },
  {
    what: 'wait_for_submission',
    method: 'wait_for_submission',
    needs: ['submission'],
    params: ({ submission }) => ({ ID: submission.ID, WaitMillisecond: 0 }),
    codes: signedIn,
  },
  {
    what: 'get_submission_report of the contestant',
    method: 'get_submission_report',
    needs: ['submission'],
    params: ({ submission }) => ({ ID: submission.ID }),
    codes: [17, ok, ok, 8, ok, ok],
  },
  {
    what: 'delete_submission of the contestant, submitted',
    method: 'delete_submission',
    needs: ['submission'],
    params: ({ submission }) => ({ ID: submission.ID }),
    codes: [17, ok, 8, 8, ok, 8],
  },
  {
    what: 'delete_submission of the contestant, executing',
    method: 'delete_submission',
    needs: ['claimed'],
    params: ({ claimed }) => ({ ID: claimed.ID }),
    codes: [17, 10, 8, 8, ok, 8],
  },
  {
    what: 'delete_submission of the contestant, finished',
    method: 'delete_submission',
    needs: ['finished'],
    params: ({ submission }) => ({ ID: submission.ID }),
    codes: [17, ok, 8, 8, ok, 8],
  },
  {
    what: 'update_submission',
    method: 'update_submission',
    needs: ['claimed'],
    params: ({ claimed }) => ({ ID: claimed.ID, Status: 3, Result: 1 }),
    codes: executors,
  },
  { what: 'the claim', method: claimMethod, needs: ['submission'], params: () => ({}), codes: executors },
  {
    what: 'renew_submission_lease',
    method: 'renew_submission_lease',
    needs: ['claimed'],
    params: ({ claimed }) => ({ ID: claimed.ID, Lease: claimed.Lease }),
    codes: executors,
  },
  {
    what: 'report_submission',
    method: 'report_submission',
    needs: ['claimed'],
    params: ({ claimed }) => ({ ID: claimed.ID, Lease: claimed.Lease, Report: report }),
    codes: executors,
  },
  {
    what: 'report_submission_failure',
    method: 'report_submission_failure',
    needs: ['claimed'],
    params: ({ claimed }) => ({ ID: claimed.ID, Lease: claimed.Lease, Reason: 'no compiler' }),
    codes: executors,
  },
  {
    what: 'register_executor',
    method: 'register_executor',
    params: () => ({ Name: 'one', LanguageList: [], ParallelRunCount: 1 }),
    codes: executors,
  },
  {
    what: 'unregister_executor',
    method: 'unregister_executor',
    params: () => ({ Name: 'one' }),
    codes: executors,
  },
  {
    what: 'rejudge_submission',
    method: 'rejudge_submission',
    needs: ['finished'],
    params: ({ submission }) => ({ ID: submission.ID }),
    codes: keepers,
  },
  {
    what: 'rejudge_problem',
    method: 'rejudge_problem',
    needs: ['problem'],
    params: ({ problem }) => ({ UUID: problem.UUID }),
    codes: keepers,
  },
  { what: 'create_class', method: 'create_class', params: newClass, codes: writers },
  { what: 'get_class_list', method: 'get_class_list', params: () => ({}), codes: signedIn },
  {
    what: 'get_class',
    method: 'get_class',
    needs: ['class'],
    params: ({ ClassID }) => ({ ID: ClassID }),
    codes: members,
  },
  {
    what: 'update_class',
    method: 'update_class',
    needs: ['class'],
    params: ({ ClassID }) => ({ ID: ClassID, Name: 'New' }),
    codes: teachers,
  },
  {
    what: 'delete_class',
    method: 'delete_class',
    needs: ['class'],
    params: ({ ClassID }) => ({ ID: ClassID }),
    codes: teachers,
  },
  {
    what: 'put_class_member',
    method: 'put_class_member',
    needs: ['class'],
    params: ({ ClassID }) => ({ ClassID, AccountName: 'rival', Role: 'student' }),
    codes: teachers,
  },
  {
    what: 'delete_class_member',
    method: 'delete_class_member',
    needs: ['class'],
    params: ({ ClassID }) => ({ ClassID, AccountName: 'contestant' }),
    codes: members,
  },
  {
    what: 'accept_class_invitation: the contestant is invited',
    method: 'accept_class_invitation',
    needs: ['class'],
    params: ({ ClassID }) => ({ ClassID }),
    codes: [17, ok, 10, 6, 10, 8],
  },
  {
    what: 'get_class_member_list',
    method: 'get_class_member_list',
    needs: ['class'],
    params: ({ ClassID }) => ({ ClassID }),
    codes: teachers,
  },
  {
    what: 'import_roster',
    method: 'import_roster',
    needs: ['class'],
    params: ({ ClassID }) => ({ ClassID, Text: 'Anna Arendt' }),
    codes: teachers,
  },
  {
    what: 'get_roster_import_list',
    method: 'get_roster_import_list',
    needs: ['class'],
    params: ({ ClassID }) => ({ ClassID }),
    codes: teachers,
  },
  {
    what: 'undo_roster_import',
    method: 'undo_roster_import',
    needs: ['class'],
    params: ({ ClassID }) => ({ ClassID, AccountNameList: ['contestant'] }),
    codes: teachers,
  },
  {
    what: 'find_problem_snippet_list',
    method: 'find_problem_snippet_list',
    params: () => ({ Offset: 0, Limit: 1 }),
    codes: signedIn,
  },
  { what: 'get_problem_tag_list', method: 'get_problem_tag_list', params: () => ({}), codes: signedIn },
  {
    what: 'put_problem_tags',
    method: 'put_problem_tags',
    needs: ['problem'],
    params: ({ problem }) => ({ UUID: problem.UUID, TagList: ['x'] }),
    codes: keepers,
  },
  {
    what: 'join_class with a code that no class has',
    method: 'join_class',
    params: () => ({ JoinCode: 'AAAAAAAA' }),
    codes: [17, 6, 6, 6, 6, 8],
  },
  {
    what: 'create_sheet',
    method: 'create_sheet',
    needs: ['class'],
    params: ({ ClassID }) => ({ ClassID, Title: 'x', OpenTime: 0 }),
    codes: teachers,
  },
  {
    what: 'put_problem_link, in a repository that is not there (the rights of others are in problem-links.test.ts)',
    method: 'put_problem_link',
    needs: ['problem'],
    params: ({ problem: { UUID } }) => ({ Repository: 'nobody/none', UUID, Path: 'main.py' }),
    codes: [17, 6, 6, 6, 6, 6],
  },
  {
    what: 'get_problem_link_list, of a repository that is not there',
    method: 'get_problem_link_list',
    params: () => ({ Repository: 'nobody/none' }),
    codes: [17, 6, 6, 6, 6, 6],
  },
  {
    what: 'get_problem_repository_list (of which repositories is in problem-links.test.ts)',
    method: 'get_problem_repository_list',
    needs: ['problem'],
    params: ({ problem: { UUID } }) => ({ UUID }),
    codes: signedIn,
  },
  {
    what: 'delete_problem_link, in a repository that is not there',
    method: 'delete_problem_link',
    needs: ['problem'],
    params: ({ problem: { UUID } }) => ({ Repository: 'nobody/none', UUID }),
    codes: [17, 6, 6, 6, 6, 6],
  },
  {
    what: 'accept_sheet, without a template',
    method: 'accept_sheet',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ SheetID }),
    codes: [17, 10, 8, 6, 8, 6],
  },
  {
    what: 'get_similarity, of a problem that the sheet has not',
    method: 'get_similarity',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ SheetID, UUID: '00000000-0000-4000-8000-000000000000' }),
    codes: [17, 8, 6, 6, 6, 6],
  },
  {
    what: 'get_sheet_copy_list',
    method: 'get_sheet_copy_list',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ SheetID }),
    codes: [17, 0, 0, 6, 0, 6],
  },
  {
    what: 'get_sheet',
    method: 'get_sheet',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ ID: SheetID }),
    codes: members,
  },
  {
    what: 'get_sheet_statement',
    method: 'get_sheet_statement',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ ID: SheetID }),
    codes: members,
  },
  {
    what: 'get_sheet_list',
    method: 'get_sheet_list',
    needs: ['sheet'],
    params: ({ ClassID }) => ({ ClassID }),
    codes: members,
  },
  { what: 'get_sheet_news', method: 'get_sheet_news', params: () => ({}), codes: signedIn },
  {
    what: 'see_sheet',
    method: 'see_sheet',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ SheetID }),
    codes: members,
  },
  {
    what: 'update_sheet',
    method: 'update_sheet',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ ID: SheetID, Title: 'y' }),
    codes: teachers,
  },
  {
    what: 'delete_sheet',
    method: 'delete_sheet',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ ID: SheetID }),
    codes: teachers,
  },
  {
    what: 'put_extension',
    method: 'put_extension',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ SheetID, AccountName: 'contestant', DueTime: 2 }),
    codes: teachers,
  },
  {
    what: 'delete_extension',
    method: 'delete_extension',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ SheetID, AccountName: 'contestant' }),
    codes: teachers,
  },
  {
    what: 'get_class_results',
    method: 'get_class_results',
    needs: ['class'],
    params: ({ ClassID }) => ({ ClassID }),
    codes: teachers,
  },
  {
    what: 'get_sheet_results',
    method: 'get_sheet_results',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ SheetID }),
    codes: members,
  },
  {
    what: 'put_mark',
    method: 'put_mark',
    needs: ['sheet'],
    params: ({ SheetID, UUID }) => ({ SheetID, UUID, AccountName: 'contestant', Points: 1 }),
    codes: teachers,
  },
  {
    what: 'store_sheet_results, by tokens of which the admin’s alone may write data sets',
    method: 'store_sheet_results',
    needs: ['sheet'],
    params: ({ SheetID }) => ({ SheetID, Name: 'results' }),
    codes: [17, 8, 8, 6, ok, 6],
  },
  {
    what: 'put_submission_comment',
    method: 'put_submission_comment',
    needs: ['submission'],
    params: ({ submission }) => ({ ID: submission.ID, Line: null, Text: 'x' }),
    codes: [17, ok, ok, 8, ok, ok],
  },
  {
    what: 'get_submission_comment_list',
    method: 'get_submission_comment_list',
    needs: ['submission'],
    params: ({ submission }) => ({ ID: submission.ID }),
    codes: [17, ok, ok, 8, ok, ok],
  },
  {
    what: 'delete_submission_comment that is not there',
    method: 'delete_submission_comment',
    needs: ['submission'],
    params: ({ submission }) => ({ ID: submission.ID, CommentID: 1 }),
    codes: [17, 6, 6, 8, 6, 6],
  },
  { what: 'update_setting', method: 'update_setting', params: () => ({ Setting: {} }), codes: admins },
]

const packageOfOne = toBase64([
  { path: 'problem.yaml', data: 'name: One' },
  { path: 'data/secret/1.in' },
  { path: 'data/secret/1.ans' },
])
const zipOfOne = toBase64([{ path: '1.in' }, { path: '1.out' }])

for (const engine of engines)
  describe(`who may call what on ${engine}`, () => {
    let stage: JudgeStage
    let cast: Cast
    before(async () => {
      stage = await startJudge(engine)
      cast = stage.cast
    })
    after(() => stage.stop())

    async function setScene(needs: Row['needs'] = []): Promise<Scene> {
      const scene: Scene = {
        problem: undefined,
        test: undefined,
        submission: undefined,
        claimed: undefined,
        ClassID: '',
        SheetID: 0,
        UUID: '',
      }
      if (needs.length === 0) return scene
      if (needs.includes('class') || needs.includes('sheet')) scene.ClassID = await makeClass()
      if (needs.includes('sheet')) Object.assign(scene, await makeSheet(scene.ClassID))
      scene.problem = await makeProblem(cast.setter)
      if (needs.includes('test')) scene.test = await makeTest(cast.setter, scene.problem.UUID)
      if (needs.some((need) => need === 'submission' || need === 'claimed' || need === 'finished')) {
        await emptyQueue()
        scene.submission = await submit(cast.contestant, scene.problem.UUID)
      }
      if (needs.includes('claimed')) scene.claimed = await claim(cast.worker)
      if (needs.includes('finished')) await finish(cast.worker, (await claim(cast.worker)).ID)
      return scene
    }

    async function makeClass(): Promise<string> {
      const { Class } = await cast.setter.call('create_class', newClass())
      await cast.setter.call('put_class_member', { ClassID: Class.ID, AccountName: 'contestant', Role: 'student' })
      return Class.ID
    }

    async function makeSheet(ClassID: string): Promise<Pick<Scene, 'SheetID' | 'UUID'>> {
      const { UUID } = await makeProblem(cast.setter)
      const draft = { ClassID, Title: 'x', OpenTime: 0, IsPublished: true, ProblemList: [{ UUID, Points: 1 }] }
      const { Sheet } = await cast.setter.call('create_sheet', draft)
      const extension = { SheetID: Sheet.ID, AccountName: 'contestant', DueTime: 1 }
      await cast.setter.call('put_extension', extension)
      return { SheetID: Sheet.ID, UUID }
    }

    async function emptyQueue(): Promise<void> {
      for (;;) {
        const answer = await cast.admin.ask(claimMethod)
        if (answer.error) return
        await finish(cast.admin, answer.result.Submission.ID)
      }
    }

    for (const row of table) {
      test(`${row.what}: ${row.codes.join(' ')}`, async () => {
        for (const [i, who] of roles.entries()) {
          const scene = await setScene(row.needs)
          const answer = await cast[who as Who].ask(row.method, row.params(scene, stage))
          assert.equal(answer.error?.code ?? 0, row.codes[i], `${who}: ${JSON.stringify(answer.error ?? '')}`)
        }
      })
    }

    test('an account may give itself its present role, and no other', async () => {
      const ID = stage.idOf('contestant')
      assert.equal(await cast.contestant.code('update_account', { ID, Role: 'contestant' }), 0)
      assert.equal(await cast.contestant.code('update_account', { ID, Role: 'admin' }), 8)
    })

    test('every operation is in the table', async () => {
      const response = await fetch(`${stage.url}/-/judge/openapi.json`)
      const { components } = (await response.json()) as Json
      const known = Object.keys(components.schemas.Call.discriminator.mapping)
      const told = new Set([...table.map(({ method }) => method), ...ofContests, 'create_session', 'delete_session'])
      assert.deepEqual(known.sort(), [...told].sort())
    })

    test('hidden tests are empty for those who may not see them, shown ones are not', async () => {
      const problem = await makeProblem(cast.setter)
      const hidden = await makeTest(cast.setter, problem.UUID, { Input: 'secret', Output: 'answer', IsHidden: true })
      const shown = await makeTest(cast.setter, problem.UUID, { Input: 'sample', Output: 'answer', IsHidden: false })
      const seen: [Who, boolean][] = [
        ['contestant', false],
        ['colleague', false],
        ['setter', true],
        ['admin', true],
        ['worker', true],
      ]
      for (const [who, maySee] of seen) {
        const texts = maySee ? ['secret', 'answer'] : ['', '']
        const { TestCase } = await cast[who].call('get_test_case', { UUID: hidden.UUID })
        assert.deepEqual([TestCase.Input, TestCase.Output, TestCase.IsHidden], [...texts, true], who)
        const { TestCase: open } = await cast[who].call('get_test_case', { UUID: shown.UUID })
        assert.deepEqual([open.Input, open.Output, open.IsHidden], ['sample', 'answer', false], who)
        const params = { ProblemUUID: problem.UUID, ...page() }
        const { TestCaseSnippetList } = await cast[who].call('get_problem_test_case_snippet_list', params)
        assert.deepEqual(
          TestCaseSnippetList.map(({ Input }: Json) => Input),
          [texts[0], 'sample'],
          who,
        )
      }
    })

    test('Content is for the author, who keeps the problem, admins and workers', async () => {
      const problem = await makeProblem(cast.setter)
      const { ID } = await submit(cast.contestant, problem.UUID, { Content: 'mine' })
      const sees: Partial<Record<keyof Cast, string>> = {
        contestant: 'mine',
        rival: '',
        setter: 'mine',
        colleague: '',
        admin: 'mine',
        worker: 'mine',
      }
      for (const [who, content] of Object.entries(sees)) {
        const { Submission } = await cast[who as keyof Cast].call('get_submission', { ID })
        assert.equal(Submission.Content, content, who)
      }
    })

    test('a problem setter who loses the role keeps nothing of it', async () => {
      const problem = await makeProblem(cast.colleague)
      await cast.admin.call('update_account', { ID: stage.idOf('colleague'), Role: 'contestant' })
      assert.equal(await cast.colleague.code('delete_problem', { UUID: problem.UUID }), 8)
      await cast.admin.call('update_account', { ID: stage.idOf('colleague'), Role: 'problem_setter' })
      assert.equal(await cast.colleague.code('delete_problem', { UUID: problem.UUID }), 0)
    })
  })
