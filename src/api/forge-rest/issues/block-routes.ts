/** Routes of blocks: users whom an organisation excludes from its repositories. */
import type { Opening } from '../../../forge/access/opening.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { Blocking, BlockReason } from '../../../forge/issues/blocking.ts'
import { organisation } from '../doors.ts'
import { done, pageOf, whether } from '../outcomes.ts'
import { presentUser } from '../people/present-people.ts'
import { type ForgeCall, type Route, route, usualPage } from '../route.ts'
import { Optional, Shape, Text } from '../schemas.ts'

const owned = { door: organisation('owner'), resource: 'Block' } as const
const reads = 'organization_user_blocking=read'
const writes = 'organization_user_blocking=write'

/** The address of an issue or a pull, of the API or of a page. */
const issueAddress = /\/([^/?#]+)\/([^/?#]+)\/(?:issues|pulls?)\/(\d{1,15})$/

async function findReason(
  opening: Opening,
  { actor }: ForgeCall,
  url: string | undefined,
): Promise<BlockReason | undefined> {
  if (url === undefined) return undefined
  const [, owner = '', name = '', number = ''] = issueAddress.exec(url) ?? []
  const repository = await opening.find(actor, { owner, name })
  if (!repository) throw invalidField('issue_url', 'invalid', 'Give the address of an issue.')
  return { repository, number: Number(number) }
}

export const blockRoutes = ({ blocking, opening }: { blocking: Blocking; opening: Opening }): readonly Route[] => [
  route('GET /orgs/:org/blocks', {
    ...owned,
    id: 'list-users-blocked-by-an-organization',
    summary: 'Lists the users whom the organisation has blocked.',
    permission: reads,
    pageSize: usualPage,
    handle: ({ target, page, view }) => pageOf(blocking.list(target, page), presentUser, view),
  }),
  route('GET /orgs/:org/blocks/:username', {
    ...owned,
    id: 'check-if-a-user-is-blocked-by-an-organization',
    summary: '204 for a blocked user, 404 for others.',
    permission: reads,
    handle: ({ target, params }) => whether(blocking.isBlocked(target, params.username)),
  }),
  route('PUT /orgs/:org/blocks/:username', {
    ...owned,
    id: 'block-a-user-from-an-organization',
    summary: 'Blocks a user; `issue_url` names the issue that is the reason, and the block appears in its events.',
    permission: writes,
    body: Shape({ issue_url: Optional(Text(500)) }),
    async handle(call) {
      const { target, params, body } = call
      return done(blocking.block(target, params.username, await findReason(opening, call, body.issue_url)))
    },
  }),
  route('DELETE /orgs/:org/blocks/:username', {
    ...owned,
    id: 'unblock-a-user-from-an-organization',
    summary: 'Unblocks a user.',
    permission: writes,
    handle: ({ target, params }) => done(blocking.unblock(target, params.username)),
  }),
]
