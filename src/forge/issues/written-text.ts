/** Handles a text that is written in an issue: its mentions and references. */
import type { Db } from '../../store/schema/schema.ts'
import type { Mentions } from '../activity/activity.ts'
import type { IssueAct } from './issue-act.ts'

export type WrittenText = {
  readonly act: IssueAct
  readonly issueId: number
  readonly text: string
  /** What stood there before an edit; empty for what is new. */
  readonly formerText: string
}

/**
 * Records, in the act's own transaction, what the text adds: who is mentioned, with their events, and the issues that it
 * names. Answers those whom it newly mentions.
 */
export type NoteText = (trx: Db, written: WrittenText) => Promise<Mentions>

export const nobody: Mentions = { users: [], teams: [] }
