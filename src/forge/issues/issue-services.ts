/** The services of issues, made and connected. */

import type { Tokens } from '../../accounts/tokens.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Store } from '../../store/store.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import type { Git } from '../git/process/git.ts'
import type { Pushes } from '../git/push/pushes.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import type { RefWriting } from '../git/write/ref-writing.ts'
import type { People } from '../people/people.ts'
import { makeAssignees } from './assignees/assignees.ts'
import { makeAssigneeChanges } from './assignees/issue-assignees.ts'
import { makeBlocking } from './blocking.ts'
import { makeComments } from './comments/comments.ts'
import { makeIssueEvents } from './events/issue-events.ts'
import { makeIssueDeletion } from './issue-deletion.ts'
import { makeIssueLists } from './issue-lists.ts'
import { makeIssueMarks } from './issue-marks.ts'
import { makeIssueOpening } from './issue-opening.ts'
import { makeIssueReading } from './issue-reading.ts'
import { makeIssueStates } from './issue-state.ts'
import { makeIssues } from './issues.ts'
import { makeLabels } from './labels/labels.ts'
import { makeMilestones } from './milestones/milestones.ts'
import { makeReactions } from './reactions/reactions.ts'
import { makeClosingReferences } from './references/closing-references.ts'
import { makeCommitReferences } from './references/commit-references.ts'
import { makeConnections } from './references/connections.ts'
import { makeDuplicates } from './references/duplicates.ts'
import { connectLinked, makeLinkedBranches } from './references/linked-branches.ts'
import { makeMergeClosing } from './references/merge-closing.ts'
import { makeTextNotes } from './references/text-notes.ts'
import { makeIssueSearch } from './search/issue-search.ts'
import { makeCommentItems } from './timeline/comment-items.ts'
import { makeCrossReferences } from './timeline/cross-references.ts'
import { makeTimeline } from './timeline/timeline.ts'
import { makeTransfers } from './transfers.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  activity: ActivityRecord
  people: People
  git: Git
  gitReading: GitReading
  pushes: Pushes
  refs: RefWriting
  origin: string | undefined
  /** Restores the actor of an earlier act from a stored credential, with today's rights. */
  recall: Tokens['recall']
}

export function makeIssueServices(needs: Needs) {
  const { store, clock, log, jobs, activity, people, git, gitReading, pushes, refs, origin, recall } = needs
  const noteText = makeTextNotes({ origin })
  const reading = makeIssueReading({ store })
  const states = makeIssueStates({ activity })
  const duplicates = makeDuplicates({ store, clock, origin })
  const timeline = makeTimeline({ store })
  timeline.add(makeCommentItems({ store }))
  timeline.add(makeCrossReferences({ store, reading }))
  const commitReferences = makeCommitReferences({
    ...{ store, clock, log, jobs, git, pushes, states, origin, recall },
    reading: gitReading,
  })
  const changes = makeAssigneeChanges({ activity })
  const opening = makeIssueOpening({ activity, assignees: changes, noteText })
  return {
    /** For other modules only; callers do not get these. */
    ties: {
      noteText,
      commitReferences,
      connectLinked,
      afterMerge: makeMergeClosing({ states, commitReferences, origin }),
    },
    verbs: {
      issues: makeIssues({ store, clock, activity, reading, opening, states, assignees: changes, noteText }),
      issueReading: reading,
      issueStates: states,
      issueOpening: opening,
      issueLists: makeIssueLists({ store }),
      issueMarks: makeIssueMarks({ store, clock, activity }),
      issueEvents: makeIssueEvents({ store, reading }),
      issueSearch: makeIssueSearch({ store }),
      issueDeletion: makeIssueDeletion({ store, clock, activity, reading }),
      assignees: makeAssignees({ store, clock, reading, changes }),
      blocking: makeBlocking({ store, clock, people, activity }),
      closingReferences: makeClosingReferences({ store, reading, origin }),
      comments: makeComments({ store, clock, activity, noteText, noteDuplicate: duplicates.note }),
      connections: makeConnections({ store, clock }),
      duplicates,
      labels: makeLabels({ store, clock, activity }),
      linkedBranches: makeLinkedBranches({ store, clock, pushes, refs }),
      milestones: makeMilestones({ store, clock, activity }),
      reactions: makeReactions({ store, clock }),
      timeline,
      transfers: makeTransfers({ store, clock, activity, reading }),
    },
  }
}
