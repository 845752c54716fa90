/** The views for those who solve. */
export { ProblemView } from './problem.tsx'
export { Problems } from './problems.tsx'
export { SubmissionView } from './submission.tsx'
export { Submissions } from './submissions.tsx'
