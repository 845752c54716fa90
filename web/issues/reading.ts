/** Marks the notification of an issue or a pull as read once its page shows it. */
import { useEffect, useRef } from 'preact/hooks'
import { read, repositoryPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { changeThreads, type Thread } from '../api/notifications.ts'
import { useUnread } from '../app/unread.ts'

/** The largest page of notifications. */
const most = 50

/** Asks when the page opens, if the inbox has unread threads at all, and whenever it gets more of them. */
export function useReadThread(repository: Repository, { number, title }: { number: number; title: string }): void {
  const unread = useUnread()
  const before = useRef(0)
  const markedAt = useRef('')
  const { name } = repository
  const owner = repository.owner.login
  useEffect(() => {
    const hasMore = unread > before.current
    before.current = unread
    if (hasMore) void markRead(owner, name, number, title, markedAt).catch(() => {})
  }, [unread, owner, name, number, title])
}

/** `markedAt`: the state that was marked. Somebody who marks it as unread afterwards is not overruled. */
async function markRead(
  owner: string,
  name: string,
  number: number,
  title: string,
  markedAt: { current: string },
): Promise<void> {
  const query = { q: title.slice(0, 200), per_page: most }
  const threads = await read<readonly Thread[]>(repositoryPath(owner, name, 'notifications'), query)
  const found = threads.find(({ subject }) => isOf(subject.url, number))
  if (!found || found.updated_at === markedAt.current) return
  markedAt.current = found.updated_at
  await changeThreads([found.id], { state: 'read' })
}

const isOf = (url: string, number: number): boolean => new RegExp(`/(?:issues|pulls)/${number}$`).test(url)
