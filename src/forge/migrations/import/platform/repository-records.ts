/** Translates repositories with their labels, and protected branches. */
import { parseLevel } from '../../../access/level.ts'
import { isBranchName } from '../../../git/ref-name.ts'
import { refuseImport } from '../refusal.ts'
import type { Context } from './context.ts'
import type { RawRecord } from './raw-record.ts'

/** A repository's git data: where the archive has it, and where its record here says that it is. */
export type GitMove = { readonly from: string; readonly to: string; readonly hasWiki: boolean }

export function translateRepositories(context: Context, gitFolders: ReadonlySet<string>): readonly GitMove[] {
  return [...context.read('repositories')].map((record) => translateRepository(context, record, gitFolders))
}

function translateRepository(context: Context, record: RawRecord, gitFolders: ReadonlySet<string>): GitMove {
  const { people, writer, addresses, leavingOut } = context
  const name = record.text('name', 100)
  const owner = people.person(record.demandAddress('owner'))
  const url = addresses.add('repository', record.demandAddress('url'), `${owner}/${name}`)
  const from = findFolder(record.address('git_url')) ?? `${record.demandAddress('owner').split('/').at(-1)}/${name}`
  const to = `${owner.slice(owner.lastIndexOf('/') + 1)}/${name}`
  const hasWiki = gitFolders.has(`${from}.wiki.git`)
  if (!gitFolders.has(`${from}.git`)) leavingOut.add('repositories without git data')
  for (const [what, member] of leftMembers) leavingOut.add(what, record.list(member).length)
  if (record.has('page')) leavingOut.add('pages')
  const branch = record.text('default_branch', 255)
  const createdAt = record.time('created_at')
  writer.add({
    type: 'repository',
    url,
    owner,
    name,
    description: record.textOrNull('description', 2_000),
    website: record.textOrNull('website', 500),
    private: record.flag('private', true),
    archived: record.flag('is_archived', record.flag('archived')),
    options: translateOptions(record),
    labels: translateLabels(context, record, url),
    collaborators: translateCollaborators(context, record, owner),
    repository_topics: translateTopics(record),
    default_branch: isBranchName(branch) ? branch : 'main',
    git_url: `tarball://root/repositories/${to}.git`,
    wiki_url: hasWiki ? `tarball://root/repositories/${to}.wiki.git` : null,
    pushed_at: record.timeOrNull('pushed_at') ?? createdAt,
    created_at: createdAt,
    updated_at: record.timeOrNull('updated_at') ?? createdAt,
  })
  return { from, to, hasWiki }
}

const leftMembers = [
  ['webhooks', 'webhooks'],
  ['deploy keys', 'public_keys'],
  ['autolinks', 'autolinks'],
] as const

function findFolder(address: string | null): string | undefined {
  return /^tarball:\/\/root\/repositories\/([^/]+\/[^/]+)\.git$/.exec(address ?? '')?.[1]
}

function translateOptions(record: RawRecord): object {
  const given = record.object('general_settings')
  return {
    hasIssues: record.flag('has_issues', true),
    hasWiki: record.flag('has_wiki', true),
    hasDownloads: record.flag('has_downloads', true),
    ...(given && {
      hasProjects: given.flag('projects', true),
      isTemplate: given.flag('template'),
      allowForking: given.flag('allow_forking', true),
      allowMergeCommit: given.flag('merge_commit', true),
      allowSquashMerge: given.flag('squash_merge', true),
      allowRebaseMerge: given.flag('rebase_merge', true),
      allowAutoMerge: given.flag('auto_merge'),
      allowUpdateBranch: given.flag('update_branch'),
      deleteBranchOnMerge: given.flag('delete_branch_heads'),
    }),
  }
}

/** Labels are unique without regard to case: of two, the first counts. */
function translateLabels({ addresses }: Context, record: RawRecord, url: string): object[] {
  const made = new Map<string, string>()
  return record.each('labels').flatMap((one) => {
    const name = one.text('name', 255)
    if (name === '') throw refuseImport(`${one.place}: name must not be empty.`)
    const known = made.get(name.toLowerCase())
    const address = known ?? `${url}/labels/${encodeURIComponent(name)}`
    made.set(name.toLowerCase(), address)
    const given = one.address('url')
    for (const from of [given, `${record.demandAddress('url')}/labels/${encodeURIComponent(name)}`])
      if (from !== null) addresses.add('label', from, address)
    if (known) return []
    const color = one.word('color').replace(/^#/, '')
    return [
      {
        url: address,
        name,
        color: /^[0-9a-f]{6}$/.test(color) ? color : 'ededed',
        description: one.textOrNull('description', 1_000),
      },
    ]
  })
}

function translateCollaborators({ people }: Context, record: RawRecord, owner: string): object[] {
  const levels = new Map<string, string>()
  for (const one of record.each('collaborators')) {
    const [user] = people.users([one.address('user')])
    const level = parseLevel(one.word('permission'))
    if (user && level && user !== owner) levels.set(user, level)
  }
  return [...levels].map(([user, permission]) => ({ user, permission }))
}

function translateTopics(record: RawRecord): string[] {
  const topics = record.texts('repository_topics').map((topic) => topic.toLowerCase())
  return [...new Set(topics.filter((topic) => /^[a-z0-9][a-z0-9-]{0,49}$/.test(topic)))].slice(0, 20)
}

/** A level of the public platform: whom a rule binds. */
const binds = (record: RawRecord, name: string): boolean => !['', '0', 'off'].includes(record.word(name))

export function translateProtectedBranches(context: Context): void {
  const { people, writer, addresses, leavingOut } = context
  for (const record of context.read('protected_branches')) {
    const repository = addresses.find('repository', record.address('repository_url', 'repository'))
    const name = record.text('name', 255)
    if (!repository) leavingOut.add('protected branches of repositories that are not in the archive')
    else if (!isBranchName(name)) leavingOut.add('protected branches by a pattern')
    if (!repository || !isBranchName(name)) continue
    const checks = record.list('required_status_checks').map(readCheck)
    writer.add({
      type: 'protected_branch',
      url: `${repository}/protected_branches/${encodeURIComponent(name)}`,
      repository,
      name,
      enforce_admins: record.flag('admin_enforced'),
      allow_force_pushes: record.word('block_force_pushes_enforcement_level') === '0',
      allow_deletions: record.word('block_deletions_enforcement_level') === '0',
      required_linear_history: binds(record, 'linear_history_requirement_enforcement_level'),
      required_status_checks: binds(record, 'required_status_checks_enforcement_level')
        ? {
            strict: record.flag('strict_required_status_checks_policy'),
            contexts: [...new Set(checks.filter((context) => context !== ''))],
          }
        : null,
      required_pull_request_reviews: binds(record, 'pull_request_reviews_enforcement_level')
        ? {
            required_approving_review_count: Math.min(6, record.whole('required_approving_review_count') ?? 1),
            dismiss_stale_reviews: record.flag('dismiss_stale_reviews_on_push'),
            require_code_owner_reviews: record.flag('require_code_owner_review'),
            require_last_push_approval: record.flag('require_last_push_approval'),
          }
        : null,
      restrictions: record.flag('authorized_actors_only')
        ? {
            users: people.users(record.texts('authorized_user_urls')),
            teams: [
              ...new Set(record.texts('authorized_team_urls').flatMap((team) => addresses.find('team', team) ?? [])),
            ],
          }
        : null,
      created_at: record.timeOrNull('created_at') ?? '1970-01-01T00:00:00Z',
    })
  }
}

/** A check is a name, or an object with it. */
const readCheck = (given: unknown): string => {
  const name = typeof given === 'object' && given !== null ? (given as { context?: unknown }).context : given
  return typeof name === 'string' ? name.slice(0, 255).replaceAll('\0', '').toWellFormed() : ''
}
