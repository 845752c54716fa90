/** The status and the result of a submission, by the contract's numbers. */

export const submitted = 1
export const executing = 2
export const finished = 3

export const noResult = 0
export const accepted = 1
export const unsupportedLanguage = 7
export const judgeFailure = 9

const resultWords = [
  'not judged yet',
  'accepted',
  'compile error',
  'runtime error',
  'time limit exceeded',
  'memory limit exceeded',
  'wrong answer',
  'unsupported language',
  'output limit exceeded',
  'judge failure',
]

export const describeResult = (result: number): string => resultWords[result] ?? `result ${result}`
