/** Parts of payloads for repositories, organisations, members and teams. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { TeamWithParent } from '../../../forge/people/team.ts'
import { presentMembership, presentOrganisation, presentUser } from '../people/present-people.ts'
import { presentTeam } from '../people/present-teams.ts'
import { formatTime, nodeId } from '../view.ts'
import { personOf } from './issue-parts.ts'
import { findShown, type PartContext, type PayloadPart, presentHookRepository, revive } from './part.ts'

const repository: PayloadPart = async (context) => {
  const { source, repository, view, action } = context
  if (repository)
    return {
      repository: presentHookRepository(repository, view),
      ...(source.data.changes && {
        changes: action === 'transferred' ? await presentFormerOwner(context) : presentChanges(source.data.changes),
      }),
    }
  return { repository: presentHookRepository(revive<OpenRepository>(source.data.gone.repository), view) }
}

/** The public platform nests a changed name in `repository`. */
const presentChanges = ({ repository, ...rest }: Record<string, { from: unknown }>) => ({
  ...(repository && { repository: { name: repository } }),
  ...rest,
})

async function presentFormerOwner({ services, source, view }: PartContext) {
  const former = await services.people.getById(source.data.changes.owner.from.id)
  const shown =
    former.kind === 'organisation'
      ? { organization: presentOrganisation(former, view) }
      : { user: presentUser(former, view) }
  return { owner: { from: shown } }
}

const fork: PayloadPart = async (context) => {
  const forkee = await findShown(context, context.source.subjectId ?? 0)
  return forkee && { forkee: presentHookRepository(forkee, context.view) }
}

const star: PayloadPart = async ({ source, action }) => ({
  starred_at: action === 'created' ? formatTime(new Date(source.at)) : null,
})

const repositoryDispatch: PayloadPart = async ({ source, repository }) => ({
  branch: repository.defaultBranch,
  client_payload: source.data.gone.payload,
})

const nothingElse: PayloadPart = async () => ({})

const team: PayloadPart = async (context) => {
  const { source, view } = context
  const { gone, changes, repositoryId } = source.data
  const repository = repositoryId === undefined ? undefined : await findShown(context, repositoryId)
  return {
    team: presentTeam(revive<TeamWithParent>(gone.team), view),
    ...(repository && { repository: presentHookRepository(repository, view) }),
    ...(changes && { changes }),
  }
}

const teamAdd: PayloadPart = async ({ source, view }) => ({
  team: presentTeam(revive<TeamWithParent>(source.data.gone.team), view),
})

const membership: PayloadPart = async (context) => ({
  scope: 'team',
  member: await personOf(context, context.source.subjectId ?? 0),
  team: presentTeam(revive<TeamWithParent>(context.source.data.gone.team), context.view),
})

/** The older member knows three of the five levels. */
const legacyLevels: Readonly<Record<string, string>> = { maintain: 'write', triage: 'read' }
const legacyOf = (level: string): string => legacyLevels[level] ?? level

const member: PayloadPart = async (context) => {
  const { source, action } = context
  const { level, former } = source.data
  const changes =
    action === 'edited'
      ? { old_permission: { from: legacyOf(former) }, permission: { from: legacyOf(former), to: legacyOf(level) } }
      : { permission: { to: legacyOf(level ?? '') }, role_name: { to: level } }
  return {
    member: await personOf(context, source.subjectId ?? 0),
    ...(action !== 'removed' && level !== undefined && { changes }),
  }
}

const organization: PayloadPart = async (context) => {
  const { services, source, action, view } = context
  const user = await services.people.getById(source.subjectId ?? 0)
  const organisation = await services.people.getById(source.organisationId ?? 0)
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

export const peopleParts = {
  repository,
  repository_dispatch: repositoryDispatch,
  member,
  organization,
  fork,
  star,
  watch: nothingElse,
  public: nothingElse,
  team,
  team_add: teamAdd,
  membership,
} as const satisfies Record<string, PayloadPart>
