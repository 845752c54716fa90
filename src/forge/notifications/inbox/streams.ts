/** Streams of inbox changes: each subscriber is told of every change to their inbox, on whichever server. */

import { Failure } from '../../../lib/failure.ts'
import type { Store } from '../../../store/store.ts'
import type { SelfAccess } from '../../access/self-access.ts'
import type { Inbox } from './inbox.ts'
import { type InboxChanges, inboxChannel } from './inbox-changes.ts'

export type InboxState = { readonly change: number; readonly modifiedAt: Date; readonly unread: number }

export type StreamListener = {
  /** The state after a change. Changes in quick succession may come as one. */
  tell(state: InboxState): void
  end(): void
}

/** Streams of one account on one server: enough for browser tabs and a few tools. */
export const mostStreams = 20

type Subscriber = { readonly wake: () => void; readonly end: () => void }

type Needs = { store: Store; inbox: Inbox; changes: InboxChanges }

export type InboxStreams = ReturnType<typeof makeInboxStreams>

export function makeInboxStreams({ store, inbox, changes }: Needs) {
  const subscribers = new Map<number, Set<Subscriber>>()

  const listeners = new Set<(userIds: readonly number[] | undefined) => void>()

  store.listen(inboxChannel, (payload) => {
    const named = payload?.split(',').map(Number)
    for (const listener of listeners) listener(named)
    for (const user of named ?? [...subscribers.keys()])
      for (const subscriber of subscribers.get(user) ?? []) subscriber.wake()
  })

  const read = async (userId: number): Promise<InboxState> => {
    const { change, modifiedAt } = await changes.read(userId)
    return { change, modifiedAt: new Date(modifiedAt), unread: await inbox.countUnread(userId) }
  }

  return {
    read: ({ actor }: SelfAccess): Promise<InboxState> => read(actor.account.id),

    /**
     * Opens a stream; the function it returns closes it. `since` is the last change that the listener knows: later ones
     * are told at once. `mayStill` is asked before each message, and a listener without access is ended.
     */
    open({ actor }: SelfAccess, since: number, mayStill: () => Promise<boolean>, listener: StreamListener): () => void {
      const userId = actor.account.id
      const own = subscribers.get(userId) ?? new Set<Subscriber>()
      if (own.size >= mostStreams) {
        throw new Failure('limited', 'secondary-limit', `At most ${mostStreams} streams at a time: close one first.`, {
          retryAfterSeconds: 60,
        })
      }
      let known = since
      let isOpen = true
      let isBusy = false
      let isWoken = false

      function close(): void {
        isOpen = false
        own.delete(subscriber)
        if (own.size === 0 && subscribers.get(userId) === own) subscribers.delete(userId)
      }

      async function look(): Promise<void> {
        const state = await read(userId)
        if (!isOpen || state.change <= known) return
        if (!(await mayStill())) {
          close()
          return listener.end()
        }
        if (!isOpen) return
        known = state.change
        listener.tell(state)
      }

      /** Only one read at a time; a wake-up meanwhile causes one more. */
      async function wake(): Promise<void> {
        isWoken = true
        if (isBusy) return
        isBusy = true
        try {
          while (isWoken && isOpen) {
            isWoken = false
            await look()
          }
        } catch {
          // The database is away: the client reconnects with the last change it knows.
          close()
          listener.end()
        } finally {
          isBusy = false
        }
      }

      const subscriber: Subscriber = {
        wake: () => void wake(),
        end: () => {
          close()
          listener.end()
        },
      }
      own.add(subscriber)
      subscribers.set(userId, own)
      void wake()
      return close
    },

    /** The users whose inboxes changed, on any server; undefined if changes may have been missed. */
    onChange(listener: (userIds: readonly number[] | undefined) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    /** The server stops: clients should connect to another one. */
    close(): void {
      for (const own of [...subscribers.values()]) for (const { end } of [...own]) end()
    },
  }
}
