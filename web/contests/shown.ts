/** The data that a contest's pages share, and their addresses. */
import type { Clarification, Contest, ContestProblem } from '../api/contests.ts'

export type Shown = {
  readonly contest: Contest
  /** The newest, newest first. */
  readonly clarifications: readonly Clarification[]
  readonly totalClarifications: number
}

export const contestPath = (id: string, part = ''): string =>
  `/-/contests/${encodeURIComponent(id)}${part && `/${part}`}`

export const problemPath = (contestId: string, { ID }: Pick<ContestProblem, 'ID'>): string =>
  contestPath(contestId, `problems/${encodeURIComponent(ID)}`)

export const isJury = ({ Role }: Contest): boolean => Role === 'jury'
