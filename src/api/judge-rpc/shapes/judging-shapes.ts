/** How problems and tests are judged, in this API's format. */
import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { Limits } from '../../../judge/limits.ts'
import {
  type CheckerKind,
  checkerKinds,
  type Judging,
  type Program,
  type ProgramLanguage,
  problemTypes,
  programLanguages,
} from '../../../judge/problem-judging/judging.ts'
import type { ShownJudging } from '../../../judge/problem-judging/problem-judgings.ts'
import type { ListedTestJudging } from '../../../judge/test-cases/test-judging.ts'
import {
  aggregations,
  largestScore,
  type ScoringGroup,
  toMillionths,
  toPoints,
} from '../../../lib/judging-rules/scoring/rules.ts'
import { invalidParams } from '../method.ts'
import { decodeBase64 } from '../uploads/base64.ts'
import { Base64, base64Length, oneOf, orNull, Text, Uint64, Uuid } from './basic-shapes.ts'

const Score = Type.Number({ minimum: 0, maximum: largestScore })
export const NullableScore = orNull<number>(Score)
const groupNameLength = 64
const ArgumentList = Type.Array(Text(0, 1_000), { maxItems: 100 })

const ProgramSchema = (limits: Limits) =>
  Type.Object({
    Language: oneOf<ProgramLanguage>(programLanguages),
    FileList: Type.Array(Type.Object({ Name: Text(1, 255), Content: Base64(limits.programBytes) }), {
      minItems: 1,
      maxItems: limits.programFiles,
    }),
  })

const judgingFields = (limits: Limits) => {
  const Program = orNull<Static<ReturnType<typeof ProgramSchema>>>(ProgramSchema(limits))
  return {
    Type: oneOf(problemTypes),
    PassLimit: Type.Integer({ minimum: 1, maximum: 100 }),
    Checker: Type.Object({
      Kind: oneOf<CheckerKind>(checkerKinds),
      ArgumentList: Type.Optional(ArgumentList),
      Program: Type.Optional(Program),
    }),
    Interactor: Program,
    IsScored: Type.Boolean(),
    Aggregation: oneOf(aggregations),
    MaximumScore: NullableScore,
    GroupList: Type.Array(
      Type.Object({
        Name: Text(1, groupNameLength),
        Aggregation: Type.Optional(oneOf(aggregations)),
        MaximumScore: Type.Optional(NullableScore),
        RequireList: Type.Optional(Type.Array(Text(1, groupNameLength), { maxItems: limits.groups })),
      }),
      { maxItems: limits.groups },
    ),
    LanguageFactorList: Type.Array(
      Type.Object({ Language: Text(1, limits.languageLength), TimeFactor: Type.Number({ minimum: 1, maximum: 10 }) }),
      { maxItems: 100 },
    ),
    IsHeld: Type.Boolean(),
  }
}

/** Members whose value may be null; null in any other leaves it unchanged. */
export const nullableJudgingMembers = ['Interactor', 'MaximumScore']

export const JudgingChange = (limits: Limits) => Type.Partial(Type.Object(judgingFields(limits)))

/** Null if the problem's judging settings were changed since. */
const LastFault = Type.Object({ SubmissionID: Uint64, Time: Uint64, Message: Type.String() })
type LastFault = Static<typeof LastFault>

/** Managers of the problem get all members; others get only the required ones. */
export const JudgingSchema = (limits: Limits) => {
  const { Type: ProblemType, IsScored, MaximumScore, GroupList: _, ...rest } = judgingFields(limits)
  const whole = Type.Partial(
    Type.Object({ ...rest, JudgingHash: Type.String(), FaultCount: Uint64, LastFault: orNull<LastFault>(LastFault) }),
  )
  return Type.Object({
    Type: ProblemType,
    IsScored,
    MaximumScore,
    GroupList: Type.Array(
      Type.Object({
        Name: Type.String(),
        MaximumScore: NullableScore,
        Aggregation: Type.Optional(oneOf(aggregations)),
        RequireList: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    ...whole.properties,
  })
}

type Change = Static<ReturnType<typeof JudgingChange>>
type GivenProgram = NonNullable<Change['Interactor']>

export function toJudgingChange(given: Change, limits: Limits): Partial<Judging> {
  const { Checker, GroupList, LanguageFactorList } = given
  return {
    ...(given.Type !== undefined && { type: given.Type }),
    ...(given.PassLimit !== undefined && { passLimit: given.PassLimit }),
    ...(Checker !== undefined && {
      checker: {
        kind: Checker.Kind,
        arguments: Checker.ArgumentList ?? [],
        program: toProgram(Checker.Program ?? null, 'Checker.Program', limits),
      },
    }),
    ...(given.Interactor !== undefined && { interactor: toProgram(given.Interactor, 'Interactor', limits) }),
    ...(given.IsScored !== undefined && { isScored: given.IsScored }),
    ...(given.Aggregation !== undefined && { aggregation: given.Aggregation }),
    ...(given.MaximumScore !== undefined && { maximumScore: toScore(given.MaximumScore) }),
    ...(GroupList !== undefined && { groups: GroupList.map(toGroup) }),
    ...(LanguageFactorList !== undefined && {
      languageFactors: LanguageFactorList.map(({ Language, TimeFactor }) => ({
        language: Language,
        timeFactor: TimeFactor,
      })),
    }),
    ...(given.IsHeld !== undefined && { isHeld: given.IsHeld }),
  }
}

export const toScore = (points: number | null): number | null => (points === null ? null : toMillionths(points))
export const presentScore = (score: number | null): number | null => (score === null ? null : toPoints(score))

const toGroup = (group: NonNullable<Change['GroupList']>[number]): ScoringGroup => ({
  name: group.Name,
  aggregation: group.Aggregation ?? 'sum',
  maximum: toScore(group.MaximumScore ?? null),
  required: group.RequireList ?? [],
})

/** Checks the size before anything is decoded. */
function toProgram(given: GivenProgram | null, field: string, limits: Limits): Program | null {
  if (!given) return null
  const length = given.FileList.reduce((sum, { Content }) => sum + Content.length, 0)
  if (length > base64Length(limits.programBytes) + 4 * given.FileList.length)
    throw invalidParams([
      { field: `Judging.${field}.FileList`, reason: `must hold at most ${limits.programBytes} bytes` },
    ])
  const files = given.FileList.map(({ Name, Content }, at) => {
    const content = decodeBase64(Content)
    if (content) return { name: Name, content }
    const reason = 'must be base64 of the alphabet with + and /, padded and without line breaks'
    throw invalidParams([{ field: `Judging.${field}.FileList.${at}.Content`, reason }])
  })
  return { language: given.Language, files }
}

const presentProgram = (program: Program | null) =>
  program && {
    Language: program.language,
    FileList: program.files.map(({ name, content }) => ({
      Name: name,
      Content: Buffer.from(content).toString('base64'),
    })),
  }

export function presentJudging({ judging, keeper }: ShownJudging) {
  const { checker } = judging
  const known = {
    Type: judging.type,
    IsScored: judging.isScored,
    MaximumScore: presentScore(judging.maximumScore),
    GroupList: judging.groups.map(({ name, maximum }) => ({ Name: name, MaximumScore: presentScore(maximum) })),
  }
  if (!keeper) return known
  return {
    Type: known.Type,
    PassLimit: judging.passLimit,
    Checker: { Kind: checker.kind, ArgumentList: [...checker.arguments], Program: presentProgram(checker.program) },
    Interactor: presentProgram(judging.interactor),
    IsScored: known.IsScored,
    Aggregation: judging.aggregation,
    MaximumScore: known.MaximumScore,
    GroupList: judging.groups.map((group) => ({
      Name: group.name,
      Aggregation: group.aggregation,
      MaximumScore: presentScore(group.maximum),
      RequireList: [...group.required],
    })),
    LanguageFactorList: judging.languageFactors.map(({ language, timeFactor }) => ({
      Language: language,
      TimeFactor: timeFactor,
    })),
    IsHeld: judging.isHeld,
    JudgingHash: keeper.hash,
    FaultCount: keeper.faultCount,
    LastFault: keeper.lastFault && {
      SubmissionID: keeper.lastFault.submissionId,
      Time: keeper.lastFault.at,
      Message: keeper.lastFault.message,
    },
  }
}

export const testJudgingFields = {
  Group: Text(0, groupNameLength),
  Points: NullableScore,
  ArgumentList: orNull<string[]>(ArgumentList),
}

export const nullableTestJudgingMembers = ['Points', 'ArgumentList']

/** `Name`: its name in the package. `ByteCount`: of its input and output. */
export const TestJudgingSchema = Type.Object({
  UUID: Uuid,
  ...testJudgingFields,
  ByteCount: Uint64,
  Name: Type.Optional(Type.String()),
})

export const presentTestJudging = ({ uuid, name, group, points, arguments: list, bytes }: ListedTestJudging) => ({
  UUID: uuid,
  Group: group,
  Points: presentScore(points),
  ArgumentList: list && [...list],
  ByteCount: bytes,
  ...(name !== null && { Name: name }),
})
