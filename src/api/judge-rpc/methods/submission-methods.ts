/** JSON-RPC methods of submissions. */

import { Type } from 'typebox'
import type { LongPolls } from '../../../judge/judging/long-polls.ts'
import type { Rejudging } from '../../../judge/judging/rejudging.ts'
import type { Reports } from '../../../judge/judging/reports.ts'
import type { Limits } from '../../../judge/limits.ts'
import type { SubmissionSnippet } from '../../../judge/submissions/submission-row.ts'
import type { SubmissionSearch } from '../../../judge/submissions/submission-search.ts'
import type { Submissions } from '../../../judge/submissions/submissions.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import type { Page } from '../../../lib/page.ts'
import { defineMethod, type Method } from '../method.ts'
import {
  Bytes,
  Empty,
  NullableUint64,
  PageParams,
  Text,
  toPage,
  Uint64,
  Uuid,
  WaitMillisecond,
} from '../shapes/basic-shapes.ts'
import { ContestID } from '../shapes/contest-shapes.ts'
import { presentReport, SubmissionReportSchema } from '../shapes/report-shapes.ts'
import {
  presentSubmission,
  presentSubmissionSnippet,
  SubmissionSchema,
  SubmissionSnippetSchema,
} from '../shapes/submission-shapes.ts'

const snippet = Type.Object({ SubmissionSnippet: SubmissionSnippetSchema })
const whole = Type.Object({ Submission: SubmissionSchema })
const list = Type.Object({
  TotalSubmissionCount: Uint64,
  SubmissionSnippetList: Type.Array(SubmissionSnippetSchema),
})

const presentList = ({ total, items }: Page<SubmissionSnippet>) => ({
  TotalSubmissionCount: total,
  SubmissionSnippetList: items.map(presentSubmissionSnippet),
})

type Needs = {
  submissions: Submissions
  submissionSearch: SubmissionSearch
  rejudging: Rejudging
  reports: Reports
  longPolls: LongPolls
  limits: Limits
}

export const submissionMethods = ({
  submissions,
  submissionSearch,
  rejudging,
  reports,
  longPolls,
  limits,
}: Needs): Method[] => [
  defineMethod({
    name: 'create_submission',
    summary: 'Submits a program for a problem.',
    params: Type.Object({
      ProblemUUID: Uuid,
      Content: Bytes(1, limits.sourceBytes),
      Language: Text(1, limits.languageLength),
    }),
    result: snippet,
    async run({ actor }, { ProblemUUID, Content, Language }) {
      const draft = { problemUuid: ProblemUUID, content: Content, language: Language }
      return { SubmissionSnippet: presentSubmissionSnippet(await submissions.create(actor, draft)) }
    },
  }),

  defineMethod({
    name: 'get_submission',
    summary: 'Reads one submission; Content is empty for callers who may not see it.',
    params: Type.Object({ ID: Uint64 }),
    result: whole,
    async run({ actor }, { ID }) {
      return { Submission: presentSubmission(await submissions.get(actor, ID)) }
    },
  }),

  defineMethod({
    name: 'wait_for_submission',
    summary: 'Reads one submission once it is finished, or when the wait is over.',
    params: Type.Object({ ID: Uint64, WaitMillisecond }),
    result: whole,
    async run(call, { ID, WaitMillisecond: waitMs }) {
      await longPolls.untilFinished(call.actor, ID, { waitMs, signal: call.signal })
      await call.identifyAgain()
      return { Submission: presentSubmission(await submissions.get(call.actor, ID)) }
    },
  }),

  defineMethod({
    name: 'get_submission_report',
    summary: 'Reads the executor’s report, test by test; null before the submission is finished.',
    params: Type.Object({ ID: Uint64 }),
    result: SubmissionReportSchema,
    async run({ actor }, { ID }) {
      return presentReport(await reports.get(actor, ID))
    },
  }),

  defineMethod({
    name: 'get_submission_snippet_list',
    summary: 'Lists submissions, newest first.',
    params: Type.Object(PageParams),
    result: list,
    async run({ actor }, params) {
      return presentList(await submissions.list(actor, toPage(params)))
    },
  }),

  defineMethod({
    name: 'get_account_submission_snippet_list',
    summary: 'Lists an account’s submissions, newest first.',
    params: Type.Object({ AccountID: Uint64, ...PageParams }),
    result: list,
    async run({ actor }, params) {
      return presentList(await submissions.listOfAccount(actor, params.AccountID, toPage(params)))
    },
  }),

  defineMethod({
    name: 'get_problem_submission_snippet_list',
    summary: 'Lists the submissions to a problem, newest first.',
    params: Type.Object({ ProblemUUID: Uuid, ...PageParams }),
    result: list,
    async run({ actor }, params) {
      return presentList(await submissions.listToProblem(actor, params.ProblemUUID, toPage(params)))
    },
  }),

  defineMethod({
    name: 'get_account_problem_submission_snippet_list',
    summary: 'Lists an account’s submissions to a problem, newest first.',
    params: Type.Object({ AccountID: Uint64, ProblemUUID: Uuid, ...PageParams }),
    result: list,
    async run({ actor }, params) {
      const { AccountID, ProblemUUID } = params
      return presentList(await submissions.listOfAccountToProblem(actor, AccountID, ProblemUUID, toPage(params)))
    },
  }),

  defineMethod({
    name: 'find_submission_snippet_list',
    summary: 'Finds submissions by account, problem, language, status and result, newest first.',
    nullIsAbsent: true,
    params: Type.Object({
      AccountID: Type.Optional(Uint64),
      ProblemUUID: Type.Optional(Uuid),
      Language: Type.Optional(Text(1, limits.languageLength)),
      Status: Type.Optional(Type.Integer({ minimum: 1, maximum: 3 })),
      Result: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
      ContestID: Type.Optional(ContestID),
      TeamID: Type.Optional(ContestID),
      BeforeID: Type.Optional(Uint64),
      Limit: PageParams.Limit,
    }),
    result: Type.Object({
      SubmissionSnippetList: Type.Array(SubmissionSnippetSchema),
      NextBeforeID: NullableUint64,
    }),
    async run({ actor }, { AccountID, ProblemUUID, Language, Status, Result, ContestID, TeamID, BeforeID, Limit }) {
      const filter = omitUndefined({
        accountId: AccountID,
        problemUuid: ProblemUUID,
        language: Language,
        status: Status,
        result: Result,
        contestId: ContestID,
        teamId: TeamID,
        beforeId: BeforeID,
      })
      const { items, nextBeforeId } = await submissionSearch.find(actor, filter, Limit)
      return { SubmissionSnippetList: items.map(presentSubmissionSnippet), NextBeforeID: nextBeforeId ?? null }
    },
  }),

  defineMethod({
    name: 'delete_submission',
    summary: 'Deletes a submission.',
    params: Type.Object({ ID: Uint64 }),
    result: Empty,
    async run({ actor }, { ID }) {
      await submissions.delete(actor, ID)
      return {}
    },
  }),

  defineMethod({
    name: 'rejudge_submission',
    summary: 'Rejudges a finished submission.',
    params: Type.Object({ ID: Uint64 }),
    result: snippet,
    async run({ actor }, { ID }) {
      return { SubmissionSnippet: presentSubmissionSnippet(await rejudging.rejudgeSubmission(actor, ID)) }
    },
  }),

  defineMethod({
    name: 'rejudge_problem',
    summary: 'Rejudges every finished submission to a problem.',
    params: Type.Object({ UUID: Uuid }),
    result: Type.Object({ RejudgedSubmissionCount: Uint64 }),
    async run({ actor }, { UUID }) {
      return { RejudgedSubmissionCount: await rejudging.rejudgeProblem(actor, UUID) }
    },
  }),
]
