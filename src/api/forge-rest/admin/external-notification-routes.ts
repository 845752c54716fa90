/** Routes by which other systems deliver notifications with an admin's token: builds, deployments, security alerts. */

import type { Opening } from '../../../forge/access/opening.ts'
import { invalidField } from '../../../forge/failures.ts'
import { reasons } from '../../../forge/notifications/delivery/reasons.ts'
import type { Notifications } from '../../../forge/notifications/notifications.ts'
import type { People } from '../../../forge/people/people.ts'
import { Failure } from '../../../lib/failure.ts'
import { siteAdmin } from '../doors.ts'
import { created, noContent } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { NullableText, OneOf, Optional, Shape, Text } from '../schemas.ts'

/**
 * The subject is an issue or pull of this repository: the notification joins the thread that all its activity is in.
 */
const issueAddress = /\/repos\/([^/]+\/[^/]+)\/(?:issues|pulls)\/(\d{1,15})$/

type Needs = {
  notifications: Notifications
  opening: Opening
  people: People
}

export const externalNotificationRoutes = ({ notifications, opening, people }: Needs): readonly Route[] => [
  route('POST /admin/notifications', {
    door: siteAdmin,
    resource: 'Notification',
    id: 'deliver-a-notification',
    summary: 'Delivers a notification from another system to a user who can read the repository.',
    body: Shape({
      login: Text(39, 1),
      repository: Text(140, 3),
      reason: OneOf(...reasons),
      subject: Shape({
        title: Text(1024, 1),
        type: Text(64, 1),
        url: Optional(NullableText(2048)),
        latest_comment_url: Optional(NullableText(2048)),
      }),
    }),
    async handle({ target, actor, body, view }) {
      const { login, reason, subject } = body
      const [owner = '', name = ''] = body.repository.split('/')
      const repository = await opening.find(actor, { owner, name })
      if (!repository) throw invalidField('repository', 'missing', `There is no repository ${owner}/${name}.`)
      const recipient = await people.get(login, 'user').catch((error) => {
        if (!(error instanceof Failure) || error.kind !== 'not-found') throw error
        throw invalidField('login', 'missing', `There is no user ${login}.`)
      })
      const [, fullName, number] = issueAddress.exec(subject.url ?? '') ?? []
      const isOwn = fullName?.toLowerCase() === body.repository.toLowerCase()
      const id = await notifications.external.deliver(target, {
        recipient,
        repository,
        reason,
        subject: {
          type: subject.type,
          title: subject.title,
          url: subject.url ?? undefined,
          latestCommentUrl: subject.latest_comment_url ?? undefined,
          issueNumber: isOwn ? Number(number) : undefined,
        },
      })
      if (id === undefined) return noContent()
      const url = `${view.base}/notifications/threads/${id}`
      return created({ id: String(id), url, subscription_url: `${url}/subscription` }, url)
    },
  }),
]
