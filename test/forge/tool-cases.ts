/** Requests that succeed for the routes of checks, deployments, templates, autolinks and mail addresses. */
import { makeRest, type RestClient } from '../support/rest.ts'
import { installApp, registerApp } from './apps/app-world.ts'
import type { Case, Params } from './route-cases.ts'
import type { World } from './world.ts'

type Fresh = NonNullable<Case['fresh']>

let count = 0
const fresh = (word: string) => `${word}-${++count}`

const must = async (answer: ReturnType<RestClient['post']>) => {
  const { status, body, text } = await answer
  if (status >= 300) throw new Error(`${status} ${text}`)
  return body
}

/** An app that checks ann's repositories. Its token is made as its installation's, at whatever time the server has. */
const checkers = new WeakMap<World, Promise<RestClient>>()
async function makeChecker(world: World): Promise<RestClient> {
  const permissions = { checks: 'write', contents: 'read', metadata: 'read' } as const
  const app = await registerApp(world, world.ann, { default_permissions: permissions })
  const installationId = await installApp(app, world.ann, 'ann')
  const { accounts, tokens, store } = world.server.services
  const account = (await accounts.findByName('ann'))!
  const query = store.db.selectFrom('app').select('bot_id').where('id', '=', app.body.id)
  const { bot_id: botId } = await query.executeTakeFirstOrThrow()
  const draft = { kind: 'installation', permissions, repositories: 'all', actorId: botId! } as const
  const { text } = await tokens.make(account, { ...draft, app: { id: app.body.id, installationId } })
  return makeRest(world.server.url, text)
}
export function asChecker(world: World): Promise<RestClient> {
  const known = checkers.get(world) ?? makeChecker(world)
  checkers.set(world, known)
  return known
}

const freshRun: Fresh = async (world, { repo }) => {
  const checker = await asChecker(world)
  const output = {
    ...{ title: 'One fault', summary: 'See below', text: 'Words' },
    annotations: [{ path: 'main.ts', start_line: 1, end_line: 1, annotation_level: 'warning', message: 'Hm' }],
  }
  const draft = { name: fresh('lint'), head_sha: world.shas.commit, status: 'in_progress', output }
  const body = await must(checker.post(`/repos/ann/${repo}/check-runs`, draft))
  return { check_run_id: body.id, check_suite_id: body.check_suite.id }
}

const freshDeployment: Fresh = async ({ ann }, { repo }) => {
  const draft = {
    ref: 'main',
    environment: fresh('stage'),
    required_contexts: [],
    auto_merge: false,
    payload: { a: 1 },
  }
  const body = await must(ann.post(`/repos/ann/${repo}/deployments`, draft))
  return { deployment_id: body.id }
}

const freshDeploymentStatus: Fresh = async (world, params) => {
  const made = await freshDeployment(world, params)
  const path = `/repos/ann/${params.repo}/deployments/${made.deployment_id}/statuses`
  const address = 'https://ci.example.org/1'
  const urls = { state: 'inactive', log_url: address, environment_url: address }
  return { ...made, status_id: (await must(world.ann.post(path, urls))).id }
}

const freshEnvironment: Fresh = async ({ ann }, { repo }) => {
  const name = fresh('guarded')
  const reviewers = [{ type: 'User', id: (await ann.get('/user')).body.id }]
  await must(ann.put(`/repos/ann/${repo}/environments/${name}`, { reviewers }))
  return { environment_name: name }
}

const waitingDeployment: Fresh = async (world, params) => {
  const { environment_name: environment } = await freshEnvironment(world, params)
  const draft = { ref: 'main', environment, required_contexts: [], auto_merge: false }
  const body = await must(world.ann.post(`/repos/ann/${params.repo}/deployments`, draft))
  return { deployment_id: body.id }
}

const freshTemplate: Fresh = async ({ ann }, { repo }) => {
  const name = fresh('template')
  await must(ann.post('/user/repos', { name, is_template: true, auto_init: true, private: repo === 'hidden' }))
  return { repo: name }
}

const freshTransfer: Fresh = async ({ ann }, { repo }) => {
  const name = fresh('moving')
  await must(ann.post('/user/repos', { name, private: repo === 'hidden' }))
  return { repo: name }
}

/** A fork of something public, so that every credential of its owner reads where it came from. */
const freshFork: Fresh = async ({ ann, bob }) => {
  const name = fresh('upstream')
  await must(bob.post('/user/repos', { name, auto_init: true }))
  const fork = await must(ann.post(`/repos/bob/${name}/forks`))
  return { repo: fork.name }
}

const withOwners: Fresh = async ({ ann }, { repo }) => {
  const name = fresh('owned')
  await must(ann.post('/user/repos', { name, auto_init: true, private: repo === 'hidden' }))
  const content = Buffer.from('* @ann\n[x] @nobody-here\n').toString('base64')
  await must(ann.put(`/repos/ann/${name}/contents/CODEOWNERS`, { message: 'Owners', content }))
  return { repo: name }
}

/** It may not be merged yet: its base asks for a check that nobody makes. */
const heldPull: Fresh = async ({ ann, shas }, { repo }) => {
  const place = `/repos/ann/${repo}`
  const [base, head] = [fresh('held-base'), fresh('held-head')]
  for (const branch of [base, head])
    await must(ann.post(`${place}/git/refs`, { ref: `refs/heads/${branch}`, sha: shas.commit }))
  const content = Buffer.from(head).toString('base64')
  await must(ann.put(`${place}/contents/${head}.txt`, { message: head, content, branch: head }))
  await must(
    ann.put(`${place}/branches/${base}/protection`, {
      required_status_checks: { strict: false, contexts: ['never'] },
      ...{ enforce_admins: null, required_pull_request_reviews: null, restrictions: null },
    }),
  )
  await must(ann.patch(place, { allow_auto_merge: true }))
  const body = await must(ann.post(`${place}/pulls`, { title: head, head, base }))
  return { pull_number: body.number }
}

const autoMerged: Fresh = async (world, params) => {
  const made = await heldPull(world, params)
  await must(world.ann.put(`/repos/ann/${params.repo}/pulls/${made.pull_number}/auto-merge`))
  return made
}

const freshAutolink: Fresh = async ({ ann }, { repo }) => {
  const rule = { key_prefix: `T${++count}X-`, url_template: 'https://tickets.example.org/<num>' }
  return { autolink_id: (await must(ann.post(`/repos/ann/${repo}/autolinks`, rule))).id }
}

const freshAddress: Fresh = async ({ ann }) => {
  const email = `${fresh('ann')}@example.org`
  await must(ann.post('/user/emails', { emails: [email] }))
  return { email }
}

const ofCommit = { params: ({ shas }: World): Params => ({ ref: shas.commit }), fresh: freshRun }

export const toolCases: Record<string, Case> = {
  'transfer-a-repository': { fresh: freshTransfer, body: () => ({ new_owner: 'acme', new_name: fresh('moved') }) },
  'create-a-repository-using-a-template': { fresh: freshTemplate, body: () => ({ name: fresh('generated') }) },
  'sync-a-fork-branch-with-the-upstream-repository': { fresh: freshFork, body: { branch: 'main' } },
  'list-codeowners-errors': { fresh: withOwners },
  'enable-auto-merge-for-a-pull-request': { fresh: heldPull, body: { merge_method: 'squash' } },
  'disable-auto-merge-for-a-pull-request': { fresh: autoMerged },
  'create-a-check-run': {
    body: ({ shas }) => ({ name: fresh('test'), head_sha: shas.commit, conclusion: 'success' }),
  },
  'get-a-check-run': { fresh: freshRun },
  'update-a-check-run': { fresh: freshRun, body: { conclusion: 'failure', output: { summary: 'Worse' } } },
  'list-check-run-annotations': { fresh: freshRun },
  'rerequest-a-check-run': { fresh: freshRun },
  'list-check-runs-in-a-check-suite': { fresh: freshRun },
  'list-check-runs-for-a-git-reference': ofCommit,
  'create-a-check-suite': { body: ({ shas }) => ({ head_sha: shas.commit }) },
  'get-a-check-suite': { fresh: freshRun },
  'rerequest-a-check-suite': { fresh: freshRun },
  'list-check-suites-for-a-git-reference': ofCommit,
  'list-deployments': { fresh: freshDeployment },
  'create-a-deployment': { body: { ref: 'main', environment: 'here', required_contexts: [], auto_merge: false } },
  'get-a-deployment': { fresh: freshDeployment },
  'delete-a-deployment': { fresh: freshDeploymentStatus },
  'list-deployment-statuses': { fresh: freshDeploymentStatus },
  'create-a-deployment-status': {
    fresh: freshDeployment,
    body: { state: 'success', log_url: 'https://ci.example.org/1', environment_url: 'https://here.example.org' },
  },
  'get-a-deployment-status': { fresh: freshDeploymentStatus },
  'review-a-deployment': { fresh: waitingDeployment, body: { state: 'approved', comment: 'Go' } },
  'list-environments': { fresh: freshEnvironment },
  'get-an-environment': { fresh: freshEnvironment },
  'create-or-update-an-environment': { params: () => ({ environment_name: 'put' }), body: { reviewers: null } },
  'delete-an-environment': { fresh: freshEnvironment },
  'get-all-autolinks-of-a-repository': { fresh: freshAutolink },
  'create-an-autolink-reference-for-a-repository': {
    body: () => ({ key_prefix: `T${++count}Y-`, url_template: 'https://tickets.example.org/<num>' }),
  },
  'get-an-autolink-reference-of-a-repository': { fresh: freshAutolink },
  'delete-an-autolink-reference-from-a-repository': { fresh: freshAutolink },
  'create-a-repository-dispatch-event': { body: { event_type: 'built', client_payload: { a: 1 } } },
  'add-an-email-address-for-the-authenticated-user': { body: () => ({ emails: [`${fresh('more')}@example.org`] }) },
  'delete-an-email-address-for-the-authenticated-user': {
    fresh: freshAddress,
    body: (_world, { email = 'nobody@example.org' }) => ({ emails: [email] }),
  },
  'set-primary-email-visibility-for-the-authenticated-user': { body: { visibility: 'private' } },
  'create-an-organization-of-ones-own': { body: () => ({ login: fresh('own-org') }) },
  'create-an-organization-as-its-owner': { body: () => ({ login: fresh('own-org') }) },
}
