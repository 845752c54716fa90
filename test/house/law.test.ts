/** The law of the house: which module may import which. A breach is named by file and import. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const src = join(import.meta.dirname, '..', '..', 'src')

/** Each module and the modules it may import, besides itself. Packages are held to the second table. */
const law: Record<string, readonly string[]> = {
  lib: [],
  store: ['lib'],
  accounts: ['lib', 'store'],
  jobs: ['lib', 'store'],
  judge: ['lib', 'store', 'accounts', 'jobs'],
  forge: ['lib', 'store', 'accounts', 'jobs'],
  datasets: ['lib', 'store', 'accounts', 'jobs'],
  executor: ['lib'],
  http: ['lib', 'accounts'],
  api: ['lib', 'accounts', 'http'],
  'api/judge-rpc': ['lib', 'accounts', 'http', 'judge', 'api'],
  'api/judge-packages': ['lib', 'accounts', 'http', 'judge', 'api'],
  'api/forge-rest': ['lib', 'accounts', 'http', 'forge', 'api'],
  'api/forge-graphql': ['lib', 'accounts', 'http', 'forge', 'api'],
  'api/git': ['lib', 'accounts', 'http', 'forge', 'api'],
  'api/single-sign-on': ['lib', 'accounts', 'http', 'forge', 'api'],
  'api/oauth': ['lib', 'accounts', 'http', 'forge', 'api'],
  'api/dataset-api': ['lib', 'accounts', 'http', 'datasets', 'api'],
  'api/contest-api': ['lib', 'accounts', 'http', 'judge', 'api'],
  'api/web': ['lib', 'accounts', 'http', 'api'],
}

/** Packages that only these modules may import. */
const packages: Record<string, readonly string[]> = {
  fastify: [
    'http',
    'api',
    'api/judge-rpc',
    'api/judge-packages',
    'api/forge-rest',
    'api/git',
    'api/single-sign-on',
    'api/oauth',
    'api/dataset-api',
    'api/contest-api',
    'api/web',
    'top',
  ],
  kysely: ['store', 'accounts', 'jobs', 'judge', 'forge', 'datasets'],
  pg: ['store'],
  graphql: ['api/forge-graphql'],
  'node:sqlite': ['store', 'top'],
  ssh2: ['api/git'],
}

type Import = { readonly from: string; readonly target: string }

const files = globSync('**/*.ts', { cwd: src }).sort()
const listImports = (root: string, from: string): Import[] => {
  const text = readFileSync(join(root, from), 'utf8')
  return [
    ...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'"]*?['"]([^'"\n]+)['"]|\bimport\(['"]([^'"\n]+)['"]\)/g),
  ].map((found) => ({ from, target: found[1] ?? found[2]! }))
}
const imports: Import[] = files.flatMap((from) => listImports(src, from))

/** Folders of `api/` that belong to all interfaces. */
const shared = ['identity', 'json', 'plain-pages']

function moduleOf(path: string): string {
  const parts = dirname(path).split('/')
  if (parts[0] === '.' || parts[0] === 'commands') return 'top'
  if (parts[0] === 'api') return parts.length > 1 && !shared.includes(parts[1]!) ? `api/${parts[1]}` : 'api'
  return parts[0]!
}

type Arrow = readonly [from: string, to: string]

const resolveImport = ({ from, target }: Import) => relative(src, join(src, dirname(from), target))

const ownImports = imports
  .filter(({ target }) => target.startsWith('.'))
  .map((one): Arrow => [one.from, resolveImport(one)])

test('every module imports only what the law allows', () => {
  const breaches = imports
    .filter(({ from, target }) => target.startsWith('.') && moduleOf(from) !== 'top')
    .filter((one) => {
      const [here, there] = [moduleOf(one.from), moduleOf(resolveImport(one))]
      return here !== there && !law[here]?.includes(there)
    })
    .map((one) => `${one.from} imports ${resolveImport(one)}`)
  assert.deepEqual(breaches, [])
})

test('handlers are given the services they use, and never the whole forge or all services', () => {
  const whole = ['forge/forge.ts', 'services.ts']
  const breaches = imports
    .filter((one) => one.from.startsWith('api/') && one.target.startsWith('.') && whole.includes(resolveImport(one)))
    .map(({ from }) => from)
  assert.deepEqual(breaches, ['api/forge-rest/routes.ts'])
})

test('every module is known to the law', () => {
  const unknown = files.map(moduleOf).filter((module) => module !== 'top' && !(module in law))
  assert.deepEqual([...new Set(unknown)], [])
})

test('Fastify stays on the interfaces, SQL in the modules, drivers in the store', () => {
  const breaches = imports
    .filter(({ from, target }) => packages[target] && !packages[target].includes(moduleOf(from)))
    .map(({ from, target }) => `${from} imports ${target}`)
  assert.deepEqual(breaches, [])
})

/** Everything that a file imports, however far away, except what it imports while it runs. */
function listLoaded(start: string): Set<string> {
  const loaded = new Set<string>()
  const load = (file: string) => {
    if (loaded.has(file)) return
    loaded.add(file)
    const text = readFileSync(join(src, file), 'utf8')
    for (const [, target = ''] of text.matchAll(/^(?:import|export)\b(?! type)[^'"]*?from ['"]([^'"\n]+)['"]/gm))
      if (target.startsWith('.')) load(resolveImport({ from: file, target }))
      else loaded.add(target)
  }
  load(start)
  return loaded
}

test('the command line loads neither SQL nor schemas nor the server before a command asks for them', () => {
  const loaded = listLoaded('cli.ts')
  assert.ok(loaded.has('commands/doctor.ts'))
  assert.deepEqual(
    ['kysely', 'typebox', 'fastify', 'pg'].filter((name) => loaded.has(name)),
    [],
  )
})

test('the server and the executor load what is rarely used when it is used', () => {
  const rare = [
    'pg',
    'piscina',
    'prom-client',
    'yaml',
    '@node-rs/argon2',
    'tar-stream',
    'markdown-it',
    'sanitize-html',
    'temml',
    'esbuild',
    'typebox',
    'openid-client',
    'graphql',
    '@node-saml/node-saml',
    'openpgp',
    'ssh2',
  ]
  const usual = ['typebox', 'prom-client']
  const server = listLoaded('main.ts')
  assert.ok(server.has('fastify') && server.has('kysely'))
  assert.deepEqual(
    rare.filter((name) => server.has(name) && !usual.includes(name)),
    [],
  )
  const executor = listLoaded('executor/main.ts')
  assert.ok(executor.has('executor/loop.ts') && executor.has('pino'))
  assert.deepEqual(
    [...rare, 'typebox/value', 'kysely', 'ajv'].filter((name) => executor.has(name)),
    [],
  )
})

test('there is no circle of imports', () => {
  assert.equal(findCircle(ownImports), undefined)
})

test('there is no circle of imports in the page', () => {
  const web = join(src, '..', 'web')
  const arrows = globSync('**/*.{ts,tsx}', { cwd: web })
    .flatMap((from) => listImports(web, from))
    .filter(({ target }) => target.startsWith('.'))
    .map(({ from, target }): Arrow => [from, join(dirname(from), target)])
  assert.ok(arrows.length > 0)
  assert.equal(findCircle(arrows), undefined)
})

/** The modules whose folders have one-way arrows: no folder imports another that imports it, however far round. */
const foldered = ['judge', 'forge', 'executor', 'datasets', 'accounts', 'api/judge-rpc', 'api/dataset-api']

for (const module of foldered)
  test(`inside ${module}, folders have arrows one way only`, () => {
    const depth = module.split('/').length + 1
    const folderOf = (path: string) =>
      path.split('/').length > depth ? path.split('/').slice(0, depth).join('/') : path
    const arrows = ownImports
      .filter(([from, to]) => from.startsWith(`${module}/`) && to.startsWith(`${module}/`))
      .map(([from, to]): Arrow => [folderOf(from), folderOf(to)])
      .filter(([from, to]) => from !== to)
    assert.ok(arrows.length > 0)
    assert.equal(findCircle(arrows), undefined)
  })

test('a folder that the law names exists', () => {
  const modules = new Set(files.map(moduleOf))
  assert.deepEqual(
    [...Object.keys(law), ...foldered].filter((module) => !modules.has(module)),
    [],
  )
})

/**
 * Which folder a table belongs to: its files alone change it. `readers` may read it beside the owner, each for the reason
 * given.
 */
type Ownership = { readonly owner: string; readonly readers?: Readonly<Record<string, string>> }

const tables: Readonly<Record<string, Ownership>> = {
  problem_tag: { owner: 'judge/problems' },
  account: {
    owner: 'accounts',
    readers: {
      'accounts/sign-in': 'joins the account of a session',
      'accounts/audit': 'finds whom a phrase names',
      'judge/problems': 'joins the author of a problem',
      'judge/submissions': 'joins the author of a submission',
      'judge/judging': 'joins the account of an executor',
      'judge/results': 'names the people of a grade sheet',
      'judge/sheets': 'names students, teachers and those who comment',
      'judge/classes': 'names the members of a class, and tells which logins of a roster are taken',
      'judge/contests': 'names owner, jury, staff and members of teams',
      'judge/contest-access': 'tells whether the author of a problem is of a jury',
      'judge/account-access': 'finds the accounts that a setter created',
      datasets: 'joins the owner of a data set',
    },
  },
  session: { owner: 'accounts/sign-in' },
  token: {
    owner: 'accounts',
    readers: {
      'forge/single-sign-on': 'lists the tokens that are authorised',
      'forge/keys': 'a key acts as a token, and shows when it was last used',
    },
  },
  lockout: { owner: 'accounts/sign-in' },
  setting: { owner: 'accounts' },
  rate_window: { owner: 'accounts/rates' },
  concurrency_slot: { owner: 'accounts/rates' },
  job: { owner: 'jobs' },
  problem: {
    owner: 'judge/problems',
    readers: {
      'judge/test-cases': 'finds the owner of a test case',
      'judge/submissions': 'joins the problem of a submission',
      'judge/judging': 'tells whose problem is judged again',
      'judge/problem-judging': 'reads the part of the judging that is kept with the problem',
      'judge/sheets': 'names the problems of a sheet',
      'judge/trials': 'reads the limits and examples of what is tried',
      'judge/problem-links': 'names the problems of links',
      'judge/contests': 'names the problems of a contest',
      'judge/contest-access': 'tells who keeps what was handed in to',
    },
  },
  class: { owner: 'judge/classes', readers: { 'judge/sheets': 'finds the class of a sheet' } },
  class_member: {
    owner: 'judge/classes',
    readers: {
      'judge/sheets': 'lists the students of a sheet',
      'judge/sheet-access': 'tells whose class a sheet belongs to',
      'judge/account-access': 'finds whose password a teacher may set',
    },
  },
  class_left: {
    owner: 'judge/classes',
    readers: {
      'judge/sheet-access': 'keeps what counted before somebody left',
      'judge/sheets': 'lists those who left in the results',
    },
  },
  roster_detail: { owner: 'judge/classes', readers: { 'judge/sheets': 'adds names and numbers to spreadsheets' } },
  left_submission: {
    owner: 'judge/classes',
    readers: {
      'judge/sheet-access': 'keeps what counted before somebody left',
      'judge/sheets': 'counts what counted before somebody left',
    },
  },
  sheet: {
    owner: 'judge/sheets',
    readers: {
      'judge/classes': 'a class with sheets is not deleted',
      'judge/sheet-access': 'tells what a sheet opens and hides',
    },
  },
  sheet_problem: { owner: 'judge/sheets', readers: { 'judge/sheet-access': 'tells what a sheet opens and hides' } },
  sheet_extension: {
    owner: 'judge/sheets',
    readers: {
      'judge/sheet-access': 'finds the last moment that counts',
      'judge/classes': 'keeps an account that a teacher gave more time',
    },
  },
  sheet_mark: { owner: 'judge/sheets', readers: { 'judge/classes': 'keeps an account that a teacher has marked' } },
  submission_comment: { owner: 'judge/sheets' },
  sheet_copy: {
    owner: 'judge/sheets',
    readers: { 'judge/problem-links': 'finds what a copy of a template began with' },
  },
  sheet_seen: { owner: 'judge/sheets' },
  problem_link: { owner: 'judge/problem-links' },
  pushed_file: { owner: 'judge/problem-links' },
  problem_judging: {
    owner: 'judge/problem-judging',
    readers: { 'judge/contests': 'tells the maximum of a problem’s points' },
  },
  test_case: {
    owner: 'judge/test-cases',
    readers: {
      'judge/problems': 'hashes the list of tests into the problem',
      'judge/judging': 'finds which tests of a report are hidden',
    },
  },
  test_data: { owner: 'judge/test-cases' },
  test_upload: { owner: 'judge/test-cases' },
  changed_verdict: { owner: 'judge/judging', readers: { 'judge/sheets': 'tells students of a rejudging' } },
  test_usage: { owner: 'judge/test-cases' },
  submission: {
    owner: 'judge/submissions',
    readers: {
      'judge/results': 'sums up the tries of each person',
      'judge/sheets': 'finds what counts in a sheet',
      'judge/problem-links': 'reads the verdict of what was pushed',
      'judge/similarity': 'reads the language of what is compared',
      'judge/contests': 'finds what counts in a contest',
      'judge/contest-access': 'finds the problem that it was handed in to',
      'judge/sheet-access': 'tells whether something counted when its author left',
    },
  },
  test_name: { owner: 'judge/test-cases' },
  problem_file: {
    owner: 'judge/problem-files',
    readers: { 'judge/contests': 'names the attachments of a contest’s problems' },
  },
  problem_package: { owner: 'judge/packages' },
  submission_source: {
    owner: 'judge/submissions',
    readers: {
      'judge/similarity': 'compares the programs of a sheet’s students',
      'judge/contests': 'packs what was handed in to a contest',
    },
  },
  submission_count: { owner: 'judge/submissions' },
  submission_counted: { owner: 'judge/submissions' },
  judging_turn: { owner: 'judge/submissions' },
  submission_report: {
    owner: 'judge/judging',
    readers: { 'judge/contests': 'tells what came of each test' },
  },
  contest: {
    owner: 'judge/contests',
    readers: {
      'judge/contest-access': 'decides who sees what of it',
      'judge/submissions': 'joins the time factors of its languages',
      'judge/account-access': 'finds whose password a jury may set',
    },
  },
  contest_person: {
    owner: 'judge/contests',
    readers: {
      'judge/contest-access': 'tells who is of the jury',
      'judge/account-access': 'finds whose password a jury may set',
    },
  },
  contest_problem: {
    owner: 'judge/contests',
    readers: {
      'judge/contest-access': 'tells what a contest opens',
      'judge/problem-links': 'hides the name of a held problem in a push’s status',
    },
  },
  contest_organisation: { owner: 'judge/contests' },
  contest_group: { owner: 'judge/contests' },
  contest_team: {
    owner: 'judge/contests',
    readers: {
      'judge/contest-access': 'tells which teams are hidden',
      'judge/submissions': 'finds what a team handed in',
    },
  },
  contest_team_group: { owner: 'judge/contests' },
  contest_member: {
    owner: 'judge/contests',
    readers: {
      'judge/contest-access': 'tells who is in a team',
      'judge/account-access': 'finds whose password a jury may set',
    },
  },
  contest_submission: {
    owner: 'judge/contests',
    readers: {
      'judge/contest-access': 'tells whose a submission is',
      'judge/submissions': 'finds what a team handed in',
    },
  },
  contest_cell: { owner: 'judge/contests' },
  contest_row: { owner: 'judge/contests' },
  contest_clarification: { owner: 'judge/contests' },
  contest_clarification_team: { owner: 'judge/contests' },
  contest_clarification_group: { owner: 'judge/contests' },
  contest_balloon: { owner: 'judge/contests' },
  contest_rejudging: { owner: 'judge/contests' },
  contest_rejudged: { owner: 'judge/contests' },
  contest_log: { owner: 'judge/contests' },
  present_result: {
    owner: 'judge/judging',
    readers: {
      'judge/contest-access': 'shows what counts while it is judged again',
      'judge/contests': 'counts what counts while it is judged again',
    },
  },
  executor: { owner: 'judge/judging' },
  recent_language: { owner: 'judge/judging' },
  trial: { owner: 'judge/trials' },
  dataset: {
    owner: 'datasets',
    readers: { 'datasets/indexes': 'counts the items that are to be indexed, and holds the row for the last of them' },
  },
  dataset_push_key: { owner: 'datasets/log' },
  dataset_removal: { owner: 'datasets' },
  dataset_chunk: { owner: 'datasets/log', readers: { datasets: 'finds the chunks of a removed data set' } },
  dataset_field: { owner: 'datasets/log' },
  dataset_index: { owner: 'datasets/indexes', readers: { datasets: 'sums up what the indexes of an account take' } },
  dataset_index_entry: { owner: 'datasets/indexes' },
  profile: { owner: 'forge/people' },
  account_email: { owner: 'forge/people' },
  organisation_member: {
    owner: 'forge/people',
    readers: { accounts: 'tells where a classic token lacks single sign-on, in the look-up of the token' },
  },
  team: { owner: 'forge/people' },
  team_ancestor: { owner: 'forge/people' },
  team_member: { owner: 'forge/people' },
  team_repository: { owner: 'forge/repositories' },
  collaborator: { owner: 'forge/repositories' },
  repository: { owner: 'forge/repositories' },
  repository_former_name: { owner: 'forge/repositories' },
  repository_source: { owner: 'forge/sources' },
  repository_invitation: { owner: 'forge/repositories' },
  repository_deletion: { owner: 'forge/repositories' },
  watch: { owner: 'forge/repositories' },
  star: { owner: 'forge/repositories' },
  feed_event: { owner: 'forge/feeds' },
  single_sign_on: {
    owner: 'forge/single-sign-on',
    readers: { accounts: 'tells which organisations require it, in the look-up of a token' },
  },
  sign_on_identity: { owner: 'forge/single-sign-on' },
  credential_authorization: {
    owner: 'forge/single-sign-on',
    readers: { accounts: 'tells what a token is authorised for, in its look-up' },
  },
  sign_on_attempt: { owner: 'forge/single-sign-on' },
  sign_on_assertion: { owner: 'forge/single-sign-on' },
  follow: { owner: 'forge/people' },
  follow_count: { owner: 'forge/people' },
  migration: { owner: 'forge/migrations' },
  migration_repository: { owner: 'forge/migrations' },
  migration_import: { owner: 'forge/migrations' },
  push: { owner: 'forge/git', readers: { 'forge/access': 'tells whether a push is under way' } },
  wiki_usage: { owner: 'forge/git' },
  pull: { owner: 'forge/pulls', readers: { 'forge/issues': 'tells whether an author has had a pull merged' } },
  pull_merge: { owner: 'forge/pulls' },
  pull_work: { owner: 'forge/pulls' },
  pull_usage: { owner: 'forge/pulls' },
  review: { owner: 'forge/pulls' },
  review_comment: { owner: 'forge/pulls' },
  review_request: { owner: 'forge/pulls' },
  activity: { owner: 'forge/activity' },
  autolink: { owner: 'forge/autolinks' },
  deployment: { owner: 'forge/deployments' },
  deployment_status: { owner: 'forge/deployments' },
  deployment_environment: { owner: 'forge/deployments' },
  check_suite: { owner: 'forge/checks' },
  check_run: { owner: 'forge/checks' },
  check_annotation: { owner: 'forge/checks' },
  pull_auto_merge: { owner: 'forge/pulls' },
  commit_status: { owner: 'forge/commits' },
  branch_protection: { owner: 'forge/commits' },
  commit_comment: { owner: 'forge/commits' },
  release: { owner: 'forge/releases' },
  release_asset: { owner: 'forge/releases' },
  attachment: { owner: 'forge/attachments' },
  blob_deletion: { owner: 'forge/files' },
  lfs_object: { owner: 'forge/lfs' },
  lfs_usage: { owner: 'forge/lfs' },
  lfs_lock: { owner: 'forge/lfs' },
  lfs_borrowing: { owner: 'forge/lfs' },
  issue_event: { owner: 'forge/issues' },
  issue: { owner: 'forge/issues' },
  organisation_block: { owner: 'forge/issues' },
  issue_former_place: { owner: 'forge/issues' },
  issue_label: { owner: 'forge/issues' },
  issue_assignee: { owner: 'forge/issues' },
  label: { owner: 'forge/issues' },
  milestone: { owner: 'forge/issues' },
  issue_comment: { owner: 'forge/issues' },
  issue_mention: { owner: 'forge/issues' },
  cross_reference: { owner: 'forge/issues' },
  reaction: { owner: 'forge/issues' },
  issue_connection: { owner: 'forge/issues' },
  issue_word: { owner: 'forge/issues' },
  app: { owner: 'forge/apps' },
  app_key: { owner: 'forge/apps' },
  app_secret: { owner: 'forge/apps' },
  app_manifest: { owner: 'forge/apps' },
  app_approval: { owner: 'forge/apps' },
  app_grant: { owner: 'forge/oauth' },
  app_code: { owner: 'forge/oauth' },
  app_device_code: { owner: 'forge/oauth' },
  app_used_refresh: { owner: 'forge/oauth' },
  app_installation: { owner: 'forge/apps' },
  app_installation_repository: { owner: 'forge/apps' },
  workflow_run: { owner: 'forge/apps' },
  thread_subject: { owner: 'forge/notifications' },
  thread: { owner: 'forge/notifications' },
  thread_count: { owner: 'forge/notifications' },
  inbox: { owner: 'forge/notifications' },
  inbox_mark: { owner: 'forge/notifications' },
  audit_entry: { owner: 'accounts/audit' },
  webhook: { owner: 'forge/webhooks' },
  webhook_delivery: { owner: 'forge/webhooks' },
}

/** An import writes the rows of an archive as they were, all of them in one transaction, and none of them by an act of its own. */
const importedTables =
  'account profile organisation_member organisation_block team team_member team_repository repository_former_name collaborator push label milestone issue issue_label issue_assignee issue_mention cross_reference issue_connection issue_former_place issue_comment issue_event reaction pull review review_comment review_request commit_comment branch_protection release release_asset attachment'.split(
    ' ',
  )

/** Changes from outside the owner, each with its reason: the queue is the table of submissions itself, and so on. */
const foreignChanges: Readonly<Record<string, string>> = {
  'reaction forge/pulls': 'the reactions to a comment on a line go with it, in one transaction',
  'submission judge/judging': 'the queue is the table itself: a claim is an update of the submission',
  'problem judge/submissions': 'a problem is deleted together with its submissions, in one transaction',
  'test_case judge/submissions': 'a problem is deleted together with its test cases, in one transaction',
  'dataset datasets/log': 'a push counts its items in the row of the data set',
  'dataset_chunk datasets': 'a removed data set is deleted chunk by chunk',
  'session accounts': 'a new password ends the sessions of its account',
  'account forge/people': 'organisations and suspended users are accounts',
  'token forge/people': 'an admin lifts the ban of a token',
  'repository forge/git': 'a push moves the time and the size of its repository, in one transaction',
  'repository forge/pulls': 'what a pull brings counts to the size of its repository, in one transaction',
  'repository forge/storage': 'objects that no push brings count to the size of their repository',
  'repository forge/issues':
    'an issue takes the next number of its repository and is counted there, in one transaction',
  'repository forge/migrations': 'a migration locks its repositories as it starts, in one transaction',
  ...Object.fromEntries(importedTables.map((table) => [`${table} forge/migrations`, 'an import writes what it holds'])),
  'collaborator forge/people': 'who leaves an organisation loses what it gave them, in one transaction',
  'repository_invitation forge/people': 'who leaves an organisation takes the invitations to its repositories along',
  'app_installation_repository forge/repositories': 'a transferred repository leaves installations on its former owner',
  'pull forge/repositories': 'a pull names the owner of its head, who changes with a transfer',
  'team_repository forge/people': 'a team begins with repositories that it reads, in one transaction',
}

/** Within the forge all may read: who may do what with a repository is one query over most of its tables. */
const isOfForge = (folder: string): boolean => folder === 'forge' || folder.startsWith('forge/')

type Mention = { readonly table: string; readonly folder: string; readonly isChange: boolean }

const mentions: Mention[] = files
  .filter((file) => !['store', 'top'].includes(moduleOf(file)))
  .flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8')
    const folder = dirname(file).split('/').slice(0, 2).join('/')
    const built = [
      ...text.matchAll(
        /\.(selectFrom|insertInto|updateTable|deleteFrom|(?:inner|left|right|full|cross)Join)\(\s*\[?'(\w+)/g,
      ),
    ]
    const many = [...text.matchAll(/\b(insertRows)\(\s*\w+,\s*'(\w+)/g)]
    const written = [...text.matchAll(/sql(?:<[^`]*?>)?`([^`]*)`/g)].flatMap(([, query = '']) => [
      ...query.matchAll(/\b(from|join|update|insert into|delete from)\s+([a-z_]+)/g),
    ])
    return [...built, ...many, ...written].map(([, act = '', table = '']) => ({
      table,
      folder,
      isChange: /^(?:insert|update|delete)/.test(act),
    }))
  })

test('a table is changed by the files of one folder, and read by those that say why', () => {
  const breaches = mentions
    .filter(({ table, folder }) => tables[table] && folder !== tables[table].owner)
    .filter(({ table, folder, isChange }) => {
      if (foreignChanges[`${table} ${folder}`]) return false
      if (isOfForge(folder) && (table === 'account' || isOfForge(tables[table]!.owner))) return isChange
      return isChange || !tables[table]!.readers?.[folder]
    })
    .map(({ table, folder, isChange }) => `${folder} ${isChange ? 'changes' : 'reads'} ${table}`)
  assert.deepEqual([...new Set(breaches)], [])
})

test('every table outside the forge has an owner, and every exception is still needed', () => {
  const known = new Set(mentions.map(({ table }) => table))
  const unowned = mentions.filter(({ table, folder }) => !tables[table] && !isOfForge(folder) && isTable(table))
  assert.deepEqual([...new Set(unowned.map(({ table, folder }) => `${folder} names ${table}`))], [])
  const spare = [
    ...Object.keys(tables).filter((table) => !known.has(table)),
    ...Object.keys(foreignChanges).filter(
      (pair) => !mentions.some(({ table, folder, isChange }) => isChange && `${table} ${folder}` === pair),
    ),
    ...Object.entries(tables).flatMap(([table, { readers = {} }]) =>
      Object.keys(readers)
        .filter((folder) => !mentions.some((mention) => mention.table === table && mention.folder === folder))
        .map((folder) => `${folder} reads ${table}`),
    ),
  ]
  assert.deepEqual(spare, [])
})

/** A mention in plain SQL may be a function or a name that the query itself makes: only the schema's tables count. */
const schema = globSync('store/schema/*.ts', { cwd: src })
  .map((file) => readFileSync(join(src, file), 'utf8'))
  .join('\n')
const isTable = (name: string): boolean => new RegExp(`^  ${name}: `, 'm').test(schema)

function findCircle(arrows: readonly Arrow[]): string | undefined {
  const graph = Map.groupBy(arrows, ([from]) => from)
  const done = new Set<string>()
  const walk = (node: string, path: readonly string[]): string | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(' → ')
    if (done.has(node)) return undefined
    for (const [, next] of graph.get(node) ?? []) {
      const circle = walk(next, [...path, node])
      if (circle) return circle
    }
    done.add(node)
    return undefined
  }
  for (const node of graph.keys()) {
    const circle = walk(node, [])
    if (circle) return circle
  }
  return undefined
}
