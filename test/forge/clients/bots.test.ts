/** Bots from npm, unmodified, against a running server: Changesets, Danger, Probot, and the plugin that opens pulls. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { makeWorld, type World } from '../world.ts'

const bots = join(import.meta.dirname, 'bots')
const packages = join(import.meta.dirname, '../../../node_modules')
const missing = ['@changesets/changelog-github', 'danger', 'octokit-plugin-create-pull-request', 'probot'].filter(
  (name) => !existsSync(join(packages, name)),
)
const skip = missing.length > 0 ? `not installed: ${missing.join()}` : false

describe('bots from npm', { skip }, () => {
  let server: TestServer
  let world: World
  let token: string

  async function run(program: string, args: readonly string[], env: Record<string, string>): Promise<string> {
    const { PATH, HOME } = process.env
    const options = { env: { PATH, HOME, ...env }, cwd: bots }
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], options)
    return stdout
  }
  const must = async (answer: Promise<{ status: number; body: Json; text: string }>): Promise<Json> => {
    const { status, body, text } = await answer
    assert.ok(status < 300, text)
    return body
  }
  /** A pull of one commit for each of these texts of a file. */
  async function propose(name: string, branch: string, texts: readonly string[]): Promise<Json> {
    const { ann } = world
    const path = `/repos/ann/${name}`
    const { object } = await must(ann.get(`${path}/git/ref/heads/main`))
    await must(ann.post(`${path}/git/refs`, { ref: `refs/heads/${branch}`, sha: object.sha }))
    for (const [i, text] of texts.entries()) {
      const file = { message: text, content: Buffer.from(text).toString('base64'), branch }
      await must(ann.put(`${path}/contents/${branch}-${i}.txt`, file))
    }
    return must(ann.post(`${path}/pulls`, { title: `Mend ${branch}`, head: branch, base: 'main' }))
  }

  before(async () => {
    const environment = { GUILDHALL_LIMITS: 'off', GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8' }
    server = await startServer('sqlite', { environment })
    world = await makeWorld(server)
    token = world.ann.token!
  })
  after(() => server?.stop())

  test('Changesets names the pull and the author of each commit, however it was merged', async () => {
    const { ann } = world
    const shas: string[] = []
    for (const method of ['merge', 'squash', 'rebase']) {
      const pull = await propose('open', `by-${method}`, [`first by ${method}`, `last by ${method}`])
      await must(ann.put(`/repos/ann/open/pulls/${pull.number}/merge`, { merge_method: method }))
      if (method === 'merge') {
        const commits = await must(ann.get(`/repos/ann/open/pulls/${pull.number}/commits`))
        shas.push(...commits.map(({ sha }: Json) => sha))
      } else shas.push((await must(ann.get('/repos/ann/open/commits/main'))).sha)
    }
    const env = {
      GITHUB_TOKEN: token,
      GITHUB_SERVER_URL: server.url,
      GITHUB_GRAPHQL_URL: `${server.url}/api/graphql`,
    }
    const lines = JSON.parse(await run('changesets.mjs', ['ann/open', ...shas, world.shas.commit], env))
    const pullOf = (number: number) => `[#${number}](${server.url}/ann/open/pull/${number}) `
    const expected = [...shas, world.shas.commit].map((sha, i) => {
      const pull = ['1', '1', '2', '3', ''][i]!
      const commit = `[\`${sha.slice(0, 7)}\`](${server.url}/ann/open/commit/${sha})`
      return `- ${pull ? pullOf(Number(pull)) : ''}${commit} Thanks [@ann](${server.url}/ann)! - Mend it`
    })
    assert.deepEqual(lines, expected)
  })

  test('Danger reads a pull, remarks on a line, labels it, and sets a status', async () => {
    const { ann, bob } = world
    const pull = await propose('open', 'for-danger', ['tiles\n'])
    const path = `/repos/ann/open/pulls/${pull.number}`
    await must(bob.post(`${path}/reviews`, { event: 'COMMENT', body: 'Hm' }))
    const env = {
      DANGER_GITHUB_API_BASE_URL: `${server.url}/api/v3`,
      DANGER_GITHUB_API_TOKEN: token,
      ...{ DANGER_FAKE_CI: 'YEP', DANGER_TEST_REPO: 'ann/open', DANGER_TEST_PR: String(pull.number) },
    }
    const danger = join(packages, 'danger/distribution/commands/danger.js')
    // The second run edits what the first wrote, whose remark is a review.
    for (const _ of [1, 2]) await run(danger, ['ci'], env)
    const comments = await must(ann.get(`/repos/ann/open/issues/${pull.number}/comments`))
    assert.equal(comments.length, 1)
    for (const text of [
      'Mend for-danger by ann: 1 commit, 2 review, 0 asked',
      'created for-danger-0.txt',
      'It says: tiles',
    ])
      assert.ok(comments[0].body.includes(text), comments[0].body)
    const remarks = await must(ann.get(`${path}/comments`))
    assert.deepEqual(
      remarks.map((one: Json) => [one.path, one.line, one.body.includes('Slates are better')]),
      [['for-danger-0.txt', 1, true]],
    )
    const { labels } = await must(ann.get(`/repos/ann/open/issues/${pull.number}`))
    assert.deepEqual(
      labels.map(({ name }: Json) => name),
      ['looked-at'],
    )
    const { statuses } = await must(ann.get(`/repos/ann/open/commits/${pull.head.sha}/status`))
    assert.deepEqual(
      statuses.map(({ context, state }: Json) => [context, state]),
      [['Danger', 'success']],
    )
  })

  test('octokit-plugin-create-pull-request opens a pull, and goes on with it', async () => {
    const { ann } = world
    const env = { TOKEN: token, API_URL: `${server.url}/api/v3` }
    const [first, second] = JSON.parse(await run('create-pull-request.mjs', ['ann', 'hidden'], env))
    assert.equal(first, second)
    const pull = await must(ann.get(`/repos/ann/hidden/pulls/${first}`))
    assert.deepEqual([pull.head.ref, pull.title, pull.labels[0].name], ['tidy/all', 'Tidy', 'bug'])
    const files = await must(ann.get(`/repos/ann/hidden/pulls/${first}/files`))
    assert.deepEqual(
      files.map(({ filename, status }: Json) => [filename, status]),
      [
        ['README.md', 'modified'],
        ['main.ts', 'removed'],
        ['new/deep.txt', 'added'],
      ],
    )
  })

  test('an app of Probot answers what its hook is told, as its installation', async () => {
    const { ann, bob } = world
    const secret = 'a secret of a hook'
    const permissions = { issues: 'write', checks: 'write', pull_requests: 'read', metadata: 'read' }
    const app = await must(
      ann.post('/user/apps', {
        name: 'Welcomer',
        url: 'https://welcomer.example.org',
        default_permissions: permissions,
        default_events: ['issues', 'pull_request'],
        hook_attributes: { url: 'http://127.0.0.1:1/hook', secret },
      }),
    )
    const child = spawn(process.execPath, ['probot.mjs'], {
      cwd: bots,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        ...{ PATH: process.env.PATH, APP_ID: String(app.id), PRIVATE_KEY: app.pem },
        ...{ WEBHOOK_SECRET: secret, API_URL: `${server.url}/api/v3` },
      },
    })
    try {
      const [line] = await once(child.stdout, 'data')
      const hook = { url: `http://127.0.0.1:${Number(String(line))}/hook`, secret }
      await must(ann.patch(`/apps/${app.slug}`, { hook_attributes: hook }))
      await must(ann.post(`/apps/${app.slug}/installations`, { account: 'ann', repositories: 'all' }))
      const issue = await must(bob.post('/repos/ann/open/issues', { title: 'Hail' }))
      const comments = async () => must(ann.get(`/repos/ann/open/issues/${issue.number}/comments`))
      await until(async () => (await comments()).length > 0)
      const [{ body, user }] = await comments()
      assert.deepEqual([body, user.login], ['Thanks, bob.', `${app.slug}[bot]`])
      const pull = await propose('open', 'for-probot', ['slates\n'])
      const runs = async () => must(ann.get(`/repos/ann/open/commits/${pull.head.sha}/check-runs`))
      await until(async () => (await runs()).total_count > 0)
      const [{ name, conclusion }] = (await runs()).check_runs
      assert.deepEqual([name, conclusion], ['welcome', 'success'])
    } finally {
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'exit')
    }
  })
})
