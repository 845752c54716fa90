/** Checks as the modules see them, and what several of them come to. */
import type { CheckConclusion, CheckStatus } from '../../store/schema/check-tables.ts'
import type { App } from '../apps/app.ts'

export type { CheckConclusion, CheckStatus }

export type CheckOutput = { readonly title: string; readonly summary: string; readonly text: string | null }

/** An open pull of which the commit is the head. */
export type CheckedPull = {
  readonly id: number
  readonly number: number
  readonly headRef: string
  readonly baseRef: string
  readonly baseSha: string
}

type Common = {
  readonly id: number
  readonly sha: string
  readonly status: CheckStatus
  readonly conclusion: CheckConclusion | null
  readonly app: App | null
  readonly pulls: readonly CheckedPull[]
}

export type CheckRun = Common & {
  readonly suiteId: number
  readonly name: string
  readonly externalId: string | null
  readonly detailsUrl: string | null
  readonly startedAt: Date | null
  readonly completedAt: Date | null
  readonly output: CheckOutput | null
  readonly annotationCount: number
}

export type CheckSuite = Common & {
  readonly headBranch: string | null
  readonly latestCount: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type Annotation = {
  readonly path: string
  readonly startLine: number
  readonly endLine: number
  readonly startColumn: number | null
  readonly endColumn: number | null
  readonly level: 'notice' | 'warning' | 'failure'
  readonly title: string | null
  readonly message: string
  readonly rawDetails: string | null
}

export type CheckState = Pick<Common, 'status' | 'conclusion'>

/** In this order the first that any has. */
const conclusions = [
  ...(['failure', 'timed_out', 'action_required', 'cancelled', 'stale'] as const),
  ...(['success', 'neutral', 'skipped'] as const),
]

/** What the newest run of each name comes to. */
export function concludeSuite(runs: readonly CheckState[]): CheckState {
  if (runs.length === 0) return { status: 'queued', conclusion: null }
  const open = runs.filter(({ status }) => status !== 'completed')
  if (open.length === 0) {
    const conclusion = conclusions.find((each) => runs.some((run) => run.conclusion === each)) ?? null
    return { status: 'completed', conclusion }
  }
  const isBegun = runs.some(({ status }) => status === 'in_progress' || status === 'completed')
  return { status: isBegun ? 'in_progress' : 'queued', conclusion: null }
}

const fine: ReadonlySet<string | null> = new Set(['success', 'neutral', 'skipped'])

/** In the words of statuses. */
export function toStatusState({ status, conclusion }: CheckState): 'success' | 'failure' | 'pending' {
  if (status !== 'completed') return 'pending'
  return fine.has(conclusion) ? 'success' : 'failure'
}
