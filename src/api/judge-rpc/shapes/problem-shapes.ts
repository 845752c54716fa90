/** Problems and test cases in this API's format. */
import { Type } from 'typebox'
import type { Limits } from '../../../judge/limits.ts'
import type { Example, Problem, ProblemSnippet } from '../../../judge/problems/problem-row.ts'
import { toText } from '../../../judge/submissions/submission-row.ts'
import type { TestCase } from '../../../judge/test-cases/test-cases.ts'
import { AccountSchema, Bytes, presentAccount, Text, Uint64, Uuid } from './basic-shapes.ts'

export const problemFields = (limits: Limits) => {
  const ExampleText = Type.String({ format: 'bytes', maxLength: limits.exampleLength })
  return {
    DisplayName: Text(1, limits.problemNameLength),
    Description: Text(0, limits.descriptionLength),
    TimeLimitInMillisecond: Type.Integer({ minimum: 1, maximum: limits.timeLimitMs }),
    MemoryLimitInByte: Type.Integer({ minimum: limits.leastMemoryLimitBytes, maximum: limits.memoryLimitBytes }),
    ExampleList: Type.Array(Type.Object({ Input: ExampleText, Output: ExampleText }), { maxItems: limits.examples }),
  }
}

export const ProblemSnippetSchema = Type.Object({
  UUID: Uuid,
  DisplayName: Type.String(),
  Author: AccountSchema,
  TimeLimitInMillisecond: Uint64,
  MemoryLimitInByte: Uint64,
  CreatedTime: Uint64,
  UpdatedTime: Uint64,
})

export const ProblemSchema = Type.Object({
  ...ProblemSnippetSchema.properties,
  Description: Type.String(),
  ExampleList: Type.Array(Type.Object({ Input: Type.String(), Output: Type.String() })),
  TestCaseHash: Type.String(),
})

export const presentProblemSnippet = (problem: ProblemSnippet) => ({
  UUID: problem.uuid,
  DisplayName: problem.displayName,
  Author: presentAccount(problem.author),
  TimeLimitInMillisecond: problem.timeLimitMs,
  MemoryLimitInByte: problem.memoryLimitBytes,
  CreatedTime: problem.createdAt.getTime(),
  UpdatedTime: problem.updatedAt.getTime(),
})

/** Members in the contract's order. */
export const presentProblem = (problem: Problem) => ({
  UUID: problem.uuid,
  DisplayName: problem.displayName,
  Author: presentAccount(problem.author),
  Description: problem.description,
  TimeLimitInMillisecond: problem.timeLimitMs,
  MemoryLimitInByte: problem.memoryLimitBytes,
  ExampleList: problem.examples.map(({ input, output }) => ({ Input: input, Output: output })),
  CreatedTime: problem.createdAt.getTime(),
  UpdatedTime: problem.updatedAt.getTime(),
  TestCaseHash: problem.testHash,
})

export const toExamples = (list: readonly { Input: string; Output: string }[]): Example[] =>
  list.map(({ Input, Output }) => ({ input: Input, output: Output }))

export const testCaseFields = (limits: Limits) => ({
  Input: Bytes(0, limits.testTextBytes),
  Output: Bytes(0, limits.testTextBytes),
  IsHidden: Type.Boolean(),
})

export const TestCaseSchema = Type.Object({
  UUID: Uuid,
  Input: Type.String(),
  Output: Type.String(),
  IsHidden: Type.Boolean(),
})

export const presentTestCase = ({ uuid, input, output, isHidden }: TestCase, asText = toText) => ({
  UUID: uuid,
  Input: asText(input),
  Output: asText(output),
  IsHidden: isHidden,
})
