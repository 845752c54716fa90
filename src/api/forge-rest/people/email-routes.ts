/** Routes of one's own mail addresses. */
import type { EmailAddress, EmailAddresses } from '../../../forge/people/email-addresses.ts'
import { signedIn } from '../doors.ts'
import { done, slice } from '../outcomes.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { List, OneOf, Shape, Text, Type } from '../schemas.ts'

const reads = { door: signedIn, scopes: ['user:email'], permission: 'email_addresses=read' } as const
const writes = { door: signedIn, scopes: ['user'], permission: 'email_addresses=write', resource: 'UserEmail' } as const

const Addresses = List(Text(255, 3), { minItems: 1, maxItems: 20 })
/** One, some, or an object that has them. */
const EmailsBody = Type.Union([Shape({ emails: Addresses }), Addresses])
type Given = { emails: string[] } | string[]
const readEmails = (body: Given): string[] => (Array.isArray(body) ? body : body.emails)

const presentAddress = ({ email, isPrimary, isPublic }: EmailAddress) => ({
  email,
  primary: isPrimary,
  verified: true,
  visibility: isPrimary ? (isPublic ? 'public' : 'private') : null,
})

export const emailRoutes = ({ emailAddresses }: { emailAddresses: EmailAddresses }): readonly Route[] => [
  route('GET /user/emails', {
    ...reads,
    id: 'list-email-addresses-for-the-authenticated-user',
    summary: 'One’s own addresses.',
    pageSize: usualPage,
    async handle({ target, page }) {
      return list(slice(await emailAddresses.list(target), page), presentAddress)
    },
  }),
  route('POST /user/emails', {
    ...writes,
    id: 'add-an-email-address-for-the-authenticated-user',
    summary: 'Adds addresses, by which one’s commits are known. No mail is sent.',
    body: EmailsBody,
    async handle({ target, body }) {
      return created((await emailAddresses.add(target, readEmails(body as Given))).map(presentAddress))
    },
  }),
  route('DELETE /user/emails', {
    ...writes,
    id: 'delete-an-email-address-for-the-authenticated-user',
    summary: 'Takes addresses back; the primary one is changed in the profile.',
    body: EmailsBody,
    handle: ({ target, body }) => done(emailAddresses.remove(target, readEmails(body as Given))),
  }),
  route('GET /user/public_emails', {
    ...reads,
    id: 'list-public-email-addresses-for-the-authenticated-user',
    summary: 'Those of one’s addresses that everyone sees.',
    pageSize: usualPage,
    async handle({ target, page }) {
      const shown = (await emailAddresses.list(target)).filter(({ isPublic }) => isPublic)
      return list(slice(shown, page), presentAddress)
    },
  }),
  route('PATCH /user/email/visibility', {
    ...writes,
    id: 'set-primary-email-visibility-for-the-authenticated-user',
    summary: 'Whether everyone sees one’s primary address.',
    body: Shape({ visibility: OneOf('public', 'private') }),
    async handle({ target, body }) {
      const shown = await emailAddresses.setVisibility(target, body.visibility === 'public')
      return ok(shown.map(presentAddress))
    },
  }),
]
