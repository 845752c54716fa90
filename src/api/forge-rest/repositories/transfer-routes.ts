/** The route that gives a repository another owner. */
import { parsePermissions, personalTokenKinds } from '../../../forge/access/required-grant.ts'
import type { Transferring } from '../../../forge/repositories/transferring.ts'
import { changed } from '../doors.ts'
import { type Route, route } from '../route.ts'
import { List, Optional, Shape, Text, Whole } from '../schemas.ts'
import { presentListedRepository } from './present-repository.ts'

const permission = 'administration=write'
const creating = {
  tokens: personalTokenKinds,
  scopes: ['public_repo', 'repo'],
  permissions: parsePermissions(permission),
}

export const transferRoutes = ({ transferring }: { transferring: Transferring }): readonly Route[] => [
  route('POST /repos/:owner/:repo/transfer', {
    id: 'transfer-a-repository',
    summary:
      'Gives a repository to oneself or to an organisation in which one may make repositories; admins of the server give it to anyone. Its former address leads to it.',
    door: changed('admin', { evenArchived: true }),
    tokens: personalTokenKinds,
    permission,
    createsContent: true,
    body: Shape({
      new_owner: Text(39, 1),
      new_name: Optional(Text(100, 1)),
      team_ids: Optional(List(Whole, { maxItems: 100 })),
    }),
    async handle({ target, body, view }) {
      const draft = { newOwner: body.new_owner, newName: body.new_name, teamIds: body.team_ids ?? [] }
      const repository = await transferring.transfer(target, draft, creating)
      return { status: 202, body: presentListedRepository(repository, view) }
    },
  }),
]
