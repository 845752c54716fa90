/** Notifications as the forge's interface has them. */
import { read, request, send, toPath } from './forge.ts'
import type { Repository } from './forge-types.ts'

export type Subject = {
  readonly title: string
  readonly url: string
  readonly latest_comment_url: string
  readonly type: string
}

export type Thread = {
  readonly id: string
  readonly repository: Repository
  readonly subject: Subject
  readonly reason: string
  readonly unread: boolean
  readonly updated_at: string
  readonly last_read_at: string | null
  readonly html_url: string
}

export type ThreadState = 'unread' | 'read' | 'done'
export type ThreadSubscription = 'none' | 'subscribed' | 'ignored' | 'muted'
export type Standing = { readonly state: ThreadState; readonly subscription: ThreadSubscription }
export type ChangedThread = Standing & { readonly id: string; readonly before: Standing }
export type Share = { readonly repository: Repository; readonly count: number }
export type SavedFilter = { readonly name: string; readonly query: string }

const mostAtOnce = 100

/** Says what each was before. */
export async function changeThreads(ids: readonly string[], change: Partial<Standing>): Promise<ChangedThread[]> {
  const changed: ChangedThread[] = []
  for (let first = 0; first < ids.length; first += mostAtOnce) {
    const threads = ids.slice(first, first + mostAtOnce)
    changed.push(...(await send<ChangedThread[]>('PATCH', '/notifications/threads', { threads, ...change })))
  }
  return changed
}

/** Sets each thread to what it was. */
export async function undoChanges(changed: readonly ChangedThread[]): Promise<void> {
  for (const group of Map.groupBy(changed, ({ before }) => `${before.state} ${before.subscription}`).values())
    await changeThreads(
      group.map(({ id }) => id),
      group[0]!.before,
    )
}

export const countUnread = async (): Promise<number> => (await read<{ unread: number }>('/notifications/stream')).unread

/** Of everything, or of one repository. Very many are marked in the background. */
export const markAllRead = (repository: string | undefined): Promise<Response> =>
  request(repository ? toPath('repos', ...repository.split('/'), 'notifications') : '/notifications', {
    method: 'PUT',
    body: {},
  })

export const readFilters = (): Promise<readonly SavedFilter[]> => read('/notifications/filters')
export const saveFilters = (filters: readonly SavedFilter[]): Promise<readonly SavedFilter[]> =>
  send('PUT', '/notifications/filters', { filters })
