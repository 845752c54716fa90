/** JSON-RPC methods of contest submissions and rejudgings. */
import { Type } from 'typebox'
import type { ContestServices } from '../../../judge/contests/contest-services.ts'
import type { RejudgedSubmission, Rejudging } from '../../../judge/contests/rejudgings.ts'
import type { Limits } from '../../../judge/limits.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import type { Page } from '../../../lib/page.ts'
import { defineMethod, type Method } from '../method.ts'
import { Bytes, NullableUint64, oneOf, PageParams, Password, Text, toPage, Uint64 } from '../shapes/basic-shapes.ts'
import { ContestID, NullableTime, Time } from '../shapes/contest-shapes.ts'
import { presentSubmissionSnippet, SubmissionSnippetSchema } from '../shapes/submission-shapes.ts'

const snippet = Type.Object({ SubmissionSnippet: SubmissionSnippetSchema })
const Result = Type.Integer({ minimum: 1, maximum: 9 })
const Reason = Text(1, 1_000)
const states = ['open', 'applied', 'cancelled'] as const

const RejudgingSchema = Type.Object({
  ID: Uint64,
  Reason: Type.String(),
  State: oneOf(states),
  CreatedBy: Type.String(),
  CreatedTime: Time,
  EndedTime: NullableTime,
  TotalSubmissionCount: Uint64,
  JudgedSubmissionCount: Uint64,
  ChangedSubmissionCount: Uint64,
})
const result = Type.Object({ Rejudging: RejudgingSchema })

const presentRejudging = (rejudging: Rejudging) => ({
  ID: rejudging.id,
  Reason: rejudging.reason,
  State: rejudging.state as (typeof states)[number],
  CreatedBy: rejudging.createdBy,
  CreatedTime: rejudging.createdAt,
  EndedTime: rejudging.endedAt,
  TotalSubmissionCount: rejudging.total,
  JudgedSubmissionCount: rejudging.judged,
  ChangedSubmissionCount: rejudging.changed,
})

const presentRejudged = (one: RejudgedSubmission) => ({
  SubmissionID: one.id,
  TeamID: one.teamId,
  ProblemID: one.problemId,
  OldResult: one.oldResult,
  NewResult: one.newResult,
})

const presentChanges = ({ total, items }: Page<RejudgedSubmission>) => ({
  TotalSubmissionCount: total,
  SubmissionList: items.map(presentRejudged),
})

type Needs = Pick<ContestServices, 'contestSubmissions' | 'rejudgings'> & { limits: Limits }

export const contestSubmissionMethods = ({ contestSubmissions, rejudgings, limits }: Needs): Method[] => [
  defineMethod({
    name: 'create_contest_submission',
    summary: 'Submits to a problem of a running contest for your team.',
    params: Type.Object({
      ContestID,
      ProblemID: ContestID,
      Language: Text(1, limits.languageLength),
      Content: Bytes(1, limits.sourceBytes),
    }),
    result: snippet,
    async run({ actor }, { ContestID, ProblemID, Language, Content }) {
      const draft = { problemId: ProblemID, language: Language, content: Content }
      return { SubmissionSnippet: presentSubmissionSnippet(await contestSubmissions.create(actor, ContestID, draft)) }
    },
  }),

  defineMethod({
    name: 'get_contest_submission_list',
    summary: 'For the jury: the team and problem of submissions, their contest time, and whether they count.',
    params: Type.Object({ ContestID, SubmissionIDList: Type.Array(Uint64, { minItems: 1, maxItems: 100 }) }),
    result: Type.Object({
      SubmissionList: Type.Array(
        Type.Object({
          SubmissionID: Uint64,
          TeamID: ContestID,
          ProblemID: ContestID,
          ContestTime: Type.Integer(),
          IsIgnored: Type.Boolean(),
        }),
      ),
    }),
    async run({ actor }, { ContestID, SubmissionIDList }) {
      const places = await contestSubmissions.listPlaces(actor, ContestID, SubmissionIDList)
      return {
        SubmissionList: places.map((one) => ({
          SubmissionID: one.id,
          TeamID: one.teamId,
          ProblemID: one.problemId,
          ContestTime: one.contestMs,
          IsIgnored: one.isIgnored,
        })),
      }
    },
  }),

  defineMethod({
    name: 'ignore_submission',
    summary: 'Ignores a submission of a contest, or counts it again.',
    params: Type.Object({ ID: Uint64, IsIgnored: Type.Boolean() }),
    result: snippet,
    async run({ actor }, { ID, IsIgnored }) {
      return { SubmissionSnippet: presentSubmissionSnippet(await contestSubmissions.ignore(actor, ID, IsIgnored)) }
    },
  }),

  defineMethod({
    name: 'override_result',
    summary: 'Sets the result of a judged submission of a contest; needs the caller’s own password.',
    params: Type.Object({ ID: Uint64, Result, Password, Reason }),
    result: snippet,
    async run({ actor }, { ID, Result, Password, Reason }) {
      const override = { result: Result, password: Password, reason: Reason }
      return { SubmissionSnippet: presentSubmissionSnippet(await contestSubmissions.override(actor, ID, override)) }
    },
  }),

  defineMethod({
    name: 'create_rejudging',
    summary: 'Rejudges submissions of a contest; their present results stay until the rejudging is applied.',
    nullIsAbsent: true,
    params: Type.Object({
      ContestID,
      ProblemID: Type.Optional(ContestID),
      TeamID: Type.Optional(ContestID),
      Language: Type.Optional(Text(1, limits.languageLength)),
      Result: Type.Optional(Result),
      FromTime: Type.Optional(Time),
      ToTime: Type.Optional(Time),
      SubmissionIDList: Type.Optional(Type.Array(Uint64, { minItems: 1, maxItems: 1_000 })),
      Reason,
    }),
    result,
    async run({ actor }, { ContestID, Reason, ...given }) {
      const filter = omitUndefined({
        problemId: given.ProblemID,
        teamId: given.TeamID,
        language: given.Language,
        result: given.Result,
        fromTime: given.FromTime,
        toTime: given.ToTime,
        submissionIds: given.SubmissionIDList,
      })
      return { Rejudging: presentRejudging(await rejudgings.create(actor, ContestID, filter, Reason)) }
    },
  }),

  defineMethod({
    name: 'get_rejudging',
    summary: 'Shows what a rejudging would change, or has changed; differences come first.',
    nullIsAbsent: true,
    params: Type.Object({ ContestID, ID: Uint64, ...Type.Partial(Type.Object(PageParams)).properties }),
    result: Type.Object({
      Rejudging: RejudgingSchema,
      TotalSubmissionCount: Uint64,
      SubmissionList: Type.Array(
        Type.Object({
          SubmissionID: Uint64,
          TeamID: ContestID,
          ProblemID: ContestID,
          OldResult: Uint64,
          NewResult: NullableUint64,
        }),
      ),
    }),
    async run({ actor }, { ContestID, ID, Offset = 0, Limit = 100 }) {
      const found = await rejudgings.get(actor, ContestID, ID, toPage({ Offset, Limit }))
      return { Rejudging: presentRejudging(found.rejudging), ...presentChanges(found.submissions) }
    },
  }),

  defineMethod({
    name: 'get_rejudging_list',
    summary: 'Lists the rejudgings of a contest, newest first.',
    params: Type.Object({ ContestID, ...PageParams }),
    result: Type.Object({ TotalRejudgingCount: Uint64, RejudgingList: Type.Array(RejudgingSchema) }),
    async run({ actor }, { ContestID, ...page }) {
      const { total, items } = await rejudgings.list(actor, ContestID, toPage(page))
      return { TotalRejudgingCount: total, RejudgingList: items.map(presentRejudging) }
    },
  }),

  defineMethod({
    name: 'apply_rejudging',
    summary: 'Applies the new results of a rejudging, all at once.',
    params: Type.Object({ ContestID, ID: Uint64 }),
    result,
    async run({ actor }, { ContestID, ID }) {
      return { Rejudging: presentRejudging(await rejudgings.apply(actor, ContestID, ID)) }
    },
  }),

  defineMethod({
    name: 'cancel_rejudging',
    summary: 'Cancels a rejudging: all results stay as they are.',
    params: Type.Object({ ContestID, ID: Uint64 }),
    result,
    async run({ actor }, { ContestID, ID }) {
      return { Rejudging: presentRejudging(await rejudgings.cancel(actor, ContestID, ID)) }
    },
  }),
]
