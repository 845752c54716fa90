/** The methods that executors call: claim, renew, report, give back, register. */

import { Type } from 'typebox'
import { requireSignIn } from '../../../accounts/actor.ts'
import { requireAct } from '../../../judge/access.ts'
import { isFeature, toFeatureSet } from '../../../judge/features.ts'
import type { Claim } from '../../../judge/judging/claim.ts'
import type { Executors } from '../../../judge/judging/executors.ts'
import type { LongPolls } from '../../../judge/judging/long-polls.ts'
import type { Queue } from '../../../judge/judging/queue.ts'
import type { Limits } from '../../../judge/limits.ts'
import { finished, noResult, submitted } from '../../../judge/submissions/status.ts'
import { demand } from '../../../lib/failure.ts'
import { defineMethod, invalidParams, type JudgeCall, type Method } from '../method.ts'
import { Empty, Text, Uint64, WaitMillisecond } from '../shapes/basic-shapes.ts'
import { GivenReportSchema, toReport } from '../shapes/report-shapes.ts'
import {
  ClaimSchema,
  presentClaim,
  presentSubmissionSnippet,
  SubmissionSnippetSchema,
} from '../shapes/submission-shapes.ts'

const snippet = Type.Object({ SubmissionSnippet: SubmissionSnippetSchema })
const Lease = Type.String({ format: 'text', maxLength: 256 })
/** Unknown features are accepted: they are for a later server. */
const FeatureList = Type.Array(Text(1, 64), { maxItems: 100 })

type Needs = { queue: Queue; longPolls: LongPolls; executors: Executors; limits: Limits }

/** A caller who lost the role while they waited gets nothing: their claim is returned to its place in the queue. */
async function demandStillWorker(call: JudgeCall, { submission, lease }: Claim, queue: Queue): Promise<void> {
  const claimer = call.actor
  await call.identifyAgain()
  try {
    requireSignIn(call.actor)
    requireAct(call.actor, 'claim')
  } catch (refusal) {
    await queue.giveBack(claimer, { id: submission.id, lease })
    throw refusal
  }
}

export const executorMethods = ({ queue, longPolls, executors, limits }: Needs): Method[] => [
  defineMethod({
    name: 'get_and_update_first_submitted_submission_to_executing',
    summary:
      'Claims the oldest waiting submission under a lease; with Order fair, the oldest one of the author with the fewest submissions being judged.',
    nullIsAbsent: true,
    params: Type.Object({
      WaitMillisecond: Type.Optional(WaitMillisecond),
      LanguageList: Type.Optional(Type.Array(Text(1, limits.languageLength), { maxItems: 1_000 })),
      Order: Type.Optional(Type.Unsafe<'fair'>({ type: 'string', enum: ['fair'] })),
      FeatureList: Type.Optional(FeatureList),
    }),
    result: Type.Object({ Submission: ClaimSchema }),
    async run(call, { WaitMillisecond: waitMs = 0, LanguageList: languages, Order, FeatureList: named = [] }) {
      const { actor } = call
      const features = toFeatureSet(named.filter(isFeature))
      await executors.recordClaim(actor, features)
      const wish = { languages, features, isFair: Order === 'fair' }
      const claim = await longPolls.claim(actor, wish, { waitMs, signal: call.signal })
      demand(claim, 'not-found', 'queue-empty', 'No submission waits: ask again, or wait with WaitMillisecond.')
      if (waitMs > 0) await demandStillWorker(call, claim, queue)
      return { Submission: presentClaim(claim) }
    },
  }),

  defineMethod({
    name: 'renew_submission_lease',
    summary: 'Prolongs the lease on a claimed submission, and tells how far its judging is.',
    nullIsAbsent: true,
    params: Type.Object({
      ID: Uint64,
      Lease,
      FinishedTestCaseCount: Type.Optional(Uint64),
      TotalTestCaseCount: Type.Optional(Uint64),
    }),
    result: Type.Object({ LeaseExpiryTime: Uint64 }),
    async run({ actor }, { ID, Lease: lease, FinishedTestCaseCount, TotalTestCaseCount }) {
      const progress = {
        ...(FinishedTestCaseCount !== undefined && { finishedTests: FinishedTestCaseCount }),
        ...(TotalTestCaseCount !== undefined && { totalTests: TotalTestCaseCount }),
      }
      return { LeaseExpiryTime: await queue.renew(actor, ID, lease, progress) }
    },
  }),

  defineMethod({
    name: 'update_submission',
    summary: 'Finishes a claimed submission with a result, or gives it back.',
    nullIsAbsent: true,
    params: Type.Object({
      ID: Uint64,
      Status: Type.Integer({ minimum: 1, maximum: 3 }),
      Result: Type.Integer({ minimum: 0, maximum: 9 }),
      Lease: Type.Optional(Lease),
    }),
    result: snippet,
    async run({ actor }, { ID: id, Status, Result, Lease: lease }) {
      if (Status === finished && Result === noResult) throw resultMissing()
      const holder = { id, lease }
      if (Status === finished) {
        return { SubmissionSnippet: presentSubmissionSnippet(await queue.finish(actor, holder, Result)) }
      }
      if (Status !== submitted || Result !== noResult) return queue.refuse(actor, id)
      return { SubmissionSnippet: presentSubmissionSnippet(await queue.giveBack(actor, holder)) }
    },
  }),

  defineMethod({
    name: 'report_submission',
    summary: 'Finishes a claimed submission with its full report.',
    params: Type.Object({
      ID: Uint64,
      Lease,
      Report: GivenReportSchema,
      // The judging settings that it was judged by: if the scoring has changed since, it is judged again.
      JudgingHash: Type.Optional(Text(0, 64)),
    }),
    result: snippet,
    async run({ actor }, { ID, Lease: lease, Report, JudgingHash: judgingHash }) {
      const report = toReport(Report)
      const done = await queue.finish(actor, { id: ID, lease }, report.result, report, judgingHash)
      return { SubmissionSnippet: presentSubmissionSnippet(done) }
    },
  }),

  defineMethod({
    name: 'report_submission_failure',
    summary: 'The executor could not judge it: it goes back in the queue, and is given up after the third time.',
    params: Type.Object({ ID: Uint64, Lease, Reason: Type.String({ format: 'bytes', maxLength: 10_000 }) }),
    result: snippet,
    async run({ actor }, { ID, Lease: lease, Reason }) {
      return { SubmissionSnippet: presentSubmissionSnippet(await queue.fail(actor, ID, lease, Reason)) }
    },
  }),

  defineMethod({
    name: 'register_executor',
    summary: 'Registers an executor and what it can run; to be called every minute.',
    params: Type.Object({
      Name: Text(1, 256),
      LanguageList: Type.Array(Type.Object({ Value: Text(1, limits.languageLength), Name: Text(1, 256) }), {
        maxItems: 1_000,
      }),
      ParallelRunCount: Type.Integer({ minimum: 1, maximum: 100_000 }),
      FeatureList: Type.Optional(FeatureList),
      InstanceID: Type.Optional(Text(1, 64)),
    }),
    result: Empty,
    async run({ actor }, { Name, LanguageList, ParallelRunCount, FeatureList: named = [], InstanceID: instance }) {
      const languages = LanguageList.map(({ Value, Name: name }) => ({ value: Value, name }))
      const features = toFeatureSet(named.filter(isFeature))
      await executors.register(actor, { name: Name, instance, languages, parallelRuns: ParallelRunCount, features })
      return {}
    },
  }),

  defineMethod({
    name: 'unregister_executor',
    summary: 'Unregisters an executor that is stopping.',
    params: Type.Object({ Name: Text(1, 256), InstanceID: Type.Optional(Text(1, 64)) }),
    result: Empty,
    async run({ actor }, { Name: name, InstanceID: instance }) {
      await executors.unregister(actor, { name, instance })
      return {}
    },
  }),
]

const resultMissing = () =>
  invalidParams([{ field: 'Result', reason: 'must be 1 to 9 for a submission that is finished' }])
