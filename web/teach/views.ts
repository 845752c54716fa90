/** The views for those who set problems. */
export { ProblemJudging } from './judging/problem-judging.tsx'
export { ImportPackage } from './problems/package-import.tsx'
export { EditProblem, NewProblem } from './problems/problem-editing.tsx'
export { Rejudge } from './problems/rejudge.tsx'
export { Results } from './results/results.tsx'
export { TestCases } from './tests/test-cases.tsx'
