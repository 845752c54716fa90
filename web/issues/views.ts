/** The views of issues. */
export { IssueView } from './issue.tsx'
export { IssuesView, PullsView } from './issue-list.tsx'
export { LabelsView } from './labels.tsx'
export { MilestoneView } from './milestone.tsx'
export { MilestonesView } from './milestones.tsx'
export { NewIssueView } from './new-issue.tsx'
export { OwnIssuesView, OwnPullsView } from './own-list.tsx'
