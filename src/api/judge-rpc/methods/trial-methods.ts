/** JSON-RPC methods that run a program without a submission: for people, and for the executors that run it. */
import { Type } from 'typebox'
import { requireSignIn } from '../../../accounts/actor.ts'
import { requireAct } from '../../../judge/access.ts'
import { isFeature, toFeatureSet } from '../../../judge/features.ts'
import type { LongPolls } from '../../../judge/judging/long-polls.ts'
import type { Limits } from '../../../judge/limits.ts'
import type { SubmissionEvents } from '../../../judge/submissions/submission-events.ts'
import type { TrialClaim } from '../../../judge/trials/trial.ts'
import type { TrialEvents } from '../../../judge/trials/trial-events.ts'
import type { Trials } from '../../../judge/trials/trials.ts'
import { demand, type Failure } from '../../../lib/failure.ts'
import { defineMethod, invalidParams, type Method } from '../method.ts'
import { Bytes, Empty, Text, Uint64, Uuid, WaitMillisecond } from '../shapes/basic-shapes.ts'
import {
  presentTrialClaim,
  presentTrialReport,
  TrialClaimSchema,
  TrialReportSchema,
  toTrialReport,
} from '../shapes/trial-shapes.ts'

const Lease = Type.String({ format: 'text', maxLength: 256 })
/** Room for a few of the texts of which an answer consists. */
const answerBytes = 4 * 1024 * 1024

type Needs = {
  trials: Trials
  trialEvents: TrialEvents
  events: SubmissionEvents
  longPolls: LongPolls
  limits: Limits
}

export const trialMethods = ({ trials, trialEvents, events, longPolls, limits }: Needs): Method[] => [
  defineMethod({
    name: 'run_program',
    summary: 'Runs a program on a problem’s examples, or on your own input, without submitting it.',
    nullIsAbsent: true,
    params: Type.Object({
      ProblemUUID: Uuid,
      Content: Bytes(1, limits.sourceBytes),
      Language: Text(1, limits.languageLength),
      Input: Type.Optional(Bytes(0, limits.trialInputBytes)),
    }),
    result: TrialReportSchema,
    async run(call, { ProblemUUID, Content, Language, Input }) {
      const draft = { problemUuid: ProblemUUID, content: Content, language: Language, input: Input }
      const report = await trials.run(call.actor, draft, call.signal)
      demand(report, 'unavailable', 'client-gone', 'Nobody is waiting for the answer any longer.')
      await call.identifyAgain()
      requireSignIn(call.actor)
      requireAct(call.actor, 'submit')
      await call.reserve(answerBytes)
      return presentTrialReport(report)
    },
  }),

  defineMethod({
    name: 'claim_trial',
    summary: 'Claims a trial run, when no submission waits that this executor could judge.',
    nullIsAbsent: true,
    params: Type.Object({
      WaitMillisecond: Type.Optional(WaitMillisecond),
      LanguageList: Type.Array(Text(1, limits.languageLength), { maxItems: 1_000 }),
      FeatureList: Type.Optional(Type.Array(Text(1, 64), { maxItems: 100 })),
    }),
    result: Type.Object({ Trial: TrialClaimSchema }),
    async run(call, { WaitMillisecond: waitMs = 0, LanguageList: languages, FeatureList: named = [] }) {
      const { actor } = call
      const wish = { languages, features: toFeatureSet(named.filter(isFeature)) }
      const giveBack = ({ id, lease }: TrialClaim) => trials.queue.giveBack(actor, id, lease)
      const claim = await longPolls.untilFound(actor, {
        ...{ waitMs, signal: call.signal },
        look: () => trials.queue.claim(actor, wish),
        listen(wake) {
          const stops = [trialEvents.onChange(wake), events.onChange(wake)]
          return () => {
            for (const stop of stops) stop()
          }
        },
        undo: giveBack,
      })
      demand(claim, 'not-found', 'no-trial', 'No program waits to be run: ask again, or wait with WaitMillisecond.')
      if (waitMs > 0) await call.identifyAgain()
      try {
        requireAct(call.actor, 'claim')
      } catch (refusal) {
        await giveBack(claim)
        throw refusal
      }
      return { Trial: presentTrialClaim(claim) }
    },
  }),

  defineMethod({
    name: 'renew_trial_lease',
    summary: 'Prolongs the lease on a claimed trial; 6 once nobody waits for it any longer.',
    params: Type.Object({ ID: Uint64, Lease }),
    result: Type.Object({ LeaseExpiryTime: Uint64 }),
    async run({ actor }, { ID, Lease: lease }) {
      return { LeaseExpiryTime: await trials.queue.renew(actor, ID, lease) }
    },
  }),

  defineMethod({
    name: 'report_trial',
    summary: 'Finishes a claimed trial with a Report, or with the Reason why this executor could not run it.',
    nullIsAbsent: true,
    params: Type.Object({
      ID: Uint64,
      Lease,
      Report: Type.Optional(TrialReportSchema),
      Reason: Type.Optional(Type.String({ format: 'bytes', maxLength: 10_000 })),
    }),
    result: Empty,
    async run({ actor }, { ID, Lease: lease, Report, Reason }) {
      requireAct(actor, 'judge')
      if ((Report === undefined) === (Reason === undefined)) throw eitherMissing()
      if (Report) await trials.queue.finish(actor, ID, lease, toTrialReport(Report))
      else await trials.queue.fail(actor, ID, lease, Reason!)
      return {}
    },
  }),
]

const eitherMissing = (): Failure =>
  invalidParams([{ field: 'Report', reason: 'or a Reason must be given, and not both' }])
