/** Presents repositories: embedded, in lists, and in full. Links are templates whose targets exist. */
import { type Level, reaches } from '../../../forge/access/level.ts'
import type { OpenRepository, Repository } from '../../../forge/access/repository.ts'
import { spellSshUrl } from '../../../forge/keys/ssh-place.ts'
import type { Collaborator } from '../../../forge/repositories/collaborators.ts'
import type { Ancestors } from '../../../forge/repositories/forks.ts'
import type { Invitation } from '../../../forge/repositories/invitations.ts'
import type { Watch } from '../../../forge/repositories/watching.ts'
import { presentUser } from '../people/present-people.ts'
import { formatTime, nodeId, type View } from '../view.ts'

/** The embedded object: basic members and links. */
export function presentRepository(repository: Repository, view: View) {
  const { id, owner, name } = repository
  const full = `${owner.login}/${name}`
  const url = `${view.base}/repos/${full}`
  const html = `${view.origin}/${full}`
  const host = view.origin.replace(/^https?:\/\//, '')
  return {
    id,
    node_id: nodeId('Repository', id),
    name,
    full_name: full,
    private: repository.isPrivate,
    owner: presentUser(owner, view),
    html_url: html,
    description: repository.description,
    fork: repository.parentId !== null,
    url,
    forks_url: `${url}/forks`,
    keys_url: `${url}/keys{/key_id}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    teams_url: `${url}/teams`,
    hooks_url: `${url}/hooks`,
    issue_events_url: `${url}/issues/events{/number}`,
    events_url: `${url}/events`,
    assignees_url: `${url}/assignees{/user}`,
    branches_url: `${url}/branches{/branch}`,
    tags_url: `${url}/tags`,
    blobs_url: `${url}/git/blobs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    trees_url: `${url}/git/trees{/sha}`,
    statuses_url: `${url}/statuses/{sha}`,
    languages_url: `${url}/languages`,
    stargazers_url: `${url}/stargazers`,
    contributors_url: `${url}/contributors`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    commits_url: `${url}/commits{/sha}`,
    git_commits_url: `${url}/git/commits{/sha}`,
    comments_url: `${url}/comments{/number}`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    contents_url: `${url}/contents/{+path}`,
    compare_url: `${url}/compare/{base}...{head}`,
    merges_url: `${url}/merges`,
    archive_url: `${url}/{archive_format}{/ref}`,
    downloads_url: `${url}/downloads`,
    issues_url: `${url}/issues{/number}`,
    pulls_url: `${url}/pulls{/number}`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    labels_url: `${url}/labels{/name}`,
    releases_url: `${url}/releases{/id}`,
    deployments_url: `${url}/deployments`,
    git_url: `git://${host}/${full}.git`,
    ssh_url: spellSshUrl(view.origin, view.ssh, full),
  }
}

/** In lists, with the caller's rights. */
export function presentListedRepository(repository: OpenRepository, view: View) {
  const html = `${view.origin}/${repository.owner.login}/${repository.name}`
  const { options } = repository
  return {
    ...presentRepository(repository, view),
    created_at: formatTime(repository.createdAt),
    updated_at: formatTime(repository.updatedAt),
    pushed_at: formatTime(repository.pushedAt),
    clone_url: `${html}.git`,
    svn_url: html,
    homepage: repository.homepage,
    size: repository.sizeKib,
    stargazers_count: repository.starCount,
    watchers_count: repository.starCount,
    language: repository.language,
    has_issues: options.hasIssues,
    has_projects: options.hasProjects,
    ...(view.version === '2022-11-28' && { has_downloads: options.hasDownloads }),
    has_wiki: options.hasWiki,
    has_pages: options.hasPages,
    has_discussions: options.hasDiscussions,
    forks_count: repository.forkCount,
    mirror_url: repository.mirrorUrl,
    archived: repository.isArchived,
    disabled: false,
    open_issues_count: repository.openIssueCount,
    license: null,
    allow_forking: options.allowForking,
    is_template: options.isTemplate,
    web_commit_signoff_required: options.webCommitSignoffRequired,
    topics: repository.topics,
    visibility: repository.isPrivate ? 'private' : 'public',
    forks: repository.forkCount,
    open_issues: repository.openIssueCount,
    watchers: repository.starCount,
    default_branch: repository.defaultBranch,
    ...(view.isSignedIn && { permissions: presentPermissions(repository.level) }),
  }
}

/** `ancestors`: the parent and source of a fork, if the caller may see them. */
export function presentWholeRepository(
  repository: OpenRepository,
  view: View,
  { parent, source, template }: Ancestors = {},
): object {
  const { options, owner } = repository
  return {
    ...presentListedRepository(repository, view),
    temp_clone_token: '',
    allow_squash_merge: options.allowSquashMerge,
    allow_merge_commit: options.allowMergeCommit,
    allow_rebase_merge: options.allowRebaseMerge,
    allow_auto_merge: options.allowAutoMerge,
    allow_update_branch: options.allowUpdateBranch,
    allow_force_pushes: options.allowForcePushes,
    delete_branch_on_merge: options.deleteBranchOnMerge,
    template_repository: template ? presentListedRepository(template, view) : null,
    ...(owner.kind === 'organisation' && { organization: presentUser(owner, view) }),
    ...(parent && { parent: presentListedRepository(parent, view) }),
    ...(source && { source: presentListedRepository(source, view) }),
    network_count: repository.forkCount,
    subscribers_count: repository.subscriberCount,
  }
}

export const presentPermissions = (level: Level) => ({
  admin: reaches(level, 'admin'),
  maintain: reaches(level, 'maintain'),
  push: reaches(level, 'write'),
  triage: reaches(level, 'triage'),
  pull: reaches(level, 'read'),
})

export const presentCollaborator = ({ user, level }: Collaborator, view: View) => ({
  ...presentUser(user, view),
  permissions: presentPermissions(level),
  role_name: level,
})

export const presentInvitation = (invitation: Invitation, view: View) => {
  const { id, repository } = invitation
  const full = `${repository.owner.login}/${repository.name}`
  return {
    id,
    node_id: nodeId('RepositoryInvitation', id),
    repository: presentRepository(repository, view),
    invitee: presentUser(invitation.invitee, view),
    inviter: presentUser(invitation.inviter, view),
    permissions: invitation.level,
    created_at: formatTime(invitation.createdAt),
    expired: invitation.isExpired,
    url: `${view.base}/user/repository_invitations/${id}`,
    html_url: `${view.origin}/${full}/invitations`,
  }
}

export const presentWatch = ({ isWatched, isIgnored, createdAt }: Watch, repository: Repository, { base }: View) => {
  const url = `${base}/repos/${repository.owner.login}/${repository.name}`
  return {
    subscribed: isWatched,
    ignored: isIgnored,
    reason: null,
    created_at: formatTime(createdAt),
    url: `${url}/subscription`,
    repository_url: url,
  }
}

/** The four levels that older clients know. */
export const presentLegacyLevel = (level: Level): string =>
  level === 'admin' ? 'admin' : reaches(level, 'write') ? 'write' : reaches(level, 'read') ? 'read' : 'none'
