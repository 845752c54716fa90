/** Routes of autolinks: prefixes in texts that lead to another system. */
import type { Repository } from '../../../forge/access/repository.ts'
import type { Autolink, Autolinks } from '../../../forge/autolinks/autolinks.ts'
import { changed, seen } from '../doors.ts'
import { placesOf } from '../git/present-git.ts'
import { done } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, list, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Flag, Optional, Shape, Text } from '../schemas.ts'
import { formatTime, type View } from '../view.ts'

const reads = { door: seen('admin'), permission: 'administration=read', resource: 'Autolink' } as const
const writes = { door: changed('admin'), permission: 'administration=write', resource: 'Autolink' } as const

const presentAutolink = ({ id, prefix, template, isAlphanumeric, updatedAt }: Autolink) => ({
  id,
  key_prefix: prefix,
  url_template: template,
  is_alphanumeric: isAlphanumeric,
  updated_at: formatTime(updatedAt),
})

const addressOf = (repository: Repository, { id }: Autolink, view: View) =>
  `${placesOf(repository, view).url}/autolinks/${id}`

export const autolinkRoutes = ({ autolinks }: { autolinks: Autolinks }): readonly Route[] => [
  route('GET /repos/:owner/:repo/autolinks', {
    ...reads,
    id: 'get-all-autolinks-of-a-repository',
    summary: 'Autolinks, for admins.',
    pageSize: usualPage,
    async handle({ target, page }) {
      return list(await autolinks.list(target.repository, page), presentAutolink)
    },
  }),
  route('POST /repos/:owner/:repo/autolinks', {
    ...writes,
    id: 'create-an-autolink-reference-for-a-repository',
    summary: 'Makes a link of what begins with a prefix: `TICKET-12` leads to an address with 12 in place of `<num>`.',
    body: Shape({ key_prefix: Text(32, 1), url_template: Text(2048, 1), is_alphanumeric: Optional(Flag) }),
    async handle({ target, body, view }) {
      const isAlphanumeric = body.is_alphanumeric ?? true
      const rule = { prefix: body.key_prefix, template: body.url_template, isAlphanumeric }
      const autolink = await autolinks.create(target, rule)
      return created(presentAutolink(autolink), addressOf(target.repository, autolink, view))
    },
  }),
  route('GET /repos/:owner/:repo/autolinks/:autolink_id', {
    ...reads,
    id: 'get-an-autolink-reference-of-a-repository',
    summary: 'An autolink.',
    async handle({ target, params }) {
      return ok(presentAutolink(await autolinks.get(target.repository, readId(params.autolink_id))))
    },
  }),
  route('DELETE /repos/:owner/:repo/autolinks/:autolink_id', {
    ...writes,
    id: 'delete-an-autolink-reference-from-a-repository',
    summary: 'Deletes an autolink.',
    handle: ({ target, params }) => done(autolinks.remove(target, readId(params.autolink_id))),
  }),
]
