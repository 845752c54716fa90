/** Archives in the form of the public platform, as its documentation and published exports have it. */
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeWorkingFolder } from '../../support/git.ts'
import type { Json } from '../../support/rpc.ts'
import { type ForgedArchive, forge } from './forged-archives.ts'

const origin = 'https://github.com'
const smiths = `${origin}/smiths`
export const anvil = `${smiths}/anvil`
const notes = `${origin}/ada/notes`
const [ada, ben, bot] = [`${origin}/ada`, `${origin}/ben_corp`, `${origin}/helper[bot]`]
const time = (day: number, rest = 'T08:00:00Z') => `2024-03-${String(day).padStart(2, '0')}${rest}`
export const imageUuid = '221d6b24-6dcf-4770-b83c-b27f96ab98f2'
const imageUrl = `${origin}/user-attachments/assets/${imageUuid}`
const logUrl = `${anvil}/files/2592136/crash.log`
const assetGuid = '8b0d3d4e-64f2-11ee-9d5c-0b0f7ad0a6f1'
export const image = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(60, 7)])

const account = (login: string, more: object = {}) => ({
  type: 'user',
  url: `${origin}/${login}`,
  avatar_url: `${origin}/${login}.png`,
  login,
  name: null,
  bio: null,
  company: null,
  website: null,
  location: null,
  emails: [{ address: `1+${login}@users.noreply.github.com`, primary: false, verified: true }],
  social_accounts: [],
  billing_plan: null,
  created_at: time(1),
  ...more,
})

const label = (repository: string, name: string, color: string) => ({
  url: `${repository}/labels/${encodeURIComponent(name)}`,
  name,
  color,
  description: null,
  created_at: time(1),
})

const repository = (owner: string, name: string, more: object) => ({
  type: 'repository',
  url: `${origin}/${owner}/${name}`,
  owner: `${origin}/${owner}`,
  name,
  description: 'Hot iron',
  website: null,
  private: true,
  has_issues: true,
  has_wiki: true,
  has_downloads: true,
  is_archived: false,
  labels: [],
  collaborators: [],
  created_at: time(1),
  git_url: `tarball://root/repositories/${owner}/${name}.git`,
  default_branch: 'main',
  webhooks: [],
  page: null,
  public_keys: [],
  repository_topics: [],
  autolinks: [],
  general_settings: { template: false, allow_forking: true, merge_commit: false, squash_merge: true, auto_merge: true },
  ...more,
})

const issue = (number: number, more: object, of = anvil) => ({
  type: 'issue',
  url: `${of}/issues/${number}`,
  repository: of,
  user: ada,
  title: `Issue ${number}`,
  body: null,
  assignee: null,
  assignees: [],
  milestone: null,
  labels: [],
  reactions: [],
  closed_at: null,
  created_at: time(2),
  updated_at: time(3),
  ...more,
})

const event = (id: number, of: string, name: string, more: object = {}) => ({
  type: 'issue_event',
  url: `${of}#event-${id}`,
  [of.includes('/pull/') ? 'pull_request' : 'issue']: of,
  actor: ada,
  event: name,
  created_at: time(4),
  ...more,
})

const comment = (id: number, of: string, body: string, more: object = {}) => ({
  type: 'issue_comment',
  url: `${of}#issuecomment-${id}`,
  [of.includes('/pull/') ? 'pull_request' : 'issue']: of,
  user: ben,
  body,
  formatter: 'markdown',
  reactions: [],
  created_at: time(5),
  ...more,
})

type Shas = { readonly first: string; readonly base: string; readonly head: string; readonly merge: string }

const pull = (number: number, { base, head }: Shas, more: object) => ({
  type: 'pull_request',
  ...{ url: `${anvil}/pull/${number}`, repository: anvil, user: ben, title: `Pull ${number}`, body: 'Stronger' },
  base: { ref: 'main', sha: base, user: smiths, repo: anvil },
  head: { ref: 'tongs', sha: head, user: smiths, repo: anvil },
  ...{ assignee: ada, assignees: [ada], milestone: `${anvil}/milestones/1`, labels: [`${anvil}/labels/bug`] },
  ...{ reactions: [], review_requests: [], close_issue_references: [], work_in_progress: false },
  ...{ merged_at: null, closed_at: null, created_at: time(6), merge_commit_sha: null },
  ...more,
})

const hunk = '@@ -1,2 +1,3 @@ iron\n iron\n+tongs'

const onLines = (pullUrl: string, id: number, { head }: Shas, more: object) => ({
  type: 'pull_request_review_comment',
  url: `${pullUrl}/files#r${id}`,
  pull_request: pullUrl,
  user: ada,
  body: 'Which tongs?',
  formatter: 'markdown',
  diff_hunk: hunk,
  path: 'iron.txt',
  position: 2,
  original_position: 2,
  commit_id: head,
  original_commit_id: head,
  state: 1,
  in_reply_to: null,
  reactions: [],
  created_at: time(7),
  subject_type: 'line',
  ...more,
})

/** The records of each type, by its plural. */
export type PlatformRecords = Record<string, Json[]>

function makeRecords(shas: Shas): PlatformRecords {
  const [first, second, third] = [`${anvil}/issues/1`, `${anvil}/pull/2`, `${anvil}/pull/3`]
  const review = `${second}/files#pullrequestreview-900`
  const thread = `${second}/files#pullrequestreviewthread-700`
  return {
    users: [
      account('ada', {
        name: 'Ada',
        emails: [
          { address: 'x@users.noreply.github.com', primary: false },
          { address: 'Ada@example.org', primary: true },
        ],
      }),
      account('ben_corp'),
    ],
    bots: [account('helper[bot]')],
    organizations: [
      {
        type: 'organization',
        ...{ url: smiths, login: 'smiths', name: 'Smiths', description: 'We smith', website: null, location: null },
        email: null,
        members: [
          { user: ada, role: 'admin', state: 'active' },
          { user: ben, role: 'direct_member', state: 'active' },
        ],
        ...{ owners_team: null, webhooks: [], created_at: time(1) },
        member_privileges: { default_repository_permission: 'write', members_can_create_public_repositories: true },
      },
    ],
    teams: [
      {
        type: 'team',
        ...{ url: `${origin}/orgs/smiths/teams/fire`, organization: smiths, name: 'Fire', description: 'Hot' },
        permissions: [{ repository: anvil, access: 'push' }],
        members: [{ user: ben, role: 'member' }],
        created_at: time(1),
      },
    ],
    repositories: [
      repository('smiths', 'anvil', {
        labels: [label(anvil, 'bug', 'D73A4A'), label(anvil, 'good first issue', '7057ff')],
        collaborators: [{ user: ben, permission: 'write' }],
        repository_topics: ['iron'],
        webhooks: [{ payload_url: 'https://ci.example.org/hook' }],
        public_keys: [{ title: 'robot', key: 'ssh-ed25519 AAAA' }],
        wiki_url: 'tarball://root/repositories/smiths/anvil.wiki.git',
      }),
      repository('ada', 'notes', { private: false, git_url: null }),
    ],
    protected_branches: [
      {
        type: 'protected_branch',
        ...{ name: 'main', url: `${anvil}/protected_branches/main`, creator_url: ada, repository_url: anvil },
        ...{ admin_enforced: true, block_deletions_enforcement_level: 2, block_force_pushes_enforcement_level: 2 },
        ...{ dismiss_stale_reviews_on_push: true, pull_request_reviews_enforcement_level: 'everyone' },
        ...{ require_code_owner_review: false, required_status_checks_enforcement_level: 'non_admins' },
        ...{ strict_required_status_checks_policy: true, required_status_checks: ['ci/build'] },
        ...{ authorized_actors_only: true, authorized_user_urls: [ada] },
        authorized_team_urls: [`${origin}/orgs/smiths/teams/fire`],
        ...{ dismissal_restricted_user_urls: [], dismissal_restricted_team_urls: [] },
      },
      { type: 'protected_branch', name: 'release/*', url: `${anvil}/x`, repository_url: anvil },
    ],
    milestones: [
      {
        type: 'milestone',
        ...{ url: `${anvil}/milestones/1`, repository: anvil, user: ada, title: 'Spring', description: null },
        ...{ state: 'open', due_on: '2024-05-01T00:00:00Z', created_at: time(2), updated_at: time(2) },
      },
    ],
    issues: [
      issue(1, {
        title: 'It bends',
        body: `Look: ![bent](${imageUrl}) and [log](${logUrl})`,
        assignee: ben,
        assignees: [ben],
        milestone: `${anvil}/milestones/1`,
        labels: [`${anvil}/labels/bug`, `${anvil}/labels/gone`],
        reactions: [
          { user: ben, content: 'eyes', subject_type: 'Issue', created_at: '2024-03-02T14:30:00.250+05:30' },
          { user: `${origin}/Stranger`, content: 'heart', subject_type: 'Issue', created_at: time(2) },
        ],
        closed_at: time(8),
      }),
      issue(4, { user: null, title: 'From nobody' }),
      issue(1, { title: 'A note', body: 'see it' }, notes),
    ],
    pull_requests: [
      pull(2, shas, {
        ...{ merged_at: time(8), closed_at: time(8), merge_commit_sha: shas.merge },
        close_issue_references: [{ issue: first, issue_repository: anvil, actor: ben, source: 'xref' }],
      }),
      pull(3, shas, {
        head: { ref: 'fork', sha: shas.head, user: `${origin}/stranger`, repo: `${origin}/stranger/anvil` },
        review_requests: [
          { reviewer: ada, reviewer_type: 'User', created_at: time(7), dismissed_at: null },
          { reviewer: `${origin}/orgs/smiths/teams/fire`, reviewer_type: 'Team', dismissed_at: null },
          { reviewer: bot, reviewer_type: 'User', created_at: time(7), dismissed_at: time(7) },
        ],
        work_in_progress: true,
      }),
    ],
    issue_comments: [
      comment(4109517679, first, `Same here, see ${imageUrl}`),
      comment(4109517680, second, 'Merged soon', {
        user: bot,
        reactions: [{ user: ada, content: '+1', subject_type: 'IssueComment', created_at: time(5) }],
      }),
      comment(5, `${anvil}/issues/99`, 'On nothing'),
    ],
    issue_events: [
      event(1, first, 'assigned', { actor: ben, subject: ada }),
      event(2, first, 'labeled', { label: `${anvil}/labels/bug`, label_name: 'bug', label_color: 'D73A4A' }),
      event(3, first, 'renamed', { title_was: 'Bends', title_is: 'It bends' }),
      event(4, first, 'milestoned', { milestone_title: 'Spring' }),
      event(5, first, 'locked'),
      event(6, first, 'closed', { actor: ben, created_at: time(8) }),
      event(7, second, 'merged', { commit_id: shas.merge, commit_repository: anvil }),
      event(8, second, 'closed'),
      event(9, second, 'head_ref_deleted'),
      event(10, third, 'review_requested', { actor: ben, subject: ada }),
      event(11, third, 'copilot_work_started'),
      event(12, first, 'mentioned', { actor: bot }),
      event(13, first, 'referenced', { commit_id: shas.head, commit_repository: `${origin}/other/where` }),
      event(14, `${anvil}/issues/99`, 'closed'),
    ],
    pull_request_reviews: [
      {
        type: 'pull_request_review',
        ...{ url: review, pull_request: second, user: ada, body: 'Good', head_sha: shas.head, formatter: 'markdown' },
        ...{ state: 40, reactions: [], created_at: time(7), submitted_at: time(7) },
      },
      {
        type: 'pull_request_review',
        ...{ url: `${second}/files#pullrequestreview-901`, pull_request: second, user: ben, body: null },
        ...{ head_sha: shas.head, state: 0, created_at: time(7), submitted_at: null },
      },
    ],
    pull_request_review_threads: [
      {
        type: 'pull_request_review_thread',
        ...{ url: thread, pull_request: second, pull_request_review: review, diff_hunk: hunk, path: 'iron.txt' },
        ...{ position: 2, original_position: 2, start_line: null, line: 2, start_side: null, side: 'right' },
        ...{ original_start_line: 1, original_line: 2, resolved_at: time(8), resolver: ada, subject_type: 'line' },
      },
    ],
    pull_request_review_comments: [
      onLines(second, 3001, shas, { pull_request_review: review, pull_request_review_thread: thread }),
      onLines(second, 3002, shas, {
        ...{ pull_request_review: review, pull_request_review_thread: thread, user: ben, body: 'The long ones' },
        in_reply_to: `${second}/files#r3001`,
      }),
      onLines(third, 3003, shas, { body: 'Without a review' }),
    ],
    commit_comments: [
      {
        type: 'commit_comment',
        ...{ url: `${anvil}/commit/${shas.first}#commitcomment-60`, repository: anvil, user: ada, body: 'A start' },
        ...{ formatter: 'markdown', path: null, position: null, commit_id: shas.first, reactions: [] },
        created_at: time(2),
      },
    ],
    releases: [
      {
        type: 'release',
        ...{ url: `${anvil}/releases/tag/v1`, repository: anvil, user: ada, name: 'One', tag_name: 'v1', body: 'Done' },
        ...{ state: 'published', prerelease: false, target_commitish: 'main' },
        release_assets: [
          {
            ...{ user: ada, name: 'anvil.bin', content_type: 'application/octet-stream', size: 5, state: 'uploaded' },
            asset_url: `tarball://root/releases/${assetGuid}/anvil.bin`,
          },
          { user: ada, name: 'lost.bin', asset_url: 'tarball://root/releases/none/lost.bin' },
        ],
        ...{ reactions: [], published_at: time(9), created_at: time(9) },
      },
    ],
    attachments: [
      {
        type: 'attachment',
        ...{ url: imageUrl, legacy_url: null, issue: first, user: ada, asset_name: 'bent.png' },
        asset_content_type: 'image/png',
        asset_url: `tarball://root/attachments/${imageUuid}/bent.png`,
        created_at: time(2),
      },
      {
        type: 'attachment',
        ...{ url: `${origin}/user-attachments/assets/none`, issue: first, user: ada, asset_name: 'lost.png' },
        ...{ asset_content_type: 'image/png', asset_url: 'tarball://root/attachments/none/lost.png' },
        created_at: time(2),
      },
    ],
    repository_files: [
      {
        type: 'repository_file',
        ...{ url: logUrl, repository: anvil, user: ada, file_name: 'crash.log', file_content_type: 'text/plain' },
        file_url: 'tarball://root/repository_files/2592136/crash.log',
        created_at: time(2),
      },
    ],
    discussions: [{ type: 'discussion', url: `${anvil}/discussions/9`, repository: anvil, title: 'Hm' }],
  }
}

/** The git data with what the public platform keeps beside them: hooks, a description, refs of its own. */
async function makeGit(): Promise<{ shas: Shas; files: Map<string, Buffer> }> {
  const work = await makeWorkingFolder()
  const save = async (message: string, file: string) => {
    await work.must('-c', 'core.hooksPath=/dev/null', 'commit', '--allow-empty', '--quiet', '-m', message)
    void file
    return work.must('rev-parse', 'HEAD')
  }
  const first = await save('Iron', 'iron.txt')
  const base = await save('More iron', 'iron.txt')
  await work.must('tag', 'v1')
  await work.must('checkout', '--quiet', '-b', 'tongs')
  const head = await save('Tongs', 'iron.txt')
  await work.must('update-ref', 'refs/pull/2/head', head)
  await work.must('update-ref', 'refs/pull/3/head', head)
  await work.must('update-ref', 'refs/pull/99/head', head)
  await work.must('update-ref', 'refs/__gh__/pull/2/rebase', head)
  await work.must('checkout', '--quiet', 'main')
  await work.must('merge', '--quiet', '--no-ff', '-m', 'Merge', 'tongs')
  const merge = await work.must('rev-parse', 'HEAD')
  await work.must('branch', '-D', 'tongs')
  await work.must('gc', '--quiet')
  await work.must('pack-refs', '--all')
  const files = new Map<string, Buffer>()
  const folder = join(work.path, '.git')
  for (const entry of globSync('**', { cwd: folder, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1)
    if (entry.isFile() && /^(?:objects|refs|packed-refs|HEAD|config)/.test(path))
      files.set(path, await readFile(join(folder, path)))
  }
  for (const extra of ['description', 'hooks/pre-push.sample', 'info/exclude', 'info/nwo'])
    files.set(extra, Buffer.from('x\n'))
  await work.drop()
  return { shas: { first, base, head, merge }, files }
}

export type PlatformArchive = { readonly shas: Shas; readonly records: PlatformRecords; forge(): ForgedArchive }

/** `change` edits the records before they are written. */
export async function makePlatformArchive(): Promise<PlatformArchive> {
  const { shas, files } = await makeGit()
  const records = makeRecords(shas)
  const header = (name: string) => ({ name }) as ForgedArchive['entries'][number]['header']
  return {
    shas,
    records,
    forge() {
      const all = new Map<string, Buffer>([
        ['schema.json', Buffer.from(JSON.stringify({ version: '1.0.1', github_sha: 'f'.repeat(40) }))],
        [`attachments/${imageUuid}/bent.png`, image],
        ['repository_files/2592136/crash.log', Buffer.from('Crash\n')],
        [`releases/${assetGuid}/anvil.bin`, Buffer.from('steel')],
      ])
      for (const [path, bytes] of files)
        for (const name of ['anvil', 'anvil.wiki']) all.set(`repositories/smiths/${name}.git/${path}`, bytes)
      for (const [plural, listed] of Object.entries(records))
        all.set(`${plural}_000001.json`, Buffer.from(JSON.stringify(listed, null, 2)))
      // In the order of names: the records come last, and schema.json among them.
      return forge(
        [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, bytes]) => ({ header: header(name), bytes })),
      )
    },
  }
}
