/** Payloads about repositories themselves and who may do what in them and in organisations. */
import { presentMembership, presentUser } from '../people/present-people.ts'
import { nodeId } from '../view.ts'
import { personOf } from './issue-parts.ts'
import { type Part, presentHookRepository } from './part.ts'

const repository: Part = async ({ source, repository, view, forge }) => {
  if (repository) return { repository: presentHookRepository(repository, view) }
  // It is gone; what it was called and whose it was is told by the act.
  const owner = await forge.people.getById(source.data.ownerId)
  const { name } = source.data
  return {
    repository: {
      id: source.repositoryId,
      node_id: nodeId('Repository', source.repositoryId ?? 0),
      name,
      full_name: `${owner.login}/${name}`,
      owner: presentUser(owner, view),
    },
  }
}

const member: Part = async (context) => ({ member: await personOf(context, context.source.subjectId ?? 0) })

const organization: Part = async (context) => {
  const { forge, source, action, view } = context
  const user = await forge.people.getById(source.subjectId ?? 0)
  const organisation = await forge.people.getById(source.organisationId ?? 0)
  const { role = 'member' } = source.data
  if (action === 'member_invited')
    return {
      user: presentUser(user, view),
      invitation: {
        id: user.id,
        node_id: nodeId('OrganizationInvitation', user.id),
        login: user.login,
        email: null,
        role: role === 'admin' ? 'admin' : 'direct_member',
        created_at: new Date(source.at).toISOString(),
        failed_at: null,
        failed_reason: null,
        inviter: presentUser(context.sender, view),
        team_count: 0,
        invitation_teams_url: `${view.base}/organizations/${organisation.id}/invitations/${user.id}/teams`,
      },
    }
  return { membership: presentMembership({ organisation, user, role, state: 'active' }, view) }
}

export const peopleParts = { repository, member, organization } as const satisfies Record<string, Part>
