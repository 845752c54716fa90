/** The rights of every mutation: whoever asks, by whatever token, is let in, refused or told of nothing as by the route over REST that is the same act. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mutations } from '../../../src/api/forge-graphql/mutations/mutations.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { installApp, mintToken, registerApp } from '../apps/app-world.ts'
import type { World } from '../world.ts'

const levels = { reader: 'pull', triager: 'triage', writer: 'push', maintainer: 'maintain', keeper: 'admin' } as const
const places = ['vault', 'open', 'attic'] as const
type Place = (typeof places)[number]

/** Those whose rights differ by whether it is public or archived; of the private one all are asked. */
const everywhere = new Set([
  ...['a reader', 'a writer', 'an owner', 'a stranger', 'one who is blocked', 'an installation'],
  ...[
    'a keeper by a token for nothing',
    'a keeper by a token for public_repo',
    'an owner by a fine token of their own',
  ],
])

type Outcome = 'allowed' | 'FORBIDDEN' | 'NOT_FOUND'
type Request = readonly [method: string, path: string, body?: object]
/** What a mutation is sent, and the request that is the same act. What is right but can't be done is allowed, too. */
type Case = { readonly input: object; readonly request: Request }

describe('the rights of mutations', () => {
  let server: TestServer
  let ann: RestClient
  const callers = new Map<string, RestClient>()
  const cases = new Map<Place, Map<string, () => Promise<Case> | Case>>()

  const outcomeOfRest = ({ status, body }: { status: number; body: Json }): Outcome => {
    if (status === 403) return 'FORBIDDEN'
    if (status === 404) return 'NOT_FOUND'
    assert.ok([200, 201, 202, 204, 405, 409, 422].includes(status), `${status} ${JSON.stringify(body)}`)
    return 'allowed'
  }
  async function mutate(client: RestClient, name: string, input: object): Promise<[Outcome, string]> {
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`
    const query = `mutation($input: ${type}!) { ${name}(input: $input) { clientMutationId } }`
    const { status, body } = await client.post('/graphql', { query, variables: { input } })
    assert.equal(status, 200)
    const [error] = body.errors ?? []
    const outcome = error?.type === 'FORBIDDEN' || error?.type === 'NOT_FOUND' ? error.type : 'allowed'
    assert.ok(!error || error.type, `${name}: ${error?.message}`)
    return [outcome, error?.message ?? '']
  }

  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    const root = asAdmin(server)
    ann = await makeUser(server, 'ann')
    await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
    await ann.patch('/orgs/acme', { default_repository_permission: 'none' })
    for (const name of places) await ann.post('/orgs/acme/repos', { name, private: name === 'vault', auto_init: true })
    for (const [login, permission] of Object.entries(levels)) {
      const client = await makeUser(server, login)
      callers.set(`a ${login}`, client)
      for (const name of places) await ann.put(`/repos/acme/${name}/collaborators/${login}`, { permission })
      const invitations: Json[] = (await client.get('/user/repository_invitations')).body
      for (const { id } of invitations) await client.patch(`/user/repository_invitations/${id}`)
    }
    callers.set('an owner', ann)
    callers.set('a stranger', await makeUser(server, 'stranger'))
    callers.set('one who is blocked', await makeUser(server, 'blocked'))
    await ann.put('/orgs/acme/blocks/blocked')
    const token = async (what: string, login: string, draft: object) =>
      callers.set(what, makeRest(server.url, await makeToken(server, login, draft)))
    for (const scopes of [[], ['public_repo'], ['repo:status'], ['user'], ['notifications']])
      await token(`a keeper by a token for ${scopes.join() || 'nothing'}`, 'keeper', { kind: 'classic', scopes })
    const all = ['issues', 'pull_requests', 'contents', 'administration'] as const
    const own = { resource_owner: 'acme', repositories: 'all' }
    for (const name of all)
      await token(`an owner by a fine token for ${name}`, 'ann', {
        ...{ kind: 'fine-grained', ...own },
        permissions: { [name]: 'write' },
      })
    const write = Object.fromEntries([...all, 'starring', 'watching'].map((name) => [name, 'write']))
    const read = Object.fromEntries(all.map((name) => [name, 'read']))
    await token('an owner by a fine token for reading', 'ann', { kind: 'fine-grained', ...own, permissions: read })
    await token('an owner by a fine token for all', 'ann', { kind: 'fine-grained', ...own, permissions: write })
    await token('an owner by a fine token of their own', 'ann', { kind: 'fine-grained', permissions: write })
    const marks = { starring: 'write', watching: 'write' }
    await token('an owner by a fine token for marks', 'ann', { kind: 'fine-grained', permissions: marks })
    await token('an owner by a fine token for one', 'ann', {
      ...{ kind: 'fine-grained', ...own, permissions: write },
      repositories: ['acme/open'],
    })
    const { starring: _starring, watching: _watching, ...ofRun } = write
    const { administration: _administration, ...asWorkflow } = ofRun
    await token('a workflow run', 'ann', { kind: 'workflow', repositories: ['acme/vault'], permissions: asWorkflow })
    const app = await registerApp({ server, ann } as World, ann)
    callers.set(
      'an installation',
      makeRest(server.url, await mintToken(app, await installApp(app, ann, 'acme', ['vault', 'open']))),
    )

    for (const name of places) cases.set(name, await furnish(name))
    await ann.patch('/repos/acme/attic', { archived: true })
  })
  after(() => server.stop())

  /** Everything that can be acted on, made by the owner, and every act that can be done to it again and again. */
  async function furnish(name: Place): Promise<Map<string, () => Promise<Case> | Case>> {
    const repo = `/repos/acme/${name}`
    const must = async (answer: Promise<{ status: number; body: Json }>): Promise<Json> => {
      const { status, body } = await answer
      assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
      return body
    }
    const { node_id: repositoryId } = await must(ann.get(repo))
    const { object } = await must(ann.get(`${repo}/git/ref/heads/main`))
    await must(ann.post(`${repo}/git/refs`, { ref: 'refs/heads/side', sha: object.sha }))
    await must(ann.put(`${repo}/contents/a.txt`, { message: 'a', content: 'YQo=', branch: 'side' }))
    const issue = await must(ann.post(`${repo}/issues`, { title: 'Issue' }))
    const comment = await must(ann.post(`${repo}/issues/${issue.number}/comments`, { body: 'Words' }))
    const label = await must(ann.post(`${repo}/labels`, { name: 'kept', color: 'ffffff' }))
    const pull = await must(ann.post(`${repo}/pulls`, { title: 'Pull', head: 'side', base: 'main' }))
    const line = { path: 'a.txt', line: 1, side: 'RIGHT', commit_id: pull.head.sha, body: 'Why?' }
    const remark = await must(ann.post(`${repo}/pulls/${pull.number}/comments`, line))
    const thread = Buffer.from(`PullRequestReviewThread:${remark.id}`).toString('base64url')
    const review = await must(ann.post(`${repo}/pulls/${pull.number}/reviews`, { event: 'COMMENT', body: 'Hm' }))
    const person = await must(ann.get('/users/ann'))
    const owner = await must(ann.get('/orgs/acme'))
    const issuePath = `${repo}/issues/${issue.number}`
    const pullPath = `${repo}/pulls/${pull.number}`
    const refId = Buffer.from(`Ref:${(await must(ann.get(repo))).id}:refs/heads/none`).toString('base64url')
    const ofIssue = { issueId: issue.node_id }
    const ofPull = { pullRequestId: pull.node_id }
    const zero = '0'.repeat(40)
    /** A thing of one's own for each who may end it. */
    const doomedComment = () => must(ann.post(`${issuePath}/comments`, { body: 'Soon gone' }))
    const linkBranch = async () => {
      const query =
        'mutation($input: CreateLinkedBranchInput!) { createLinkedBranch(input: $input) { linkedBranch { id } } }'
      const variables = { input: { ...ofIssue, oid: object.sha, name: 'linked' } }
      const { data } = await must(ann.post('/graphql', { query, variables }))
      return data.createLinkedBranch.linkedBranch.id
    }
    let linkedId = await linkBranch()
    const same =
      (input: object, ...request: Request) =>
      () => ({ input, request })
    let count = 0

    return new Map<string, () => Promise<Case> | Case>([
      ['createIssue', same({ repositoryId, title: 'T' }, 'POST', `${repo}/issues`, { title: 'T' })],
      ['updateIssue', same({ id: issue.node_id, title: 'T' }, 'PATCH', issuePath, { title: 'T' })],
      ['closeIssue', same(ofIssue, 'PATCH', issuePath, { state: 'closed' })],
      ['reopenIssue', same(ofIssue, 'PATCH', issuePath, { state: 'open' })],
      ['pinIssue', same(ofIssue, 'PUT', `${issuePath}/pin`)],
      ['unpinIssue', same(ofIssue, 'DELETE', `${issuePath}/pin`)],
      [
        'transferIssue',
        same({ ...ofIssue, repositoryId }, 'POST', `${issuePath}/transfer`, { new_repository: `acme/${name}` }),
      ],
      [
        'deleteIssue',
        async () => {
          const doomed = name === 'attic' ? issue : await must(ann.post(`${repo}/issues`, { title: 'Soon gone' }))
          const other = name === 'attic' ? issue : await must(ann.post(`${repo}/issues`, { title: 'Soon gone' }))
          return { input: { issueId: doomed.node_id }, request: ['DELETE', `${repo}/issues/${other.number}`] }
        },
      ],
      ['addComment', same({ subjectId: issue.node_id, body: 'B' }, 'POST', `${issuePath}/comments`, { body: 'B' })],
      [
        'updateIssueComment',
        same({ id: comment.node_id, body: 'B' }, 'PATCH', `${repo}/issues/comments/${comment.id}`, { body: 'B' }),
      ],
      [
        'deleteIssueComment',
        async () => {
          const [one, two] = name === 'attic' ? [comment, comment] : [await doomedComment(), await doomedComment()]
          return { input: { id: one.node_id }, request: ['DELETE', `${repo}/issues/comments/${two.id}`] }
        },
      ],
      [
        'addLabelsToLabelable',
        same({ labelableId: issue.node_id, labelIds: [label.node_id] }, 'POST', `${issuePath}/labels`, {
          labels: ['kept'],
        }),
      ],
      [
        'removeLabelsFromLabelable',
        same({ labelableId: issue.node_id, labelIds: [] }, 'POST', `${issuePath}/labels`, { labels: [] }),
      ],
      ['clearLabelsFromLabelable', same({ labelableId: issue.node_id }, 'DELETE', `${issuePath}/labels`)],
      [
        'createLabel',
        same({ repositoryId, name: 'kept', color: 'ffffff' }, 'POST', `${repo}/labels`, {
          name: 'kept',
          color: 'ffffff',
        }),
      ],
      [
        'updateLabel',
        same({ id: label.node_id, color: 'ffffff' }, 'PATCH', `${repo}/labels/kept`, { color: 'ffffff' }),
      ],
      [
        'deleteLabel',
        async () => {
          if (name === 'attic') return { input: { id: label.node_id }, request: ['DELETE', `${repo}/labels/kept`] }
          const one = await must(ann.post(`${repo}/labels`, { name: `gone-${++count}`, color: 'ffffff' }))
          await must(ann.post(`${repo}/labels`, { name: `gone-${++count}`, color: 'ffffff' }))
          return { input: { id: one.node_id }, request: ['DELETE', `${repo}/labels/gone-${count}`] }
        },
      ],
      [
        'addAssigneesToAssignable',
        same({ assignableId: issue.node_id, assigneeIds: [person.node_id] }, 'POST', `${issuePath}/assignees`, {
          assignees: ['ann'],
        }),
      ],
      [
        'removeAssigneesFromAssignable',
        same({ assignableId: issue.node_id, assigneeIds: [person.node_id] }, 'DELETE', `${issuePath}/assignees`, {
          assignees: ['ann'],
        }),
      ],
      ['lockLockable', same({ lockableId: pull.node_id }, 'PUT', `${repo}/issues/${pull.number}/lock`, {})],
      ['unlockLockable', same({ lockableId: pull.node_id }, 'DELETE', `${repo}/issues/${pull.number}/lock`)],
      [
        'createPullRequest',
        same({ repositoryId, baseRefName: 'main', headRefName: 'none', title: 'T' }, 'POST', `${repo}/pulls`, {
          base: 'main',
          head: 'none',
          title: 'T',
        }),
      ],
      ['updatePullRequest', same({ ...ofPull, title: 'T' }, 'PATCH', pullPath, { title: 'T' })],
      ['closePullRequest', same(ofPull, 'PATCH', pullPath, { state: 'closed' })],
      ['reopenPullRequest', same(ofPull, 'PATCH', pullPath, { state: 'open' })],
      ['convertPullRequestToDraft', same(ofPull, 'PATCH', pullPath, { draft: true })],
      ['markPullRequestReadyForReview', same(ofPull, 'PATCH', pullPath, { draft: false })],
      ['enablePullRequestAutoMerge', same(ofPull, 'PUT', `${pullPath}/auto-merge`, {})],
      ['disablePullRequestAutoMerge', same(ofPull, 'DELETE', `${pullPath}/auto-merge`)],
      ['mergePullRequest', same({ ...ofPull, expectedHeadOid: zero }, 'PUT', `${pullPath}/merge`, { sha: zero })],
      // A branch is made as for a merge, and a pull is opened.
      ['revertPullRequest', same(ofPull, 'PUT', `${pullPath}/merge`, { sha: zero })],
      [
        'updatePullRequestBranch',
        same({ ...ofPull, expectedHeadOid: zero }, 'PUT', `${pullPath}/update-branch`, { expected_head_sha: zero }),
      ],
      [
        'requestReviews',
        same({ ...ofPull, userIds: [], union: true }, 'POST', `${pullPath}/requested_reviewers`, { reviewers: [] }),
      ],
      [
        'addPullRequestReview',
        same({ ...ofPull, event: 'COMMENT', body: 'B' }, 'POST', `${pullPath}/reviews`, {
          event: 'COMMENT',
          body: 'B',
        }),
      ],
      [
        'submitPullRequestReview',
        same(
          { pullRequestReviewId: review.node_id, event: 'COMMENT', body: 'B' },
          'POST',
          `${pullPath}/reviews/${review.id}/events`,
          { event: 'COMMENT', body: 'B' },
        ),
      ],
      [
        'updatePullRequestReview',
        same({ pullRequestReviewId: review.node_id, body: 'B' }, 'PUT', `${pullPath}/reviews/${review.id}`, {
          body: 'B',
        }),
      ],
      [
        'deletePullRequestReview',
        same({ pullRequestReviewId: review.node_id }, 'DELETE', `${pullPath}/reviews/${review.id}`),
      ],
      [
        'dismissPullRequestReview',
        same(
          { pullRequestReviewId: review.node_id, message: 'M' },
          'PUT',
          `${pullPath}/reviews/${review.id}/dismissals`,
          { message: 'M' },
        ),
      ],
      // Part of a review, which over REST is begun by the same right; nothing is asked of the diff before that.
      [
        'addPullRequestReviewThread',
        same({ ...ofPull, path: 'none', line: 1, body: 'B' }, 'POST', `${pullPath}/comments`, {
          ...line,
          path: 'none',
        }),
      ],
      [
        'addPullRequestReviewComment',
        same({ ...ofPull, path: 'none', position: 1, body: 'B' }, 'POST', `${pullPath}/comments`, {
          ...line,
          path: 'none',
        }),
      ],
      [
        'addPullRequestReviewThreadReply',
        same({ pullRequestReviewThreadId: thread, body: 'B' }, 'POST', `${pullPath}/comments/${remark.id}/replies`, {
          body: 'B',
        }),
      ],
      [
        'updatePullRequestReviewComment',
        same(
          { pullRequestReviewCommentId: remark.node_id, body: 'B' },
          'PATCH',
          `${repo}/pulls/comments/${remark.id}`,
          { body: 'B' },
        ),
      ],
      [
        'deletePullRequestReviewComment',
        async () => {
          if (name === 'attic')
            return { input: { id: remark.node_id }, request: ['DELETE', `${repo}/pulls/comments/${remark.id}`] }
          const one = await must(ann.post(`${pullPath}/comments`, line))
          const two = await must(ann.post(`${pullPath}/comments`, line))
          return { input: { id: one.node_id }, request: ['DELETE', `${repo}/pulls/comments/${two.id}`] }
        },
      ],
      // Only here; it is for those who edit the pull.
      ['resolveReviewThread', same({ threadId: thread }, 'PATCH', pullPath, { body: 'B' })],
      ['unresolveReviewThread', same({ threadId: thread }, 'PATCH', pullPath, { body: 'B' })],
      [
        'createRef',
        same({ repositoryId, name: 'refs/heads/main', oid: object.sha }, 'POST', `${repo}/git/refs`, {
          ref: 'refs/heads/main',
          sha: object.sha,
        }),
      ],
      ['updateRef', same({ refId, oid: object.sha }, 'PATCH', `${repo}/git/refs/heads/none`, { sha: object.sha })],
      [
        'createLinkedBranch',
        same({ ...ofIssue, name: 'main', oid: object.sha }, 'POST', `${repo}/git/refs`, {
          ref: 'refs/heads/main',
          sha: object.sha,
        }),
      ],
      [
        'deleteLinkedBranch',
        async () => {
          if (name !== 'attic') {
            await ann.delete(`${repo}/git/refs/heads/linked`)
            linkedId = await linkBranch()
          }
          const request = ['POST', `${repo}/git/refs`, { ref: 'refs/heads/main', sha: object.sha }] as const
          return { input: { linkedBranchId: linkedId }, request }
        },
      ],
      ['deleteRef', same({ refId }, 'DELETE', `${repo}/git/refs/heads/none`)],
      [
        'createCommitOnBranch',
        same(
          {
            branch: { repositoryNameWithOwner: `acme/${name}`, branchName: 'main' },
            expectedHeadOid: zero,
            message: { headline: 'x' },
          },
          'POST',
          `${repo}/git/trees`,
          { tree: [{ path: 'x', mode: '100644', sha: zero }] },
        ),
      ],
      ['updateRepository', same({ repositoryId, description: 'D' }, 'PATCH', repo, { description: 'D' })],
      [
        'unarchiveRepository',
        same({ repositoryId }, 'PATCH', repo, name === 'attic' ? { description: 'D' } : { archived: false }),
      ],
      [
        'archiveRepository',
        async () => {
          await must(ann.patch(repo, { archived: false }))
          return { input: { repositoryId }, request: ['PATCH', repo, { archived: true }] }
        },
      ],
      // It is no template: only who gets as far as to be told so is compared.
      [
        'cloneTemplateRepository',
        same(
          { repositoryId, ownerId: owner.node_id, name: 'vault', visibility: 'PUBLIC' },
          'POST',
          `${repo}/generate`,
          {
            ...{ owner: 'acme', name: 'vault' },
          },
        ),
      ],
      ['updateTopics', same({ repositoryId, topicNames: ['t'] }, 'PUT', `${repo}/topics`, { names: ['t'] })],
      ['addStar', same({ starrableId: repositoryId }, 'PUT', `/user/starred/acme/${name}`)],
      ['removeStar', same({ starrableId: repositoryId }, 'DELETE', `/user/starred/acme/${name}`)],
      [
        'updateSubscription',
        same({ subscribableId: repositoryId, state: 'SUBSCRIBED' }, 'PUT', `${repo}/subscription`, {
          subscribed: true,
        }),
      ],
      [
        'addReaction',
        same({ subjectId: issue.node_id, content: 'HEART' }, 'POST', `${issuePath}/reactions`, { content: 'heart' }),
      ],
      [
        'removeReaction',
        async () => ({
          input: { subjectId: remark.node_id, content: 'ROCKET' },
          // The door of taking one back; of one that is not there it is 404 where it is let in.
          request: ['DELETE', `${repo}/pulls/comments/${remark.id}/reactions/999999`],
        }),
      ],
    ])
  }

  /** It names no repository, and has a test of its own below. */
  const elsewhere = new Set(['createRepository'])
  /** Over REST it is 404 that there is no such reaction: who is let in is told so in both. */
  const soft = new Set(['removeReaction'])

  for (const place of places)
    for (const name of Object.keys(mutations).filter((each) => !elsewhere.has(each)))
      test(`${name} in ${place}`, async () => {
        // What is archived stays so for the rows that follow.
        if (/^(?:un)?archiveRepository$/.test(name) && place === 'attic') return
        const make = cases.get(place)!.get(name)
        assert.ok(make, `${name} is not in the table`)
        const wrong: string[] = []
        const outcomes = new Set<Outcome>()
        for (const [who, client] of callers) {
          if (place !== 'vault' && !everywhere.has(who)) continue
          const { input, request } = await make()
          const [method, path, body] = request
          const rest = outcomeOfRest(await client.ask(method, path, body))
          const [outcome, message] = await mutate(client, name, input)
          const isSoft = soft.has(name) && rest === 'NOT_FOUND' && outcome === 'allowed'
          outcomes.add(rest)
          // A branch is made for an issue that the token may read.
          const isBlind = name === 'createLinkedBranch' && who === 'an owner by a fine token for contents'
          const lacksPulls = name === 'revertPullRequest' && who === 'an owner by a fine token for contents'
          if (lacksPulls) assert.equal(outcome, 'FORBIDDEN')
          else if (rest !== outcome && !isSoft && !(isBlind && outcome === 'NOT_FOUND'))
            wrong.push(`${who}: ${rest} over REST, here ${outcome} ${message}`)
        }
        if (name === 'archiveRepository') await ann.patch(`/repos/acme/${place}`, { archived: false })
        assert.deepEqual(wrong, [])
        assert.ok(place === 'attic' || outcomes.size > 1, 'somebody is refused')
      })

  test('a repository is made by those who make one over REST', async () => {
    const { node_id: acme } = (await ann.get('/orgs/acme')).body
    for (const [who, client] of callers) {
      const draft = { name: 'vault' }
      const rest = outcomeOfRest(await client.post('/orgs/acme/repos', draft))
      const [outcome, message] = await mutate(client, 'createRepository', {
        name: 'vault',
        visibility: 'PUBLIC',
        ownerId: acme,
      })
      assert.equal(outcome, rest, `${who}: ${message}`)
    }
  })
})
