/** Records of repositories with their labels, and of protected branches. */

import { levels } from '../../../access/level.ts'
import { defaultOptions, type RepositoryOptions } from '../../../access/repository-options.ts'
import type { BranchRules } from '../../../commits/branch-rules.ts'
import { isBranchName } from '../../../git/ref-name.ts'
import { anyAccount } from '../address-index.ts'
import type { Fields } from '../reading/fields.ts'
import { demandImport } from '../refusal.ts'
import type { Definition } from './definition.ts'

export type RepositoryRecord = ReturnType<typeof readRepository>
export type ProtectedBranchRecord = ReturnType<typeof readProtectedBranch>

const isRepositoryName = (name: string): boolean =>
  /^[A-Za-z0-9._-]{1,100}$/.test(name) && !/^\.{1,2}$|\.git$|\.wiki$/i.test(name)

function readRepository(fields: Fields) {
  const name = fields.text('name', 100)
  if (!isRepositoryName(name)) fields.refuse('name', 'a name that a repository can have')
  const owner = fields.address('owner')
  const url = fields.address('url')
  if (url !== `${owner}/${name}`) fields.refuse('url', 'its owner’s address with its name')
  const defaultBranch = fields.text('default_branch', 255)
  if (!isBranchName(defaultBranch)) fields.refuse('default_branch', 'a name that a branch can have')
  return {
    url,
    owner,
    name,
    description: fields.textOrNull('description', 2_000),
    homepage: fields.textOrNull('website', 500),
    isPrivate: fields.flag('private'),
    isArchived: fields.flag('archived'),
    options: readOptions(fields),
    labels: fields.each('labels', (one) => readLabel(one, url)),
    collaborators: fields.each('collaborators', (one) => ({
      user: one.address('user'),
      permission: one.oneOf('permission', levels),
    })),
    topics: fields.texts('repository_topics', 100),
    formerNames: fields.texts('former_names', 100),
    defaultBranch,
    parent: fields.addressOrNull('parent'),
    gitUrl: fields.addressOrNull('git_url'),
    wikiUrl: fields.addressOrNull('wiki_url'),
    lastIssueNumber: fields.wholeOrNull('last_issue_number') ?? 0,
    lastMilestoneNumber: fields.wholeOrNull('last_milestone_number') ?? 0,
    pushedAt: fields.timeOrNull('pushed_at') ?? fields.time('created_at'),
    createdAt: fields.time('created_at'),
    updatedAt: fields.timeOrNull('updated_at') ?? fields.time('created_at'),
  }
}

function readOptions(fields: Fields): Partial<RepositoryOptions> {
  const given = fields.objectOrNull('options')
  if (!given) return { hasIssues: fields.flag('has_issues', true), hasWiki: fields.flag('has_wiki', true) }
  const names = Object.keys(defaultOptions) as (keyof RepositoryOptions)[]
  return Object.fromEntries(names.filter((name) => given.has(name)).map((name) => [name, given.flag(name)]))
}

function readLabel(fields: Fields, repository: string) {
  const name = fields.text('name', 255)
  const url = fields.address('url')
  if (url !== `${repository}/labels/${encodeURIComponent(name)}`) fields.refuse('url', 'the address of its name')
  const color = fields.text('color', 6)
  if (!/^[0-9a-f]{6}$/.test(color)) fields.refuse('color', 'six hexadecimal digits')
  return { url, name, color, description: fields.textOrNull('description', 1_000), isDefault: fields.flag('default') }
}

export const repository: Definition<RepositoryRecord> = {
  type: 'repository',
  read: readRepository,
  check(record, index, place) {
    const isLater = record.parent !== null && !index.has('repository', record.parent)
    demandImport(!isLater, `${place} is a fork of ${record.parent}, which does not come before it.`)
    index.add('repository', record.url, place)
    index.claim(`the repository ${record.url.toLowerCase()}`, place)
    index.expect(anyAccount, record.owner, place)
    for (const label of record.labels) {
      index.add('label', label.url, place)
      index.claim(`the label ${label.name.toLowerCase()} of ${record.url}`, place)
    }
    for (const name of record.formerNames) {
      demandImport(isRepositoryName(name), `${place}: ${name} is not a name that a repository can have had.`)
      index.claim(`the former name ${name.toLowerCase()} of ${record.owner}`, place)
    }
    for (const { user } of record.collaborators) {
      index.expect(['user'], user, place)
      index.claim(`${record.url} with ${user}`, place)
    }
  },
}

function readProtectedBranch(fields: Fields) {
  const name = fields.text('name', 255)
  if (!isBranchName(name)) fields.refuse('name', 'a name that a branch can have')
  const checks = fields.objectOrNull('required_status_checks')
  const reviews = fields.objectOrNull('required_pull_request_reviews')
  const restrictions = fields.objectOrNull('restrictions')
  const rules: Omit<BranchRules, 'restrictions'> = {
    enforcesAdmins: fields.flag('enforce_admins'),
    allowsForcePushes: fields.flag('allow_force_pushes'),
    allowsDeletions: fields.flag('allow_deletions'),
    isLocked: fields.flag('lock_branch'),
    needsLinearHistory: fields.flag('required_linear_history'),
    needsResolvedConversations: fields.flag('required_conversation_resolution'),
    blocksCreations: fields.flag('block_creations'),
    allowsForkSyncing: fields.flag('allow_fork_syncing'),
    statusChecks: checks && {
      isStrict: checks.flag('strict'),
      checks: checks.texts('contexts', 255).map((context) => ({ context, appId: null })),
    },
    reviews: reviews && {
      approvals: reviews.whole('required_approving_review_count', 0, 6),
      dismissesStale: reviews.flag('dismiss_stale_reviews'),
      needsCodeOwners: reviews.flag('require_code_owner_reviews'),
      needsLastPushApproval: reviews.flag('require_last_push_approval'),
    },
  }
  return {
    repository: fields.address('repository'),
    name,
    rules,
    restrictedTo: restrictions && { users: restrictions.addresses('users'), teams: restrictions.addresses('teams') },
    createdAt: fields.time('created_at'),
    updatedAt: fields.timeOrNull('updated_at') ?? fields.time('created_at'),
  }
}

export const protectedBranch: Definition<ProtectedBranchRecord> = {
  type: 'protected_branch',
  read: readProtectedBranch,
  check(record, index, place) {
    index.expect(['repository'], record.repository, place)
    index.claim(`the protected branch ${record.name} of ${record.repository}`, place)
    for (const user of record.restrictedTo?.users ?? []) index.expect(['user'], user, place)
    for (const team of record.restrictedTo?.teams ?? []) index.expect(['team'], team, place)
  },
}
