/** Hints about changed issues and pulls, for pages that show them: the repository and the issue, nothing else. */
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'

/** Without an issue: a change that several issues show, such as a label or a commit status. */
export type ThreadChange = { readonly repositoryId: number; readonly issueId: number | undefined }

const channel = 'forge-threads'

/** Reaches every server once the write is committed. */
export const noteThreadChange = (store: Store, trx: Db, repositoryId: number, issueId?: number): Promise<void> =>
  store.notify(trx, channel, `${repositoryId}:${issueId ?? ''}`)

/** The listener gets `undefined` when changes may have been missed. */
export const listenToThreads = (store: Store, listener: (change: ThreadChange | undefined) => void): (() => void) =>
  store.listen(channel, (payload) => {
    const [repositoryId, issueId] = payload?.split(':') ?? []
    listener(
      repositoryId ? { repositoryId: Number(repositoryId), issueId: issueId ? Number(issueId) : undefined } : undefined,
    )
  })

const ofThread = /^(?:issue|pull|review|comment)-/
const ofSeveral: ReadonlySet<string> = new Set([
  'label-changed',
  'milestone-changed',
  'status-set',
  'repository-changed',
])

type Recorded = { readonly kind: string; readonly repositoryId?: number; readonly subjectId?: number }

/** The issue or repository whose page an activity changes. */
export function readThreadChange({ kind, repositoryId, subjectId }: Recorded): ThreadChange | undefined {
  if (repositoryId === undefined) return undefined
  if (ofSeveral.has(kind)) return { repositoryId, issueId: undefined }
  return ofThread.test(kind) && subjectId !== undefined ? { repositoryId, issueId: subjectId } : undefined
}
