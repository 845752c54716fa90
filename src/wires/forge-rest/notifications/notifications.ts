/** Notifications: the inbox and a repository's part of it, threads one by one, and their subscriptions. */
import type { Repository } from '../../../forge/access/repository.ts'
import type { Reader } from '../../../forge/notifications/inbox.ts'
import { type Answer, ok } from '../answer.ts'
import { seen, signedIn } from '../doors.ts'
import { done } from '../outcomes.ts'
import { formatHttpDate } from '../pipeline/polling.ts'
import { parseTime, readId } from '../query.ts'
import { type Call, type Route, route } from '../route.ts'
import { Flag, NullableText, Optional, Shape } from '../schemas.ts'
import { openEventStream } from './event-stream.ts'
import { markUrl, presentInbox, presentMark, presentSubscription, presentThread } from './present-notifications.ts'

/** Other tokens are refused: a fine-grained one is for some repositories, and an inbox is about all. */
const grant = { tokens: ['classic'], scopes: ['notifications', 'repo'] } as const
const own = { door: signedIn, resource: 'Notification', ...grant } as const
const ofRepository = { door: seen('read'), resource: 'Notification', ...grant } as const

const MarkBody = Shape({ last_read_at: Optional(NullableText(40)), read: Optional(Flag) })
type MarkBody = { last_read_at?: string | null; read?: boolean }

/** Whoever knows the newest state is told so after one look-up. */
async function listThreads(call: Call, reader: Reader, repository?: Repository): Promise<Answer> {
  const { forge, query, page, view, modifiedSince } = call
  const { inbox } = forge.notifications
  const [since, before] = [query.time('since'), query.time('before')]
  const { modifiedAt } = await inbox.settle(reader)
  const headers = { 'last-modified': formatHttpDate(new Date(modifiedAt)) }
  if (modifiedSince !== undefined && modifiedAt <= modifiedSince) return { status: 304, headers }
  const which = query.flag('done') ? 'done' : query.flag('all') ? 'all' : 'unread'
  const filter = { which, isParticipating: query.flag('participating'), since, before, repository } as const
  const { total, items } = await inbox.list(reader, filter, page)
  return { status: 200, headers, total, body: items.map((thread) => presentThread(thread, view)) }
}

async function markThreads(call: Call<unknown, MarkBody>, reader: Reader, repository?: Repository): Promise<Answer> {
  const { forge, body, view } = call
  const { last_read_at: given } = body
  const upTo = given === undefined || given === null ? undefined : parseTime('last_read_at', given)
  if (body.read === false) return { status: 205 }
  await forge.notifications.inbox.settle(reader)
  const mark = await forge.notifications.marking.markAll(reader, { upTo, repository })
  if (!mark) return { status: 205 }
  const message = 'There are too many notifications to mark at once: they are marked in the background.'
  return { status: 202, body: { message, url: markUrl(mark, view) } }
}

const wantsEvents = (accept: string): boolean => accept.includes('text/event-stream')

export const notificationRoutes: readonly Route[] = [
  route('GET /notifications', {
    ...own,
    id: 'list-notifications-for-the-authenticated-user',
    summary:
      'One’s threads, the newest first: the unread ones, `all=true` for read ones as well, `done=true` for those done.',
    spansOrganisations: true,
    isPolled: true,
    pageSize: { usual: 50, most: 50 },
    handle: (call) => listThreads(call, call.target),
  }),
  route('PUT /notifications', {
    ...own,
    id: 'mark-notifications-as-read',
    summary: 'Marks all threads as read, or those not updated after `last_read_at`; very many in the background.',
    body: MarkBody,
    handle: (call) => markThreads(call, call.target),
  }),
  route('GET /notifications/marks/:mark_id', {
    ...own,
    id: 'get-a-background-mark',
    summary: 'How far marking in the background has come.',
    async handle({ forge, target, params, view }) {
      return ok(presentMark(await forge.notifications.marking.find(target, readId(params.mark_id)), view))
    },
  }),
  route('GET /notifications/stream', {
    ...own,
    id: 'stream-notifications',
    summary:
      'Server-sent events after each change of one’s inbox, for `Accept: text/event-stream`; else its state as JSON.',
    isLive: wantsEvents,
    async handle(call) {
      const { target } = call
      const { streams } = call.forge.notifications
      if (!wantsEvents(call.accept)) return ok(presentInbox(await streams.read(target)))
      const bytes = async () =>
        openEventStream(streams, {
          self: target,
          lastEventId: call.header('last-event-id'),
          openAgain: () => call.openAgain(),
        })
      // A connection that a stream has ended on is not worth keeping: a server that stops would wait for it.
      const headers = { connection: 'close' }
      return { status: 200, headers, raw: { type: 'text/event-stream; charset=utf-8', bytes } }
    },
  }),
  route('GET /notifications/threads/:thread_id', {
    ...own,
    id: 'get-a-thread',
    summary: 'One thread.',
    async handle({ forge, target, params, view }) {
      const { inbox } = forge.notifications
      await inbox.settle(target)
      return ok(presentThread(await inbox.find(target, readId(params.thread_id)), view))
    },
  }),
  route('PATCH /notifications/threads/:thread_id', {
    ...own,
    id: 'mark-a-thread-as-read',
    summary: 'Marks a thread as read.',
    async handle({ forge, target, params }) {
      await forge.notifications.inbox.markRead(target, readId(params.thread_id))
      return { status: 205 }
    },
  }),
  route('DELETE /notifications/threads/:thread_id', {
    ...own,
    id: 'mark-a-thread-as-done',
    summary: 'Marks a thread as done: it is in no list but `?done=true`, until there is news of it.',
    handle: ({ forge, target, params }) => done(forge.notifications.inbox.markDone(target, readId(params.thread_id))),
  }),
  route('GET /notifications/threads/:thread_id/subscription', {
    ...own,
    id: 'get-a-thread-subscription-for-the-authenticated-user',
    summary: 'Whether one follows a thread or ignores it, and why.',
    async handle({ forge, target, params, view }) {
      const { subscriptions, inbox } = forge.notifications
      await inbox.settle(target)
      return ok(presentSubscription(await subscriptions.get(target, readId(params.thread_id)), view))
    },
  }),
  route('PUT /notifications/threads/:thread_id/subscription', {
    ...own,
    id: 'set-a-thread-subscription',
    summary: 'Follows a thread, or with `ignored` hears nothing of it until one comments or is mentioned.',
    body: Shape({ ignored: Optional(Flag), subscribed: Optional(Flag) }),
    async handle({ forge, target, params, body: { ignored = false }, view }) {
      const { subscriptions } = forge.notifications
      const id = readId(params.thread_id)
      const set = ignored ? subscriptions.ignore(target, id) : subscriptions.subscribe(target, id)
      return ok(presentSubscription(await set, view))
    },
  }),
  route('DELETE /notifications/threads/:thread_id/subscription', {
    ...own,
    id: 'delete-a-thread-subscription',
    summary: 'Leaves a thread until one comments or is mentioned; who watches the repository is still told.',
    handle: ({ forge, target, params }) =>
      done(forge.notifications.subscriptions.mute(target, readId(params.thread_id))),
  }),
  route('GET /repos/:owner/:repo/notifications', {
    ...ofRepository,
    id: 'list-repository-notifications-for-the-authenticated-user',
    summary: 'One’s threads of a repository, as in the whole list.',
    isPolled: true,
    pageSize: { usual: 30, most: 100 },
    handle: (call) => listThreads(call, call.target, call.target.repository),
  }),
  route('PUT /repos/:owner/:repo/notifications', {
    ...ofRepository,
    id: 'mark-repository-notifications-as-read',
    summary: 'Marks one’s threads of a repository as read, as for all of them.',
    body: MarkBody,
    handle: (call) => markThreads(call, call.target, call.target.repository),
  }),
]
