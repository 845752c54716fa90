/** The route that tells hooks of an event that the caller makes up. */
import { invalidField } from '../../../forge/failures.ts'
import type { RepositoryDispatch } from '../../../forge/repositories/repository-dispatch.ts'
import { changed } from '../doors.ts'
import { done } from '../outcomes.ts'
import { type Route, route } from '../route.ts'
import { Optional, Shape, Text, Type } from '../schemas.ts'

/** The public platform's bounds. */
const maxMembers = 10
const maxBytes = 64 * 1024

export const dispatchRoutes = ({ dispatching }: { dispatching: RepositoryDispatch }): readonly Route[] => [
  route('POST /repos/:owner/:repo/dispatches', {
    id: 'create-a-repository-dispatch-event',
    summary: 'Tells the hooks that listen to `repository_dispatch` of an event of the caller’s own.',
    door: changed('write'),
    permission: 'contents=write',
    body: Shape({
      event_type: Text(100, 1),
      client_payload: Optional(Type.Object({}, { additionalProperties: true, maxProperties: maxMembers })),
    }),
    async handle({ target, body: { event_type: event, client_payload: payload = {} } }) {
      if (Buffer.byteLength(JSON.stringify(payload)) > maxBytes)
        throw invalidField('client_payload', 'invalid', `A payload has ${maxBytes / 1024} KiB at most.`)
      return done(dispatching.dispatch(target, event, payload))
    },
  }),
]
