/** Presents teams and their members. */
import type { Level } from '../../../forge/access/level.ts'
import type { AccountCounts } from '../../../forge/people/people.ts'
import type { Team, TeamWithCounts, TeamWithParent } from '../../../forge/people/team.ts'
import type { TeamMembership } from '../../../forge/people/team-members.ts'
import type { Profile } from '../../../forge/person.ts'
import { presentPermissions } from '../repositories/present-repository.ts'
import { formatTime, nodeId, type View } from '../view.ts'
import { presentOpenOrganisation } from './present-people.ts'

function presentBriefTeam(team: Team, { base, origin }: View) {
  const url = `${base}/orgs/${team.organisation.login}/teams/${team.slug}`
  return {
    id: team.id,
    node_id: nodeId('Team', team.id),
    url,
    html_url: `${origin}/orgs/${team.organisation.login}/teams/${team.slug}`,
    name: team.name,
    slug: team.slug,
    description: team.description,
    privacy: team.privacy,
    notification_setting: team.notificationSetting,
    permission: 'pull',
    members_url: `${url}/members{/member}`,
    repositories_url: `${url}/repos`,
    type: 'organization',
    organization_id: team.organisation.id,
  }
}

export const presentTeam = (team: TeamWithParent, view: View) => ({
  ...presentBriefTeam(team, view),
  parent: team.parent ? presentBriefTeam(team.parent, view) : null,
})

/** Includes its rights on a repository. */
export const presentTeamOn = (team: TeamWithParent, level: Level, view: View) => ({
  ...presentTeam(team, view),
  permission: level === 'read' ? 'pull' : level === 'write' ? 'push' : level,
  permissions: presentPermissions(level),
})

export const presentWholeTeam = (team: TeamWithCounts, organisation: Profile, counts: AccountCounts, view: View) => ({
  ...presentTeam(team, view),
  members_count: team.memberCount,
  repos_count: team.repositoryCount,
  created_at: formatTime(team.createdAt),
  updated_at: formatTime(team.updatedAt),
  organization: presentOpenOrganisation(organisation, counts, view),
})

export const presentTeamMembership = (team: Team, { user, role, state }: TeamMembership, { base }: View) => ({
  url: `${base}/orgs/${team.organisation.login}/teams/${team.slug}/memberships/${user.login}`,
  role,
  state,
})
