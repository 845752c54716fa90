/** The views for those who set problems. */
export { ProblemJudging } from './judging/problem-judging.tsx'
export { ImportPackage } from './package-import.tsx'
export { EditProblem, NewProblem } from './problem-editing.tsx'
export { Rejudge } from './rejudge.tsx'
export { Results } from './results.tsx'
export { TestCases } from './test-cases.tsx'
