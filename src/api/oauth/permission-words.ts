/** Describes scopes and permissions for the users who grant them. */
import { isScope } from '../../accounts/tokens/scopes.ts'

const scopes: Readonly<Record<string, string>> = {
  repo: 'Read and change all your repositories, public and private',
  public_repo: 'Read and change your public repositories',
  'repo:status': 'Read and set statuses of commits',
  'repo:invite': 'See and answer invitations to repositories',
  delete_repo: 'Delete repositories',
  'admin:org': 'Run your organizations: members, teams, settings',
  'write:org': 'Change memberships of your organizations and teams',
  'read:org': 'See your organizations and teams',
  'admin:repo_hook': 'Read, change and delete webhooks of repositories',
  'write:repo_hook': 'Read and change webhooks of repositories',
  'read:repo_hook': 'Read webhooks of repositories',
  'admin:org_hook': 'Read, change and delete webhooks of organizations',
  notifications: 'Read and mark your notifications',
  user: 'Read and change your profile, your apps and whom you follow',
  'read:user': 'Read your profile',
  'user:email': 'Read your email addresses',
  'user:follow': 'Follow and unfollow people',
  judge: 'Use the judge in your name: submissions, problems and everything you can do there',
  dataset: 'Read, change and delete your data sets',
  'dataset:read': 'Read your data sets',
  audit_log: 'Read the audit log',
  'read:audit_log': 'Read the audit log',
}

export const describeScope = (name: string): string =>
  scopes[name] ?? (isScope(name) ? `What the scope ${name} stands for` : name)

const levels = { read: 'Read', write: 'Read and change', admin: 'Run' } as const

export const describePermission = (name: string, level: keyof typeof levels): string =>
  `${levels[level]}: ${name.replaceAll('_', ' ')}`
