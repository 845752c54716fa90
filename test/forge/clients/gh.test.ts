/** The public platform's own command line, as Debian has it, works with this server: what it reads, and what it writes. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { drawKeyPair } from '../../support/ssh.ts'
import { until } from '../../support/until.ts'
import { drawGpg } from '../ssh/key-cases.ts'
import { makeWorld, type World } from '../world.ts'

const skip = spawnSync('gh', ['--version']).status === 0 ? false : 'gh is not installed'

describe('gh', { skip }, () => {
  let server: TestServer
  let world: World
  let home: string
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'guildhall-gh-'))
    await writeFile(join(home, 'roof.txt'), 'tiles\n')
    for (const name of ['laptop', 'robot'])
      await writeFile(join(home, `${name}.pub`), drawKeyPair('ed25519', name).public)
    const rules = { required_status_checks: null, enforce_admins: false, restrictions: null }
    const required_pull_request_reviews = { required_approving_review_count: 1 }
    await writeFile(join(home, 'rules.json'), JSON.stringify({ ...rules, required_pull_request_reviews }))
    server = await startServer('sqlite')
    world = await makeWorld(server)
    const { ann, bob } = world
    await ann.post('/repos/ann/open/issues', {
      title: 'It rains',
      body: 'Inside.',
      labels: ['bug'],
      assignees: ['ann'],
    })
    await bob.post('/repos/ann/open/issues/1/comments', { body: 'Here as well, @ann.' })
    await ann.put('/repos/ann/open/contents/new.txt', { message: 'Roof', content: 'aGk=', branch: 'feature/one' })
    await ann.post('/repos/ann/open/pulls', {
      title: 'Mend the roof',
      head: 'feature/one',
      base: 'main',
      body: 'Tiles.',
    })
    await ann.patch('/repos/ann/open', { description: 'A house' })
    await ann.put('/repos/ann/open/collaborators/bob', { permission: 'push' })
    const [invitation] = (await bob.get('/user/repository_invitations')).body
    await bob.patch(`/user/repository_invitations/${invitation.id}`)
    const { body: head } = await ann.get('/repos/ann/open/git/ref/heads/feature/one')
    await ann.post('/repos/ann/open/git/refs', { ref: 'refs/heads/more', sha: world.shas.commit })
    await ann.put('/repos/ann/open/contents/more.txt', { message: 'More', content: 'aGk=', branch: 'more' })
    await ann.post(`/repos/ann/open/statuses/${head.object.sha}`, { state: 'success', context: 'ci/roof' })
  })
  after(async () => {
    await server?.stop()
    await rm(home, { recursive: true, force: true })
  })

  /** It speaks plain HTTP with one name alone, which is reached through a proxy here: the server itself. */
  async function gh(args: readonly string[], cwd = home): Promise<string> {
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      GH_CONFIG_DIR: home,
      GH_HOST: 'github.localhost',
      GH_ENTERPRISE_TOKEN: world.ann.token,
      GH_TOKEN: world.ann.token,
      GH_NO_UPDATE_NOTIFIER: '1',
      NO_COLOR: '1',
      http_proxy: server.url,
      HTTP_PROXY: server.url,
    }
    const { stdout, stderr } = await promisify(execFile)('gh', args, { env, cwd })
    return stdout + stderr
  }

  const cases: [readonly string[], RegExp][] = [
    [['auth', 'status', '--hostname', 'github.localhost'], /Logged in to github\.localhost as ann/],
    [['api', 'user', '--jq', '.login'], /^ann$/m],
    [['api', 'graphql', '-f', 'query={ viewer { login } }', '--jq', '.data.viewer.login'], /^ann$/m],
    [['status'], /ann\/open#1\s+It rains/],
    [['issue', 'list', '-R', 'ann/open'], /1\s+OPEN\s+It rains\s+bug/],
    [['issue', 'list', '-R', 'ann/open', '--search', 'rains'], /It rains/],
    [['issue', 'list', '-R', 'ann/open', '--json', 'number,author,assignees,comments'], /"login":"bob"/],
    [['issue', 'view', '1', '-R', 'ann/open'], /title:\s+It rains[\s\S]*labels:\s+bug[\s\S]*Inside\./],
    [['issue', 'view', '1', '-R', 'ann/open', '--comments'], /Here as well, @ann\./],
    [['pr', 'list', '-R', 'ann/open'], /2\s+Mend the roof\s+feature\/one\s+OPEN/],
    [['pr', 'list', '-R', 'ann/open', '--author', 'ann', '--state', 'all'], /Mend the roof/],
    [['pr', 'view', '2', '-R', 'ann/open'], /title:\s+Mend the roof[\s\S]*additions:\s+1[\s\S]*Tiles\./],
    [['pr', 'view', '2', '-R', 'ann/open', '--json', 'files,commits,mergeable,headRefOid'], /"MERGEABLE"/],
    [['repo', 'view', 'ann/open'], /name:\s+ann\/open\s+description:\s+A house[\s\S]*# Hello/],
    [['repo', 'list', 'ann'], /ann\/open/],
    [['label', 'list', '-R', 'ann/open'], /bug/],
  ]
  // Each goes on from those before it.
  const steps: typeof cases = [
    [
      ['issue', 'create', '-t', 'Hail', '-b', 'Big', '-l', 'bug', '-a', 'bob', '-R', 'ann/open'],
      /ann\/open\/issues\/3/,
    ],
    [['issue', 'comment', '3', '-b', 'Ouch', '-R', 'ann/open'], /issues\/3#issuecomment-/],
    [
      ['issue', 'edit', '3', '-t', 'Hail!', '--add-label', 'question', '--remove-label', 'bug', '-R', 'ann/open'],
      /issues\/3/,
    ],
    [['issue', 'close', '3', '-r', 'not planned', '-c', 'It stopped', '-R', 'ann/open'], /Closed issue #3/],
    [['issue', 'reopen', '3', '-R', 'ann/open'], /Reopened issue #3/],
    [['issue', 'pin', '3', '-R', 'ann/open'], /Pinned issue #3/],
    [['issue', 'unpin', '3', '-R', 'ann/open'], /Unpinned issue #3/],
    [['issue', 'lock', '3', '-r', 'resolved', '-R', 'ann/open'], /^$/],
    [['issue', 'unlock', '3', '-R', 'ann/open'], /^$/],
    [['issue', 'delete', '3', '--yes', '-R', 'ann/open'], /^$/],
    [['pr', 'comment', '2', '-b', 'Slates?', '-R', 'ann/open'], /pull\/2#issuecomment-/],
    [['pr', 'edit', '2', '-t', 'Mend the roof', '--add-label', 'question', '-R', 'ann/open'], /pull\/2/],
    [['pr', 'review', '2', '--comment', '-b', 'Hm', '-R', 'ann/open'], /^$/],
    [['pr', 'ready', '2', '--undo', '-R', 'ann/open'], /converted to "draft"/],
    [['pr', 'ready', '2', '-R', 'ann/open'], /marked as "ready for review"/],
    [['pr', 'close', '2', '-R', 'ann/open'], /Closed pull request #2/],
    [['pr', 'reopen', '2', '-R', 'ann/open'], /Reopened pull request #2/],
    [['api', 'repos/ann/open/issues', '-f', 'title=It snows', '-F', 'body=@roof.txt', '--jq', '.body'], /^tiles$/m],
    [['api', 'repos/ann/open/commits?per_page=1', '--paginate', '--jq', '.[].commit.message'], /Second[\s\S]*First/],
    [['search', 'issues', 'rains'], /ann\/open\s+1\s+open\s+It rains/],
    [['search', 'prs', 'roof', '--repo', 'ann/open'], /2\s+open\s+Mend the roof/],
    [['search', 'repos', 'house', '--match', 'description'], /ann\/open/],
    [['search', 'commits', 'Second', '--repo', 'ann/open'], /Second With a body\./],
    [['issue', 'status', '-R', 'ann/open'], /assigned to you\s+1\s+OPEN\s+It rains/],
    [['pr', 'checks', '2', '-R', 'ann/open'], /ci\/roof\s+pass/],
    [['pr', 'diff', '2', '-R', 'ann/open'], /\+\+\+ b\/new\.txt\n@@ -0,0 \+1 @@\n\+hi/],
    [['pr', 'view', '2', '-R', 'ann/open', '--json', 'reviewDecision'], /"reviewDecision":""/],
    [['api', 'repos/ann/open/branches/main/protection', '-X', 'PUT', '--input', 'rules.json'], /"required_approving/],
    [['pr', 'status', '-R', 'ann/open'], /Mend the roof[\s\S]*Review required/],
    [['api', 'repos/ann/open/pulls/2/reviews', '-f', 'event=APPROVE', '-H', 'Authorization: token BOB'], /APPROVED/],
    [['pr', 'list', '-R', 'ann/open', '--json', 'reviewDecision'], /"reviewDecision":"APPROVED"/],
    [['label', 'create', 'weather', '-c', '00aaff', '-d', 'Rain', '-R', 'ann/open'], /^$/],
    [['label', 'create', 'weather', '-c', '00aaee', '--force', '-R', 'ann/open'], /^$/],
    [['label', 'edit', 'weather', '--name', 'sky', '-R', 'ann/open'], /^$/],
    [['label', 'clone', 'ann/open', '-R', 'acme/tool'], /^$/],
    [['label', 'list', '-R', 'acme/tool', '--search', 'sky'], /sky\s+Rain\s+#00aaee/],
    [['label', 'delete', 'sky', '--yes', '-R', 'ann/open'], /^$/],
    [['release', 'create', 'v2', 'roof.txt', '-t', 'Dry', '-n', 'No drops', '-R', 'ann/open'], /releases\/tag\/v2/],
    [['release', 'create', 'v3', '--draft', '--generate-notes', '-R', 'ann/open'], /releases\/tag\/v3/],
    [['release', 'list', '-R', 'ann/open'], /v3\s+Draft\s+v3[\s\S]*Dry\s+Latest\s+v2/],
    [['release', 'view', 'v3', '-R', 'ann/open'], /draft:\s+true/],
    [['release', 'edit', 'v3', '--draft=false', '--title', 'Drier', '-R', 'ann/open'], /releases\/tag\/v3/],
    [['release', 'view', '-R', 'ann/open', '--json', 'name,isDraft'], /"isDraft":false,"name":"Drier"/],
    [['release', 'upload', 'v2', 'roof.txt', '--clobber', '-R', 'ann/open'], /^$/],
    [['release', 'download', 'v2', '-D', 'got', '-R', 'ann/open'], /^$/],
    [['release', 'delete-asset', 'v2', 'roof.txt', '--yes', '-R', 'ann/open'], /^$/],
    [['release', 'delete', 'v3', '--yes', '--cleanup-tag', '-R', 'ann/open'], /^$/],
    [['release', 'list', '-R', 'ann/open'], /^Dry\s+Latest\s+v2\s+\S+\n$/],
    [['repo', 'clone', 'ann/open', 'cloned'], /Cloning into 'cloned'/],
    [['pr', 'create', '-t', 'More', '-b', '', '-H', 'more', '-B', 'main', '-r', 'bob', '-R', 'ann/open'], /pull\/5/],
    [['api', 'repos/ann/open/branches/main/protection', '-X', 'DELETE'], /^$/],
    [['pr', 'merge', '5', '--squash', '-t', 'In', '-R', 'ann/open'], /^$/],
    [['pr', 'view', '5', '--json', 'state,mergedBy', '-R', 'ann/open'], /"MERGED"/],
    [['issue', 'list', '-R', 'ann/open', '--search', 'sort:created-asc is:open'], /It rains[\s\S]*It snows/],
    [['issue', 'list', '-R', 'ann/open', '--search', 'sort:created-desc'], /It snows[\s\S]*It rains/],
    [['pr', 'list', '-R', 'ann/open', '-s', 'all', '--search', 'review:approved'], /^2\s+Mend the roof.*\n$/],
    [['search', 'prs', 'In', '--merged-at', '>2020-01-01'], /^$/],
    [
      [
        ...['api', 'repos/acme/tool/contents/wing.txt', '-X', 'PUT', '-f', 'message=Wing', '-f', 'content=aGk='],
        ...['-f', 'branch=feature/one', '--jq', '.commit.message'],
      ],
      /^Wing$/m,
    ],
    [
      [
        ...['pr', 'create', '-t', 'Wing', '-b', '', '-H', 'feature/one', '-B', 'main', '--draft'],
        ...['-r', 'cid', '-r', 'acme/crew', '-R', 'acme/tool'],
      ],
      /acme\/tool\/pull\/1/,
    ],
    [['pr', 'view', '1', '--json', 'reviewRequests', '-R', 'acme/tool'], /"login":"cid"[\s\S]*"slug":"acme\/crew"/],
    [['repo', 'fork', 'acme/tool', '--clone=false'], /^$/],
    [['repo', 'sync', 'ann/tool'], /^$/],
    [['ssh-key', 'add', 'laptop.pub', '-t', 'Laptop'], /^$/],
    [['ssh-key', 'list'], /Laptop\s+ssh-ed25519/],
    [['repo', 'deploy-key', 'add', 'robot.pub', '-t', 'Robot', '-R', 'ann/open'], /^$/],
    [['repo', 'deploy-key', 'list', '-R', 'ann/open'], /Robot\s+read-only\s+ssh-ed25519/],
    [['api', '-X', 'PATCH', 'repos/ann/open', '-F', 'is_template=true', '--jq', '.is_template'], /^true$/m],
    [['repo', 'create', 'copied', '--public', '--template', 'ann/open'], /ann\/copied/],
    [['repo', 'create', 'acme/shared', '--private', '--team', 'crew'], /acme\/shared/],
    [['repo', 'view', 'ann/copied', '--json', 'templateRepository,languages'], /"name":"open"[\s\S]*"login":"ann"/],
    [['repo', 'create', 'shed', '--public', '-d', 'Tools'], /ann\/shed/],
    [['repo', 'archive', 'ann/shed', '--yes'], /^$/],
    [['repo', 'edit', 'ann/open', '--description', 'A roof', '--add-topic', 'tiles'], /^$/],
    [['repo', 'view', 'ann/open', '--json', 'description,repositoryTopics'], /A roof[\s\S]*tiles/],
    [['repo', 'rename', 'wide', '-R', 'ann/open', '--yes'], /^$/],
    [['repo', 'delete', 'ann/wide', '--yes'], /^$/],
  ]
  for (const [args, expected] of [...cases, ...steps])
    test(`gh ${args.join(' ')}`, async () => {
      const words = args.map((word) => word.replace('token BOB', `token ${world.bob.token}`))
      assert.match(await gh(words), expected)
    })

  test('gh issue develop makes a branch of a clone’s repository, checks it out, and lists it', async () => {
    const clone = join(home, 'built')
    await gh(['repo', 'clone', 'ann/copied', clone])
    const [, number] = /issues\/(\d+)/.exec(await gh(['issue', 'create', '-t', 'Rain inside', '-b', ''], clone))!
    assert.match(await gh(['issue', 'develop', number!], clone), /tree\/\d+-rain-inside/)
    await gh(['issue', 'develop', number!, '--name', 'dry', '--base', 'main', '--checkout'], clone)
    assert.match(await gh(['issue', 'develop', '--list', number!], clone), /-rain-inside\ndry\n/)
    const { stdout } = await promisify(execFile)('git', ['branch', '--show-current'], { cwd: clone })
    assert.equal(stdout, 'dry\n')
    await assert.rejects(gh(['issue', 'develop', number!, '--name', 'dry'], clone), /Reference already exists/)
  })

  const git = async (cwd: string, ...words: string[]) =>
    (await promisify(execFile)('git', words, { cwd, env: { ...process.env, HOME: home, http_proxy: server.url } }))
      .stdout

  test('gh repo create makes a repository of a folder and pushes it', async () => {
    const folder = join(home, 'mill')
    await mkdir(folder)
    // gh hands git its token over https alone.
    const address = `[url "http://ann:${world.ann.token}@github.localhost/"]\n\tinsteadOf = http://github.localhost/\n`
    await writeFile(join(home, '.gitconfig'), `[user]\n\tname = Ann\n\temail = ann@example.org\n${address}`)
    await git(folder, 'init', '--quiet', '--initial-branch=main')
    await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Grain')
    const words = ['repo', 'create', 'mill', '--private', '--source', '.', '--remote', 'origin', '--push']
    assert.match(await gh(words, folder), /ann\/mill/)
    const { body } = await world.ann.get('/repos/ann/mill/commits')
    assert.deepEqual([body.length, body[0].commit.message], [1, 'Grain'])
  })

  test('gh issue transfer moves an issue, and gh shows it in its new place', async () => {
    await world.ann.post('/repos/ann/mill/issues', { title: 'Grinds slowly', body: 'Very' })
    assert.match(await gh(['issue', 'transfer', '1', 'ann/hidden', '-R', 'ann/mill']), /ann\/hidden\/issues\/\d+/)
    assert.match(await gh(['issue', 'list', '-R', 'ann/hidden']), /OPEN\s+Grinds slowly/)
    assert.doesNotMatch(await gh(['issue', 'list', '-R', 'ann/mill']), /Grinds/)
  })

  test('gh pr checks a pull out, locks and unlocks it, and merges it once its checks have passed', async () => {
    const { ann } = world
    await ann.post('/repos/ann/mill/git/refs', {
      ref: 'refs/heads/stone',
      sha: (await ann.get('/repos/ann/mill/git/ref/heads/main')).body.object.sha,
    })
    const { body } = await ann.put('/repos/ann/mill/contents/stone.txt', {
      ...{ message: 'Stone', content: 'aGk=', branch: 'stone' },
    })
    await ann.patch('/repos/ann/mill', { allow_auto_merge: true })
    await ann.put('/repos/ann/mill/branches/main/protection', {
      ...{ required_pull_request_reviews: null, enforce_admins: true, restrictions: null },
      required_status_checks: { strict: false, contexts: ['ci/grind'] },
    })
    const { number } = (await ann.post('/repos/ann/mill/pulls', { title: 'Stone', head: 'stone', base: 'main' })).body
    const clone = join(home, 'milled')
    await gh(['repo', 'clone', 'ann/mill', clone])
    await gh(['pr', 'checkout', String(number)], clone)
    assert.equal(await git(clone, 'branch', '--show-current'), 'stone\n')
    assert.equal((await git(clone, 'rev-parse', 'HEAD')).trim(), body.commit.sha)
    assert.match(await gh(['pr', 'lock', String(number), '-r', 'off_topic', '-R', 'ann/mill']), /^$/)
    const locked = (await ann.get(`/repos/ann/mill/issues/${number}`)).body
    assert.deepEqual([locked.locked, locked.active_lock_reason], [true, 'off-topic'])
    await gh(['pr', 'unlock', String(number), '-R', 'ann/mill'])
    assert.equal((await ann.get(`/repos/ann/mill/issues/${number}`)).body.locked, false)
    assert.match(await gh(['pr', 'merge', String(number), '--auto', '--squash', '-R', 'ann/mill']), /^$/)
    const read = async () => (await ann.get(`/repos/ann/mill/pulls/${number}`)).body
    assert.deepEqual([(await read()).merged, (await read()).auto_merge.merge_method], [false, 'squash'])
    await ann.post(`/repos/ann/mill/statuses/${body.commit.sha}`, { state: 'success', context: 'ci/grind' })
    await until(async () => (await read()).merged)
    assert.match(await gh(['pr', 'view', String(number), '-R', 'ann/mill']), /state:\s+MERGED/)
  })

  test('gh adds, lists and deletes keys', async () => {
    await writeFile(join(home, 'ann.asc'), await drawGpg())
    await gh(['gpg-key', 'add', 'ann.asc'])
    const [key] = (await world.ann.get('/user/gpg_keys')).body
    assert.match(await gh(['gpg-key', 'list']), new RegExp(key.key_id))
    await gh(['gpg-key', 'delete', key.key_id, '--yes'])
    assert.deepEqual((await world.ann.get('/user/gpg_keys')).body, [])
    const laptops = async () => (await world.ann.get('/user/keys')).body.filter((one: Json) => one.title === 'Laptop')
    const [laptop] = await laptops()
    await gh(['ssh-key', 'delete', String(laptop.id), '--yes'])
    assert.deepEqual(await laptops(), [])
  })

  test('has what it downloaded and cloned', async () => {
    assert.equal(await readFile(join(home, 'got', 'roof.txt'), 'utf8'), 'tiles\n')
    assert.equal(await readFile(join(home, 'cloned', 'README.md'), 'utf8'), '# Hello\n')
  })
})
