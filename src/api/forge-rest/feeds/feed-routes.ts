/** Feed routes: recent events, for clients that poll. */
import { notFound } from '../../../forge/failures.ts'
import type { Feeds } from '../../../forge/feeds/feeds.ts'
import type { People } from '../../../forge/people/people.ts'
import { anyone, organisation, readable, seenOrganisation } from '../doors.ts'
import { pageOf } from '../outcomes.ts'
import { type Route, route, usualPage } from '../route.ts'
import { presentFeedEvent } from './present-feed-event.ts'

type Needs = { feeds: Feeds; people: People }

const bounds = 'The newest 300 of the last 90 days; `X-Poll-Interval` says when to ask again.'

const polled = { isPolled: true, pageSize: usualPage } as const

const ofUser = (
  { feeds, people }: Needs,
  path: 'events' | 'events/public' | 'received_events' | 'received_events/public',
  id: string,
  summary: string,
): Route =>
  route(`GET /users/:username/${path}`, {
    ...polled,
    id,
    summary: `${summary} ${bounds}`,
    door: anyone,
    permission: 'metadata=read',
    spansOrganisations: ({ account }, { username }) =>
      !path.endsWith('/public') && username?.toLowerCase() === account?.name.toLowerCase(),
    async handle({ actor, params, page, view }) {
      const user = await people.get(params.username)
      const options = { publicOnly: path.endsWith('/public') }
      const { listReceived, listBy } = feeds
      const list = path.startsWith('received') ? listReceived : listBy
      return pageOf(list(actor, user, page, options), presentFeedEvent, view)
    },
  })

export const feedRoutes = ({ feeds, people }: Needs): readonly Route[] => [
  route('GET /events', {
    ...polled,
    id: 'list-public-events',
    summary: `What happened in public. ${bounds}`,
    door: anyone,
    handle: ({ actor, page, view }) => pageOf(feeds.listPublic(actor, page), presentFeedEvent, view),
  }),
  route('GET /repos/:owner/:repo/events', {
    ...polled,
    id: 'list-repository-events',
    summary: `What happened in the repository. ${bounds}`,
    door: readable,
    permission: 'metadata=read',
    handle: ({ actor, target, page, view }) =>
      pageOf(feeds.listOfRepository(actor, target, page), presentFeedEvent, view),
  }),
  route('GET /networks/:owner/:repo/events', {
    ...polled,
    id: 'list-public-events-for-a-network-of-repositories',
    summary: `What happened in public in the repository and in the forks of its line. ${bounds}`,
    door: readable,
    permission: 'metadata=read',
    handle: ({ actor, target, page, view }) => pageOf(feeds.listOfNetwork(actor, target, page), presentFeedEvent, view),
  }),
  route('GET /orgs/:org/events', {
    ...polled,
    id: 'list-public-organization-events',
    summary: `What happened in public in the organisation’s repositories. ${bounds}`,
    door: seenOrganisation,
    handle: ({ actor, target, page, view }) =>
      pageOf(feeds.listOfOrganisation(actor, target.organisation, page), presentFeedEvent, view),
  }),
  route('GET /users/:username/events/orgs/:org', {
    ...polled,
    id: 'list-organization-events-for-the-authenticated-user',
    summary: `What happened in the repositories of an organisation, for yourself as one of its members. ${bounds}`,
    door: organisation('member'),
    permission: 'organization_events=read',
    async handle({ actor, params, target, page, view }) {
      if (params.username.toLowerCase() !== actor.account?.name.toLowerCase()) throw notFound()
      return pageOf(feeds.listWithinOrganisation(actor, target.organisation, page), presentFeedEvent, view)
    },
  }),
  ofUser(
    { feeds, people },
    'events',
    'list-events-for-the-authenticated-user',
    'What a user did; for themselves including private activity.',
  ),
  ofUser({ feeds, people }, 'events/public', 'list-public-events-for-a-user', 'What a user did in public.'),
  ofUser(
    { feeds, people },
    'received_events',
    'list-events-received-by-the-authenticated-user',
    'What others did in repositories that a user watches, and public activity of people they follow; for themselves including private activity.',
  ),
  ofUser(
    { feeds, people },
    'received_events/public',
    'list-public-events-received-by-a-user',
    'Public activity in repositories that a user watches, and of people they follow.',
  ),
]
