/** The judge's operations that the page calls: what each takes and gives. */
import type { ClassOperations } from './classes.ts'
import type { ContestOperations } from './contests.ts'
import type { Judging, KeptJudging, TestCaseJudging } from './judging.ts'
import type { Account, Role, SubmissionSnippet } from './submissions.ts'

export type { Account, Role, SubmissionSnippet }

export type Session = {
  readonly ID: string
  readonly CreatedTime: number
  readonly LastUsedTime: number
  readonly ExpiryTime: number
  readonly IsCurrent: boolean
}
export type Permission = { readonly Name: string; readonly Level: string }
export type Token = {
  readonly ID: number
  readonly Kind: string
  readonly Hint: string
  readonly Note: string
  readonly ScopeList: readonly string[]
  readonly PermissionList: readonly Permission[]
  /** Null: all of the resource owner's. */
  readonly RepositoryIDList: readonly number[] | null
  /** For a fine-grained token: the account or organisation it covers. */
  readonly ResourceOwner: string | null
  readonly CreatedTime: number
  readonly LastUsedTime: number | null
  readonly ExpiryTime: number | null
  readonly IsBanned: boolean
}
export type TokenDraft = {
  readonly Kind: string
  readonly Note: string
  readonly ScopeList?: readonly string[]
  readonly PermissionList?: readonly Permission[]
  readonly ResourceOwner?: string
  readonly ExpiryTime?: number
}
export type Queue = {
  readonly WaitingSubmissionCount: number
  readonly RejudgedSubmissionCount: number
  readonly ExecutingSubmissionCount: number
  readonly OldestSubmissionTime: number | null
  readonly IsCountCut: boolean
  readonly LanguageList: readonly { readonly Language: string; readonly WaitingSubmissionCount: number }[]
  /** Submissions that no connected executor can judge. */
  readonly StrandedList: readonly { readonly FeatureList: readonly string[]; readonly WaitingSubmissionCount: number }[]
}
export type Executor = {
  readonly Name: string
  readonly Account: Account
  readonly LanguageList: readonly { readonly Value: string; readonly Name: string }[]
  readonly ParallelRunCount: number
  readonly FeatureList: readonly string[]
  readonly FirstSeenTime: number
  readonly LastSeenTime: number
  readonly IsConnected: boolean
  readonly ExecutingSubmissionCount: number
}
/** The outcome of a program on one example, or on one's own input. */
export type TrialRun = {
  readonly Result: number
  readonly Input: string
  readonly Output: string
  readonly Stdout: string
  readonly IsStdoutCut: boolean
  readonly Stderr: string
  readonly CPUTimeInMillisecond: number
  readonly PeakMemoryInByte: number
  readonly TeamMessage?: string
}
export type Trial = {
  readonly Result: number
  readonly CompilerOutput: string
  readonly RunList: readonly TrialRun[]
  /** Why the checker could not be used; only for the problem's author and admins. */
  readonly JudgeMessage?: string
}
export type Setting = {
  readonly Account: {
    readonly DisableAccountCreation: boolean
    readonly DisableAccountUpdate: boolean
    readonly DisableSessionCreationForContestant: boolean
    readonly DisableSessionCreationForProblemSetter: boolean
  }
  readonly Problem: { readonly DisableProblemCreation: boolean; readonly DisableProblemUpdate: boolean }
  readonly Submission: { readonly DisableSubmissionCreation: boolean }
}
export type ServerInfo = {
  readonly IsDistributed: boolean
  /** The configured one; null if there is none. */
  readonly PublicAddress: string | null
  readonly SupportedLanguageList: readonly { readonly Value: string; readonly Name: string }[]
  readonly Setting: Setting
}
export type Example = { readonly Input: string; readonly Output: string }
export type ProblemSnippet = {
  readonly UUID: string
  readonly DisplayName: string
  readonly Author: Account
  readonly TimeLimitInMillisecond: number
  readonly MemoryLimitInByte: number
  readonly CreatedTime: number
  readonly UpdatedTime: number
}
export type FoundProblem = ProblemSnippet & {
  readonly IsHeld: boolean
  readonly TagList: readonly string[]
  readonly IsScored: boolean
  readonly MaximumScore: number | null
}
export type Problem = ProblemSnippet & {
  readonly Description: string
  readonly ExampleList: readonly Example[]
  readonly TestCaseHash: string
}
export type ProblemDraft = Pick<
  Problem,
  'DisplayName' | 'Description' | 'TimeLimitInMillisecond' | 'MemoryLimitInByte' | 'ExampleList'
>
export type TestCase = {
  readonly UUID: string
  readonly Input: string
  readonly Output: string
  readonly IsHidden: boolean
}
export type Submission = SubmissionSnippet & { readonly Content: string }
export type TestReport = {
  readonly TestCaseUUID: string
  readonly Result: number
  readonly CPUTimeInMillisecond: number
  readonly WallTimeInMillisecond: number
  readonly PeakMemoryInByte: number
  readonly Stderr: string
  readonly ExitCode: number | null
  readonly Signal: string | null
  readonly Score?: number
  readonly JudgeMessage?: string
  readonly TeamMessage?: string
  /** The first difference between the output and the answer. */
  readonly Expected?: string
  readonly Got?: string
  /** Of the answer, from 1. */
  readonly DifferenceLine?: number
}
export type GroupReport = { readonly Name: string; readonly Score: number; readonly Result: number }
export type Report = {
  readonly Result: number
  readonly CompilerOutput: string
  readonly JudgeMessage?: string
  readonly Score: number | null
  readonly MaximumScore: number | null
  readonly GroupList: readonly GroupReport[]
  readonly TestList: readonly TestReport[]
}
export type Rejudged = {
  readonly Time: number
  readonly ResultBefore: number
  readonly ScoreBefore: number | null
  readonly MaximumScoreBefore: number | null
}
export type SubmissionReport = {
  readonly Report: Report | null
  readonly Progress: { readonly FinishedTestCaseCount: number; readonly TotalTestCaseCount: number }
  /** The author's name on the roster; for their teachers only. */
  readonly RosterName: string | null
  /** Whether the reader may delete the submission. */
  readonly MayDelete: boolean
  /** The verdict before the last rejudging that changed it. */
  readonly Rejudged: Rejudged | null
}

type Empty = Record<never, never>
type Slice = { readonly Offset: number; readonly Limit: number }
type Operation<P, R> = { readonly params: P; readonly result: R }
type SubmissionList = {
  readonly TotalSubmissionCount: number
  readonly SubmissionSnippetList: readonly SubmissionSnippet[]
}
type ProblemList = { readonly TotalProblemCount: number; readonly ProblemSnippetList: readonly ProblemSnippet[] }

export type Operations = ClassOperations &
  ContestOperations & {
    get_server_info: Operation<Empty, ServerInfo>
    get_session: Operation<Empty, { readonly Account: Account }>
    create_session: Operation<{ AccountName: string; Password: string }, { readonly Account: Account }>
    delete_session: Operation<Empty, Empty>
    get_session_list: Operation<Slice, { readonly TotalSessionCount: number; readonly SessionList: readonly Session[] }>
    end_session: Operation<{ ID: string }, Empty>
    get_token_list: Operation<Slice, { readonly TotalTokenCount: number; readonly TokenList: readonly Token[] }>
    create_token: Operation<TokenDraft, { readonly Token: Token; readonly Text: string }>
    delete_token: Operation<{ ID: number }, Empty>
    get_queue: Operation<Empty, { readonly Queue: Queue }>
    get_executor_list: Operation<Empty, { readonly ExecutorList: readonly Executor[] }>
    create_grade_sheet: Operation<
      {
        DatasetName: string
        ProblemUUIDList?: readonly string[]
        HasEveryContestant?: boolean
        Layout?: 'cells' | 'people'
      },
      { readonly DatasetID: string; readonly DatasetName: string; readonly ItemCount: number }
    >
    find_submission_snippet_list: Operation<
      {
        AccountID?: number | undefined
        ProblemUUID?: string | undefined
        Language?: string | undefined
        Status?: number | undefined
        Result?: number | undefined
        ContestID?: string | undefined
        TeamID?: string | undefined
        BeforeID?: number | undefined
        Limit: number
      },
      { readonly SubmissionSnippetList: readonly SubmissionSnippet[]; readonly NextBeforeID: number | null }
    >
    create_account: Operation<
      { AccountName: string; DisplayName: string; Role: string; Password: string },
      { readonly Account: Account }
    >
    get_account_list: Operation<
      Slice & { Search?: string },
      { readonly TotalAccountCount: number; readonly AccountList: readonly Account[] }
    >
    get_account: Operation<{ ID: number }, { readonly Account: Account }>
    update_account: Operation<
      { ID: number; DisplayName?: string; Role?: string; Password?: string; CurrentPassword?: string },
      { readonly Account: Account }
    >
    update_setting: Operation<{ Setting: Partial<Setting> }, { readonly Setting: Setting }>
    create_problem: Operation<ProblemDraft, { readonly Problem: Problem }>
    update_problem: Operation<Partial<ProblemDraft> & { UUID: string }, { readonly Problem: Problem }>
    delete_problem: Operation<{ UUID: string }, Empty>
    get_problem: Operation<{ UUID: string }, { readonly Problem: Problem }>
    get_problem_statement: Operation<{ UUID: string }, { readonly HTML: string }>
    preview_statement: Operation<{ Description: string; UUID?: string }, { readonly HTML: string }>
    get_problem_judging: Operation<{ UUID: string }, { readonly Judging: Judging }>
    update_problem_judging: Operation<{ UUID: string; Judging: Partial<KeptJudging> }, { readonly Judging: Judging }>
    get_test_case_judging: Operation<{ UUID: string }, { readonly TestCaseJudging: TestCaseJudging }>
    update_test_case_judging: Operation<
      Partial<TestCaseJudging> & { UUID: string },
      { readonly TestCaseJudging: TestCaseJudging }
    >
    get_account_problem_snippet_list: Operation<Slice & { AccountID: number }, ProblemList>
    find_problem_snippet_list: Operation<
      { Text?: string; Tag?: string; IsOwn?: boolean; Offset: number; Limit: number },
      { readonly TotalProblemCount: number; readonly ProblemSnippetList: readonly FoundProblem[] }
    >
    get_problem_tag_list: Operation<
      { UUID?: string },
      { readonly TagList: readonly { readonly Tag: string; readonly ProblemCount: number }[] }
    >
    put_problem_tags: Operation<{ UUID: string; TagList: readonly string[] }, { readonly TagList: readonly string[] }>
    get_problem_snippet_list: Operation<Slice, ProblemList>
    get_problem_test_case_snippet_list: Operation<
      Slice & { ProblemUUID: string },
      { readonly TotalTestCaseCount: number; readonly TestCaseSnippetList: readonly TestCase[] }
    >
    get_problem_test_case_judging_list: Operation<
      Slice & { ProblemUUID: string },
      { readonly TestCaseJudgingList: readonly TestCaseJudging[] }
    >
    get_test_case: Operation<{ UUID: string }, { readonly TestCase: TestCase }>
    create_test_case: Operation<
      { ProblemUUID: string; Input: string; Output: string; IsHidden: boolean },
      { readonly TestCaseSnippet: TestCase }
    >
    create_test_case_list: Operation<{ ProblemUUID: string; ZippedTestData: string }, Empty>
    update_test_case: Operation<
      { UUID: string; Input?: string; Output?: string; IsHidden?: boolean },
      { readonly TestCaseSnippet: TestCase }
    >
    delete_test_case: Operation<{ UUID: string }, Empty>
    create_submission: Operation<
      { ProblemUUID: string; Content: string; Language: string },
      { readonly SubmissionSnippet: SubmissionSnippet }
    >
    run_program: Operation<{ ProblemUUID: string; Content: string; Language: string; Input?: string }, Trial>
    get_submission: Operation<{ ID: number }, { readonly Submission: Submission }>
    get_submission_report: Operation<{ ID: number }, SubmissionReport>
    delete_submission: Operation<{ ID: number }, Empty>
    rejudge_submission: Operation<{ ID: number }, { readonly SubmissionSnippet: SubmissionSnippet }>
    rejudge_problem: Operation<{ UUID: string }, { readonly RejudgedSubmissionCount: number }>
    get_submission_snippet_list: Operation<Slice, SubmissionList>
    get_account_submission_snippet_list: Operation<Slice & { AccountID: number }, SubmissionList>
    get_problem_submission_snippet_list: Operation<Slice & { ProblemUUID: string }, SubmissionList>
    get_account_problem_submission_snippet_list: Operation<
      Slice & { AccountID: number; ProblemUUID: string },
      SubmissionList
    >
  }
