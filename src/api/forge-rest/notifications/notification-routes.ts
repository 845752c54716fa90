/** Notifications: the inbox and a repository's part of it, single threads, and their subscriptions. */

import type { Repository } from '../../../forge/access/repository.ts'
import { invalidField } from '../../../forge/failures.ts'
import { reasons } from '../../../forge/notifications/delivery/reasons.ts'
import { type InboxFilter, inboxNeed, type Reader, subjectTypes } from '../../../forge/notifications/inbox/inbox.ts'
import { mostSavedFilters } from '../../../forge/notifications/inbox/saved-filters.ts'
import { listedStates, subscriptionStates } from '../../../forge/notifications/inbox/thread-changes.ts'
import type { Notifications } from '../../../forge/notifications/notifications.ts'
import { splitWords } from '../../../lib/text/split-words.ts'
import { seen, signedIn } from '../doors.ts'
import { done } from '../outcomes.ts'
import { formatHttpDate } from '../pipeline/polling.ts'
import { parseTime, type Query, readId } from '../query.ts'
import { presentRepository } from '../repositories/present-repository.ts'
import { list, ok, type RestAnswer } from '../rest-answer.ts'
import { type ForgeCall, type Route, route, usualPage } from '../route.ts'
import { Flag, List, NullableText, OneOf, Optional, Shape, Text, Type, Whole } from '../schemas.ts'
import { openEventStream } from './event-stream.ts'
import {
  markUrl,
  presentChangedThread,
  presentInbox,
  presentMark,
  presentSubscription,
  presentThread,
  presentThreadWithPage,
} from './present-notifications.ts'

const grant = { tokens: inboxNeed.tokens, scopes: inboxNeed.scopes }
const own = { door: signedIn, resource: 'Notification', ...grant } as const
const ofRepository = { door: seen('read'), resource: 'Notification', ...grant } as const

const MarkBody = Shape({ last_read_at: Optional(NullableText(40)), read: Optional(Flag) })
const ChangeBody = Shape({
  threads: List(Type.Union([Type.String({ pattern: '^[1-9]\\d{0,14}$' }), Whole]), { minItems: 1, maxItems: 100 }),
  state: Optional(OneOf(...listedStates)),
  subscription: Optional(OneOf(...subscriptionStates)),
})
const FiltersBody = Shape({
  filters: List(Shape({ name: Text(100, 1), query: Text(1_000) }), { maxItems: mostSavedFilters }),
})
type MarkBody = { last_read_at?: string | null; read?: boolean }

/** If the client has the newest state, one look-up answers 304. */
async function listThreads(
  notifications: Notifications,
  call: ForgeCall,
  reader: Reader,
  repository?: Repository,
): Promise<RestAnswer> {
  const { query, page, view, modifiedSince } = call
  const { inbox } = notifications
  const [since, before] = [query.time('since'), query.time('before')]
  const { modifiedAt } = await inbox.waitUntilCurrent(reader)
  const headers = { 'last-modified': formatHttpDate(new Date(modifiedAt)) }
  if (modifiedSince !== undefined && modifiedAt <= modifiedSince) return { status: 304, headers }
  const { total, items } = await inbox.list(reader, { ...readFilter(query), since, before, repository }, page)
  const present = query.flag('html_url') ? presentThreadWithPage : presentThread
  return { status: 200, headers, total, body: items.map((thread) => present(thread, view)) }
}

function readFilter(query: Query): InboxFilter {
  const which = query.flag('done') ? 'done' : query.flag('all') ? 'all' : 'unread'
  const words = query.text('q')?.trim()
  return {
    which,
    isParticipating: query.flag('participating'),
    reasons: readSome(query, 'reason', reasons),
    types: readSome(query, 'type', subjectTypes),
    words: words ? splitWords(words.slice(0, mostWordsLength)) : undefined,
  }
}

const mostWordsLength = 200

function readSome<const T extends string>(query: Query, name: string, allowed: readonly T[]): T[] | undefined {
  const given = query.texts(name)
  if (given.length === 0) return undefined
  return [...new Set(given)].map((one) => {
    const found = allowed.find((word) => word === one)
    if (found) return found
    throw invalidField(name, 'invalid', `${name} must be of ${allowed.join(', ')}.`)
  })
}

async function markThreads(
  notifications: Notifications,
  call: ForgeCall<unknown, MarkBody>,
  reader: Reader,
  repository?: Repository,
): Promise<RestAnswer> {
  const { body, view } = call
  const { last_read_at: given } = body
  const upTo = given === undefined || given === null ? undefined : parseTime('last_read_at', given)
  if (body.read === false) return { status: 205 }
  await notifications.inbox.waitUntilCurrent(reader)
  const mark = await notifications.marking.markAll(reader, { upTo, repository })
  if (!mark) return { status: 205 }
  const message = 'There are too many notifications to mark at once: they are marked in the background.'
  return { status: 202, body: { message, url: markUrl(mark, view) } }
}

const wantsEvents = (accept: string): boolean => accept.includes('text/event-stream')

export const notificationRoutes = ({ notifications }: { notifications: Notifications }): readonly Route[] => [
  route('GET /notifications', {
    ...own,
    id: 'list-notifications-for-the-authenticated-user',
    summary:
      'Lists your threads, newest first: unread ones, with `all=true` read ones as well, with `done=true` those marked as done.',
    spansOrganisations: true,
    isPolled: true,
    pageSize: { usual: 50, most: 50 },
    handle: (call) => listThreads(notifications, call, call.target),
  }),
  route('PUT /notifications', {
    ...own,
    id: 'mark-notifications-as-read',
    summary: 'Marks all threads as read, or those not updated after `last_read_at`; very many in the background.',
    body: MarkBody,
    handle: (call) => markThreads(notifications, call, call.target),
  }),
  route('GET /notifications/marks/:mark_id', {
    ...own,
    id: 'get-a-background-mark',
    summary: 'Shows the progress of marking in the background.',
    async handle({ target, params, view }) {
      return ok(presentMark(await notifications.marking.find(target, readId(params.mark_id)), view))
    },
  }),
  route('GET /notifications/stream', {
    ...own,
    id: 'stream-notifications',
    summary:
      'Sends server-sent events after each change of your inbox, for `Accept: text/event-stream`; otherwise its state as JSON.',
    isLive: wantsEvents,
    async handle(call) {
      const { target } = call
      const { streams } = notifications
      if (!wantsEvents(call.accept)) return ok(presentInbox(await streams.read(target)))
      const bytes = async () =>
        openEventStream(streams, {
          self: target,
          lastEventId: call.header('last-event-id'),
          openAgain: () => call.openAgain(),
        })
      // The connection is closed after the stream: a stopping server would otherwise wait for it.
      const headers = { connection: 'close' }
      return { status: 200, headers, raw: { type: 'text/event-stream; charset=utf-8', bytes } }
    },
  }),
  route('GET /notifications/threads/:thread_id', {
    ...own,
    id: 'get-a-thread',
    summary: 'One thread.',
    async handle({ target, params, query, view }) {
      const { inbox } = notifications
      await inbox.waitUntilCurrent(target)
      const thread = await inbox.find(target, readId(params.thread_id))
      return ok(query.flag('html_url') ? presentThreadWithPage(thread, view) : presentThread(thread, view))
    },
  }),
  route('PATCH /notifications/threads', {
    ...own,
    id: 'change-several-threads',
    summary:
      'Changes the `state` of up to 100 threads (`unread`, `read`, `done`), their `subscription` (`none`, `subscribed`, `ignored`, `muted`), or both. Says what each was before. Threads that are not there are left out.',
    body: ChangeBody,
    async handle({ target, body: { threads, state, subscription } }) {
      if (state === undefined && subscription === undefined)
        throw invalidField('state', 'missing_field', 'Give state, subscription, or both.')
      const ids = [...new Set(threads.map((id) => readId(String(id))))]
      const changed = await notifications.threadChanges.change(target, ids, { state, subscription })
      return ok(changed.map(presentChangedThread))
    },
  }),
  route('GET /notifications/repositories', {
    ...own,
    id: 'list-repositories-of-notifications',
    summary:
      'Lists the repositories of your threads with the number of threads of each; takes the filters of the whole list.',
    spansOrganisations: true,
    pageSize: usualPage,
    async handle({ target, query, page, view }) {
      const { inbox } = notifications
      await inbox.waitUntilCurrent(target)
      const [since, before] = [query.time('since'), query.time('before')]
      const shares = await inbox.listRepositories(target, { ...readFilter(query), since, before }, page)
      return list(shares, ({ repository, count }) => ({ repository: presentRepository(repository, view), count }))
    },
  }),
  route('GET /notifications/filters', {
    ...own,
    id: 'list-notification-filters',
    summary: 'Lists your saved inbox filters.',
    handle: async ({ target }) => ok(await notifications.savedFilters.list(target)),
  }),
  route('PUT /notifications/filters', {
    ...own,
    id: 'save-notification-filters',
    summary: `Replaces your saved inbox filters, at most ${mostSavedFilters}.`,
    body: FiltersBody,
    handle: async ({ target, body: { filters } }) => ok(await notifications.savedFilters.save(target, filters)),
  }),
  route('PATCH /notifications/threads/:thread_id', {
    ...own,
    id: 'mark-a-thread-as-read',
    summary: 'Marks a thread as read.',
    async handle({ target, params }) {
      await notifications.inbox.markRead(target, readId(params.thread_id))
      return { status: 205 }
    },
  }),
  route('DELETE /notifications/threads/:thread_id', {
    ...own,
    id: 'mark-a-thread-as-done',
    summary: 'Marks a thread as done: only `?done=true` lists it until it is updated.',
    handle: ({ target, params }) => done(notifications.inbox.markDone(target, readId(params.thread_id))),
  }),
  route('GET /notifications/threads/:thread_id/subscription', {
    ...own,
    id: 'get-a-thread-subscription-for-the-authenticated-user',
    summary: 'Shows whether you follow or ignore a thread, and why.',
    async handle({ target, params, view }) {
      const { subscriptions, inbox } = notifications
      await inbox.waitUntilCurrent(target)
      return ok(presentSubscription(await subscriptions.get(target, readId(params.thread_id)), view))
    },
  }),
  route('PUT /notifications/threads/:thread_id/subscription', {
    ...own,
    id: 'set-a-thread-subscription',
    summary: 'Follows a thread, or with `ignored` mutes it until you comment or are mentioned.',
    body: Shape({ ignored: Optional(Flag), subscribed: Optional(Flag) }),
    async handle({ target, params, body: { ignored = false }, view }) {
      const { subscriptions } = notifications
      const id = readId(params.thread_id)
      const set = ignored ? subscriptions.ignore(target, id) : subscriptions.subscribe(target, id)
      return ok(presentSubscription(await set, view))
    },
  }),
  route('DELETE /notifications/threads/:thread_id/subscription', {
    ...own,
    id: 'delete-a-thread-subscription',
    summary:
      'Unfollows a thread until you comment or are mentioned; if you watch the repository, you are still notified.',
    handle: ({ target, params }) => done(notifications.subscriptions.mute(target, readId(params.thread_id))),
  }),
  route('GET /repos/:owner/:repo/notifications', {
    ...ofRepository,
    id: 'list-repository-notifications-for-the-authenticated-user',
    summary: 'Lists your threads of a repository, as in the whole list.',
    isPolled: true,
    pageSize: { usual: 30, most: 100 },
    handle: (call) => listThreads(notifications, call, call.target, call.target.repository),
  }),
  route('PUT /repos/:owner/:repo/notifications', {
    ...ofRepository,
    id: 'mark-repository-notifications-as-read',
    summary: 'Marks your threads of a repository as read.',
    body: MarkBody,
    handle: (call) => markThreads(notifications, call, call.target, call.target.repository),
  }),
]
