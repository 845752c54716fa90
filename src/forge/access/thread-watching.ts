/** Watching issues and pulls: before each notice, the watcher must be allowed to read both in the repository. */
import type { Actor } from '../../accounts/actor.ts'
import { Failure } from '../../lib/failure.ts'
import type { Store } from '../../store/store.ts'
import { listenToThreads, type ThreadChange } from '../activity/thread-changes.ts'
import type { Opening, RepositoryNeed } from './opening.ts'
import { everyTokenKind } from './required-grant.ts'

const needs: readonly RepositoryNeed[] = (['issues', 'pull_requests'] as const).map((name) => ({
  tokens: everyTokenKind,
  scopes: ['repo'],
  permissions: [{ name, level: 'read' }],
  level: 'read',
  signIn: false,
  writes: false,
}))

type Needs = { readonly store: Store; readonly opening: Opening }

export const makeThreadWatching = ({ store, opening }: Needs) => ({
  onChange: (listener: (change: ThreadChange | undefined) => void): (() => void) => listenToThreads(store, listener),

  async mayWatch(actor: Actor, repositoryId: number): Promise<boolean> {
    try {
      for (const need of needs) await opening.open(actor, { id: repositoryId }, need)
      return true
    } catch (error) {
      if (error instanceof Failure && error.kind !== 'unavailable') return false
      throw error
    }
  },
})
