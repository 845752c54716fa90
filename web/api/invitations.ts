/** An accepted invitation leaves the inbox. */
import { read, repositoryPath } from './forge.ts'
import { changeThreads, type Thread } from './notifications.ts'

/** `name` is `owner/name`. The acceptance counts, whether or not this works. */
export async function clearInvitation(name: string): Promise<void> {
  const [owner = '', repo = ''] = name.split('/')
  try {
    const query = { all: true, q: 'Invitation', per_page: 50 }
    const threads = await read<readonly Thread[]>(repositoryPath(owner, repo, 'notifications'), query)
    const ids = threads.filter(({ subject }) => subject.type === 'RepositoryInvitation').map(({ id }) => id)
    if (ids.length > 0) await changeThreads(ids, { state: 'done' })
  } catch {
    // It can still be marked as done in the inbox.
  }
}
