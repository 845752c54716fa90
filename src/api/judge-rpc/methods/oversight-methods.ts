/** JSON-RPC methods by which admins monitor judging. */
import { Type } from 'typebox'
import type { Oversight } from '../../../judge/judging/oversight.ts'
import { defineMethod, type Method } from '../method.ts'
import { AccountSchema, Empty, NullableUint64, presentAccount, Uint64 } from '../shapes/basic-shapes.ts'

const QueueSchema = Type.Object({
  WaitingSubmissionCount: Uint64,
  RejudgedSubmissionCount: Uint64,
  ExecutingSubmissionCount: Uint64,
  OldestSubmissionTime: NullableUint64,
  IsCountCut: Type.Boolean(),
  LanguageList: Type.Array(Type.Object({ Language: Type.String(), WaitingSubmissionCount: Uint64 })),
  StrandedList: Type.Array(Type.Object({ FeatureList: Type.Array(Type.String()), WaitingSubmissionCount: Uint64 })),
})

const ExecutorSchema = Type.Object({
  Name: Type.String(),
  Account: AccountSchema,
  LanguageList: Type.Array(Type.Object({ Value: Type.String(), Name: Type.String() })),
  ParallelRunCount: Uint64,
  FeatureList: Type.Array(Type.String()),
  FirstSeenTime: Uint64,
  LastSeenTime: Uint64,
  IsConnected: Type.Boolean(),
  ExecutingSubmissionCount: Uint64,
})

export const oversightMethods = (oversight: Oversight): Method[] => [
  defineMethod({
    name: 'get_queue',
    summary: 'Shows how many submissions wait, since when and in which languages, and how many are being judged.',
    params: Empty,
    result: Type.Object({ Queue: QueueSchema }),
    async run({ actor }) {
      const { waiting, rejudged, executing, oldestAt, isCut, languages, stranded } =
        await oversight.describeQueue(actor)
      return {
        Queue: {
          WaitingSubmissionCount: waiting,
          RejudgedSubmissionCount: rejudged,
          ExecutingSubmissionCount: executing,
          OldestSubmissionTime: oldestAt?.getTime() ?? null,
          IsCountCut: isCut,
          LanguageList: languages.map((one) => ({ Language: one.language, WaitingSubmissionCount: one.waiting })),
          StrandedList: stranded.map((one) => ({
            FeatureList: [...one.features],
            WaitingSubmissionCount: one.count,
          })),
        },
      }
    },
  }),

  defineMethod({
    name: 'get_executor_list',
    summary: 'Lists the executors that have connected, the one seen last first, and what each can run.',
    params: Empty,
    result: Type.Object({ ExecutorList: Type.Array(ExecutorSchema) }),
    async run({ actor }) {
      const list = await oversight.listExecutors(actor)
      return {
        ExecutorList: list.map((one) => ({
          Name: one.name,
          Account: presentAccount(one.account),
          LanguageList: one.languages.map(({ value, name }) => ({ Value: value, Name: name })),
          ParallelRunCount: one.parallelRuns,
          FeatureList: [...one.features],
          FirstSeenTime: one.firstSeenAt.getTime(),
          LastSeenTime: one.seenAt.getTime(),
          IsConnected: one.isConnected,
          ExecutingSubmissionCount: one.executing,
        })),
      }
    },
  }),
]
