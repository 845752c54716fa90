/** Handles a text that is written in an issue: its mentions and references. */
import type { Db } from '../../store/schema/schema.ts'
import type { Mentions } from '../activity/activity.ts'
import type { IssueAct } from './issue-act.ts'

export type WrittenText = {
  readonly act: IssueAct
  readonly issueId: number
  readonly text: string
  /** The text before an edit; empty for a new text. */
  readonly formerText: string
}

/**
 * Records, within the act's transaction, the new mentions with their events, and the issues that the text names.
 * Answers the new mentions.
 */
export type NoteText = (trx: Db, written: WrittenText) => Promise<Mentions>

export const nobody: Mentions = { users: [], teams: [] }
