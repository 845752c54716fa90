/** Mutations: each is the act that its route over REST is, and REST shows afterwards what it did. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { mutations } from '../../../src/api/forge-graphql/mutations/mutations.ts'
import { engines } from '../../support/engines.ts'
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld, type World } from '../world.ts'

const upperFirst = (name: string) => name[0]!.toUpperCase() + name.slice(1)
const repo = '/repos/ann/open'

for (const engine of engines) {
  describe(`mutations on ${engine}`, () => {
    let server: TestServer
    let world: World
    let ids: Record<string, string>
    const made = new Set<string>()

    const send = async (client: RestClient, name: string, input: object, selection = 'clientMutationId') => {
      made.add(name)
      const query = `mutation($input: ${upperFirst(name)}Input!) { it: ${name}(input: $input) { ${selection} } }`
      const { status, body } = await client.post('/graphql', { query, variables: { input } })
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const act = async (name: string, input: object, selection?: string, client = world.ann): Promise<Json> => {
      const { data, errors } = await send(client, name, { ...input, clientMutationId: 'mine' }, selection)
      assert.deepEqual(errors, undefined)
      return data.it
    }
    const read = async (path: string): Promise<Json> => (await world.ann.get(path)).body
    const id = async (path: string): Promise<string> => (await read(path)).node_id

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      world = await makeWorld(server)
      const { ann, bob } = world
      await ann.put(`${repo}/collaborators/bob`, { permission: 'push' })
      const [invitation] = (await bob.get('/user/repository_invitations')).body
      await bob.patch(`/user/repository_invitations/${invitation.id}`)
      for (const title of ['One', 'Two', 'Three']) await ann.post(`${repo}/issues`, { title, body: 'Words' })
      await ann.post(`${repo}/milestones`, { title: 'Soon' })
      for (const branch of ['one', 'two', 'three']) {
        await ann.post(`${repo}/git/refs`, { ref: `refs/heads/${branch}`, sha: world.shas.commit })
        await ann.put(`${repo}/contents/${branch}.txt`, {
          message: branch,
          content: Buffer.from('a\nb\nc\n').toString('base64'),
          branch,
        })
      }
      ids = {
        repository: await id(repo),
        issue: await id(`${repo}/issues/1`),
        other: await id(`${repo}/issues/2`),
        third: await id(`${repo}/issues/3`),
        bug: await id(`${repo}/labels/bug`),
        soon: await id(`${repo}/milestones/1`),
        ann: await id('/users/ann'),
        bob: await id('/users/bob'),
        cid: await id('/users/cid'),
      }
    })
    after(() => server.stop())

    test('an issue is opened, edited, closed, reopened, pinned, and its marks are set', async () => {
      const opened = await act(
        'createIssue',
        {
          repositoryId: ids.repository,
          title: 'New',
          body: 'B',
          labelIds: [ids.bug],
          assigneeIds: [ids.bob],
          milestoneId: ids.soon,
        },
        'clientMutationId issue { id number title author { login } labels(first: 5) { nodes { name } } repository { nameWithOwner } }',
      )
      assert.equal(opened.clientMutationId, 'mine')
      assert.deepEqual([opened.issue.title, opened.issue.author.login], ['New', 'ann'])
      const path = `${repo}/issues/${opened.issue.number}`
      const issue = await read(path)
      assert.deepEqual(
        [issue.node_id, issue.body, issue.labels[0].name, issue.assignees[0].login, issue.milestone.number],
        [opened.issue.id, 'B', 'bug', 'bob', 1],
      )
      const of = opened.issue.id
      await act('updateIssue', { id: of, title: 'Newer', labelIds: [], milestoneId: null, assigneeIds: [ids.ann] })
      const edited = await read(path)
      assert.deepEqual(
        [edited.title, edited.body, edited.labels, edited.milestone, edited.assignees[0].login],
        ['Newer', 'B', [], null, 'ann'],
      )
      const closed = await act('closeIssue', { issueId: of, stateReason: 'NOT_PLANNED' }, 'issue { state stateReason }')
      assert.deepEqual(closed.issue, { state: 'CLOSED', stateReason: 'NOT_PLANNED' })
      assert.equal((await read(path)).state_reason, 'not_planned')
      await act('reopenIssue', { issueId: of })
      assert.equal((await read(path)).state, 'open')
      assert.equal((await act('pinIssue', { issueId: of }, 'issue { isPinned }')).issue.isPinned, true)
      assert.equal((await act('unpinIssue', { issueId: of }, 'id issue { isPinned }')).id, of)
      await act('addLabelsToLabelable', { labelableId: of, labelIds: [ids.bug] })
      assert.deepEqual((await read(path)).labels[0].name, 'bug')
      await act('removeLabelsFromLabelable', { labelableId: of, labelIds: [ids.bug] })
      await act('addLabelsToLabelable', { labelableId: of, labelIds: [ids.bug] })
      await act('clearLabelsFromLabelable', { labelableId: of }, 'labelable { ... on Issue { number } }')
      assert.deepEqual((await read(path)).labels, [])
      await act('addAssigneesToAssignable', { assignableId: of, assigneeIds: [ids.bob] })
      await act('removeAssigneesFromAssignable', { assignableId: of, assigneeIds: [ids.ann] })
      assert.deepEqual(
        (await read(path)).assignees.map(({ login }: Json) => login),
        ['bob'],
      )
      const locked = await act(
        'lockLockable',
        { lockableId: of, lockReason: 'TOO_HEATED' },
        'actor { login } lockedRecord { locked activeLockReason }',
      )
      assert.deepEqual(locked, {
        actor: { login: 'ann' },
        lockedRecord: { locked: true, activeLockReason: 'TOO_HEATED' },
      })
      await act('unlockLockable', { lockableId: of })
      assert.equal((await read(path)).locked, false)
      const events = (await read(`${path}/events`)).map(({ event }: Json) => event)
      for (const event of [
        'labeled',
        'unlabeled',
        'assigned',
        'unassigned',
        'renamed',
        'milestoned',
        'demilestoned',
        'closed',
        'reopened',
        'pinned',
        'unpinned',
        'locked',
        'unlocked',
      ])
        assert.ok(events.includes(event), event)
    })

    test('comments and labels are written, changed and deleted; reactions, too', async () => {
      const { commentEdge, subject } = await act(
        'addComment',
        { subjectId: ids.issue, body: 'Hello @bob' },
        'commentEdge { node { id databaseId body } } subject { id }',
      )
      assert.equal(subject.id, ids.issue)
      const path = `${repo}/issues/comments/${commentEdge.node.databaseId}`
      await act(
        'updateIssueComment',
        { id: commentEdge.node.id, body: 'Hello' },
        'issueComment { body issue { number } }',
      )
      assert.equal((await read(path)).body, 'Hello')
      const added = await act(
        'addReaction',
        { subjectId: commentEdge.node.id, content: 'HEART' },
        'reaction { content user { login } } reactionGroups { content users { totalCount } } subject { id }',
      )
      assert.deepEqual(added.reaction, { content: 'HEART', user: { login: 'ann' } })
      assert.equal(added.reactionGroups.find(({ content }: Json) => content === 'HEART').users.totalCount, 1)
      assert.equal((await read(path)).reactions.heart, 1)
      await act('removeReaction', { subjectId: commentEdge.node.id, content: 'HEART' })
      assert.equal((await read(path)).reactions.heart, 0)
      await act('addReaction', { subjectId: ids.issue, content: 'EYES' })
      assert.equal((await read(`${repo}/issues/1`)).reactions.eyes, 1)
      await act('deleteIssueComment', { id: commentEdge.node.id })
      assert.equal((await world.ann.get(path)).status, 404)
      const { label } = await act(
        'createLabel',
        { repositoryId: ids.repository, name: 'sky', color: '00aaff' },
        'label { id name }',
      )
      await act('updateLabel', { id: label.id, name: 'roof', description: 'Tiles' }, 'label { name }')
      assert.deepEqual((await read(`${repo}/labels/roof`)).description, 'Tiles')
      await act('deleteLabel', { id: label.id })
      assert.equal((await world.ann.get(`${repo}/labels/roof`)).status, 404)
    })

    test('an issue is transferred, and deleted', async () => {
      await world.ann.post('/user/repos', { name: 'next' })
      const to = await id('/repos/ann/next')
      const { issue } = await act(
        'transferIssue',
        { issueId: ids.other, repositoryId: to },
        'issue { number repository { name } }',
      )
      assert.deepEqual(issue, { number: 1, repository: { name: 'next' } })
      assert.equal((await read('/repos/ann/next/issues/1')).title, 'Two')
      const { repository } = await act('deleteIssue', { issueId: ids.third }, 'repository { name }')
      assert.equal(repository.name, 'open')
      assert.equal((await world.ann.get(`${repo}/issues/3`)).status, 410)
    })

    test('a pull is opened, edited, reviewed and merged', async () => {
      const draft = {
        repositoryId: ids.repository,
        baseRefName: 'main',
        headRefName: 'one',
        title: 'A pull',
        body: 'B',
        draft: true,
      }
      const { pullRequest: opened } = await act('createPullRequest', draft, 'pullRequest { id number url isDraft }')
      const path = `${repo}/pulls/${opened.number}`
      assert.deepEqual([opened.isDraft, (await read(path)).html_url], [true, opened.url])
      const of = { pullRequestId: opened.id }
      await act('markPullRequestReadyForReview', of)
      assert.equal((await read(path)).draft, false)
      await act('convertPullRequestToDraft', of)
      assert.equal((await read(path)).draft, true)
      await act('markPullRequestReadyForReview', of)
      await act('closePullRequest', of)
      assert.equal((await read(path)).state, 'closed')
      await act('reopenPullRequest', of, 'pullRequest { state }')
      await act('updatePullRequest', { ...of, title: 'The pull', labelIds: [ids.bug], assigneeIds: [ids.bob] })
      const edited = await read(path)
      assert.deepEqual(
        [edited.title, edited.body, edited.labels[0].name, edited.assignees[0].login],
        ['The pull', 'B', 'bug', 'bob'],
      )
      await act('requestReviews', { ...of, userIds: [ids.bob] })
      assert.deepEqual(
        (await read(path)).requested_reviewers.map(({ login }: Json) => login),
        ['bob'],
      )
      await act('requestReviews', { ...of, userIds: [] })
      assert.deepEqual((await read(path)).requested_reviewers, [])

      const threads = [{ path: 'one.txt', line: 2, body: 'Why b?' }]
      const { pullRequestReview } = await act(
        'addPullRequestReview',
        { ...of, event: 'APPROVE', body: 'Fine', threads },
        'pullRequestReview { id databaseId state comments(first: 5) { nodes { body line path state } } }',
        world.bob,
      )
      assert.deepEqual(
        [pullRequestReview.state, pullRequestReview.comments.nodes],
        ['APPROVED', [{ body: 'Why b?', line: 2, path: 'one.txt', state: 'SUBMITTED' }]],
      )
      await act(
        'updatePullRequestReview',
        { pullRequestReviewId: pullRequestReview.id, body: 'Very fine' },
        'pullRequestReview { body }',
        world.bob,
      )
      await act('dismissPullRequestReview', { pullRequestReviewId: pullRequestReview.id, message: 'No' })
      const [review] = await read(`${path}/reviews`)
      assert.deepEqual([review.state, review.body, review.node_id], ['DISMISSED', 'Very fine', pullRequestReview.id])

      await act('updatePullRequestBranch', of)
        .then(() => assert.fail('there was something new'))
        .catch((error: Error) => assert.match(error.message, /no new commits/))
      const { sha } = (await read(path)).head
      const stale = await send(world.ann, 'mergePullRequest', { ...of, expectedHeadOid: world.shas.commit })
      assert.equal(stale.errors[0].type, 'UNPROCESSABLE')
      const { pullRequest: merged } = await act(
        'mergePullRequest',
        { ...of, mergeMethod: 'SQUASH', commitHeadline: 'In', expectedHeadOid: sha },
        'pullRequest { state merged mergedBy { login } mergeCommit { messageHeadline } }',
      )
      assert.deepEqual(merged, {
        state: 'MERGED',
        merged: true,
        mergedBy: { login: 'ann' },
        mergeCommit: { messageHeadline: 'In' },
      })
    })

    test('a review grows thread by thread until it is submitted; its threads are answered and resolved', async () => {
      const { pullRequest } = await act(
        'createPullRequest',
        { repositoryId: ids.repository, baseRefName: 'main', headRefName: 'two', title: 'Two' },
        'pullRequest { id number }',
      )
      const path = `${repo}/pulls/${pullRequest.number}`
      const of = { pullRequestId: pullRequest.id }
      const { thread } = await act(
        'addPullRequestReviewThread',
        { ...of, path: 'two.txt', line: 1, side: 'RIGHT', body: 'First' },
        'thread { id isResolved path line comments(first: 5) { nodes { id body state } } }',
        world.bob,
      )
      assert.deepEqual(
        [thread.path, thread.line, thread.isResolved, thread.comments.nodes[0].state],
        ['two.txt', 1, false, 'PENDING'],
      )
      const { comment } = await act(
        'addPullRequestReviewComment',
        { ...of, path: 'two.txt', position: 2, body: 'Second' },
        'comment { id pullRequestReview { id state } }',
        world.bob,
      )
      assert.equal(comment.pullRequestReview.state, 'PENDING')
      assert.deepEqual(await read(`${path}/comments`), [], 'nobody else sees what is pending')
      const ofThreads = `query($id: ID!) { node(id: $id) { ... on PullRequest { reviewThreads(first: 10) { totalCount nodes { id isResolved resolvedBy { login } comments(first: 10) { nodes { body } } } } } } }`
      const threadsFor = async (client: RestClient) =>
        (await client.post('/graphql', { query: ofThreads, variables: { id: pullRequest.id } })).body.data.node
          .reviewThreads
      assert.deepEqual([(await threadsFor(world.ann)).totalCount, (await threadsFor(world.bob)).totalCount], [0, 2])
      await act(
        'updatePullRequestReviewComment',
        { pullRequestReviewCommentId: comment.id, body: 'Third' },
        'pullRequestReviewComment { body }',
        world.bob,
      )
      const { pullRequestReview } = await act(
        'submitPullRequestReview',
        { ...of, event: 'COMMENT', body: 'Words' },
        'pullRequestReview { id state }',
        world.bob,
      )
      assert.equal(pullRequestReview.state, 'COMMENTED')
      assert.deepEqual(
        (await read(`${path}/comments`)).map(({ body }: Json) => body),
        ['First', 'Third'],
      )
      await act(
        'addPullRequestReviewThreadReply',
        { pullRequestReviewThreadId: thread.id, body: 'Answer' },
        'comment { body replyTo { body } }',
      )
      assert.deepEqual(
        (await read(`${path}/comments`)).map(({ body }: Json) => body),
        ['First', 'Third', 'Answer'],
      )
      const resolved = await act(
        'resolveReviewThread',
        { threadId: thread.id },
        'thread { isResolved resolvedBy { login } }',
      )
      assert.deepEqual(resolved.thread, { isResolved: true, resolvedBy: { login: 'ann' } })
      const { nodes } = await threadsFor(world.ann)
      assert.deepEqual(
        nodes.map((node: Json) => [node.isResolved, node.comments.nodes.map(({ body }: Json) => body)]),
        [
          [true, ['First', 'Answer']],
          [false, ['Third']],
        ],
      )
      await act('unresolveReviewThread', { threadId: thread.id })
      const strange = await send(world.cid, 'resolveReviewThread', { threadId: thread.id })
      assert.equal(strange.errors[0].type, 'FORBIDDEN')
      await act('deletePullRequestReviewComment', { id: comment.id }, 'pullRequestReviewComment { body }', world.bob)
      assert.deepEqual(
        (await read(`${path}/comments`)).map(({ body }: Json) => body),
        ['First', 'Answer'],
      )
      const pending = await act('addPullRequestReview', { ...of, body: 'Later' }, 'pullRequestReview { id state }')
      assert.equal(pending.pullRequestReview.state, 'PENDING')
      await act('deletePullRequestReview', { pullRequestReviewId: pending.pullRequestReview.id })
      assert.equal((await read(`${path}/reviews`)).length, 2)
    })

    test('refs are made, moved and deleted, and files committed to a branch', async () => {
      const oid = (await read(`${repo}/git/ref/heads/main`)).object.sha
      const { ref } = await act(
        'createRef',
        { repositoryId: ids.repository, name: 'refs/heads/fresh', oid },
        'ref { id name prefix target { oid } }',
      )
      assert.deepEqual([ref.name, ref.prefix, ref.target.oid], ['fresh', 'refs/heads/', oid])
      const branch = { repositoryNameWithOwner: 'ann/open', branchName: 'fresh' }
      const fileChanges = {
        additions: [{ path: 'new/file.txt', contents: Buffer.from('Hi\n').toString('base64') }],
        deletions: [{ path: 'README.md' }],
      }
      const { commit } = await act(
        'createCommitOnBranch',
        { branch, expectedHeadOid: oid, message: { headline: 'Change', body: 'Both' }, fileChanges },
        'commit { oid url message author { user { login } } } ref { target { oid } }',
      )
      assert.deepEqual([commit.message, commit.author.user.login], ['Change\n\nBoth', 'ann'])
      assert.equal((await read(`${repo}/contents/new/file.txt?ref=fresh`)).content, 'SGkK\n')
      assert.equal((await world.ann.get(`${repo}/contents/README.md?ref=fresh`)).status, 404)
      const late = await send(world.ann, 'createCommitOnBranch', {
        branch: { id: ref.id },
        expectedHeadOid: oid,
        message: { headline: 'Late' },
        fileChanges,
      })
      assert.equal(late.errors[0].type, 'STALE_DATA')
      await act('updateRef', { refId: ref.id, oid, force: true })
      assert.equal((await read(`${repo}/git/ref/heads/fresh`)).object.sha, oid)
      await act('deleteRef', { refId: ref.id })
      assert.equal((await world.ann.get(`${repo}/git/ref/heads/fresh`)).status, 404)
    })

    test('repositories are made, changed, archived, starred and watched', async () => {
      const made = await act(
        'createRepository',
        { name: 'own', visibility: 'PRIVATE', description: 'Mine', homepageUrl: 'https://example.org' },
        'repository { id nameWithOwner visibility hasWikiEnabled }',
      )
      assert.deepEqual(made.repository, {
        id: await id('/repos/ann/own'),
        nameWithOwner: 'ann/own',
        visibility: 'PRIVATE',
        hasWikiEnabled: false,
      })
      const acme = await act(
        'createRepository',
        { name: 'shared', visibility: 'PUBLIC', ownerId: await id('/orgs/acme') },
        'repository { nameWithOwner }',
      )
      assert.equal(acme.repository.nameWithOwner, 'acme/shared')
      const { id: repositoryId } = made.repository
      await world.ann.patch(repo, { is_template: true })
      const copy = await act(
        'cloneTemplateRepository',
        { repositoryId: ids.repository, ownerId: ids.ann, name: 'copied', visibility: 'PUBLIC' },
        'repository { templateRepository { nameWithOwner } }',
      )
      assert.equal(copy.repository.templateRepository.nameWithOwner, 'ann/open')
      await act(
        'updateRepository',
        { repositoryId, name: 'renamed', hasIssuesEnabled: false },
        'repository { name hasIssuesEnabled }',
      )
      await act(
        'updateTopics',
        { repositoryId, topicNames: ['tiles'] },
        'repository { repositoryTopics(first: 5) { nodes { topic { name } } } }',
      )
      const changed = await read('/repos/ann/renamed')
      assert.deepEqual(
        [changed.has_issues, changed.topics, changed.homepage],
        [false, ['tiles'], 'https://example.org'],
      )
      assert.equal(
        (await act('archiveRepository', { repositoryId }, 'repository { isArchived }')).repository.isArchived,
        true,
      )
      await act('unarchiveRepository', { repositoryId })
      assert.equal((await read('/repos/ann/renamed')).archived, false)
      assert.equal(
        (await act('addStar', { starrableId: ids.repository }, 'starrable { stargazerCount viewerHasStarred }'))
          .starrable.viewerHasStarred,
        true,
      )
      await act('removeStar', { starrableId: ids.repository })
      assert.equal((await read(repo)).stargazers_count, 0)
      const ignored = await act(
        'updateSubscription',
        { subscribableId: ids.repository, state: 'IGNORED' },
        'subscribable { viewerSubscription }',
      )
      assert.equal(ignored.subscribable.viewerSubscription, 'IGNORED')
      assert.equal((await read(`${repo}/subscription`)).ignored, true)
      await act('updateSubscription', { subscribableId: ids.repository, state: 'UNSUBSCRIBED' })
      assert.equal((await world.ann.get(`${repo}/subscription`)).status, 404)
    })

    test('those of one document are made in order, and one that fails leaves the others', async () => {
      const query = `mutation($id: ID!, $text: String!) {
        a: addComment(input: {subjectId: $id, body: $text}) { commentEdge { node { databaseId } } }
        b: addComment(input: {subjectId: $id, body: $text}) { commentEdge { node { databaseId } } }
        c: closeIssue(input: {issueId: "nonsense"}) { issue { id } }
        d: updateIssue(input: {id: $id, title: "Done"}) { issue { title comments(last: 2) { nodes { body } } } } }`
      const { body } = await world.ann.post('/graphql', { query, variables: { id: ids.issue, text: 'Twice' } })
      assert.deepEqual(
        body.errors.map(({ type, path }: Json) => [type, path]),
        [['NOT_FOUND', ['c']]],
      )
      const { a, b, c, d } = body.data
      assert.ok(b.commentEdge.node.databaseId > a.commentEdge.node.databaseId)
      assert.deepEqual(
        [c, d.issue.title, d.issue.comments.nodes],
        [null, 'Done', [{ body: 'Twice' }, { body: 'Twice' }]],
      )
    })

    const long = 'x'.repeat(300_000)
    const refused: [string, () => [string, object], string, RegExp][] = [
      ['an empty title', () => ['createIssue', { repositoryId: ids.repository, title: ' ' }], 'UNPROCESSABLE', /title/],
      [
        'too long a title',
        () => ['createIssue', { repositoryId: ids.repository, title: 'x'.repeat(257) }],
        'UNPROCESSABLE',
        /title is too long \(maximum is 256/,
      ],
      [
        'too long a text',
        () => ['addComment', { subjectId: ids.issue, body: long }],
        'UNPROCESSABLE',
        /body is too long/,
      ],
      ['a NUL', () => ['addComment', { subjectId: ids.issue, body: 'a\0b' }], 'UNPROCESSABLE', /NUL/],
      [
        'too many labels',
        () => ['addLabelsToLabelable', { labelableId: ids.issue, labelIds: Array(101).fill(ids.bug) }],
        'UNPROCESSABLE',
        /more than 100/,
      ],
      [
        'a label of another repository',
        () => [
          'addLabelsToLabelable',
          { labelableId: ids.issue, labelIds: [Buffer.from('Label:999999').toString('base64url')] },
        ],
        'NOT_FOUND',
        /global id/,
      ],
      [
        'a project',
        () => ['createIssue', { repositoryId: ids.repository, title: 'T', projectIds: ['x'] }],
        'UNPROCESSABLE',
        /projectIds is not served/,
      ],
      [
        'contents that are not Base64',
        () => [
          'createCommitOnBranch',
          {
            branch: { repositoryNameWithOwner: 'ann/open', branchName: 'main' },
            expectedHeadOid: '0'.repeat(40),
            message: { headline: 'x' },
            fileChanges: { additions: [{ path: 'a', contents: '§' }] },
          },
        ],
        'STALE_DATA',
        /Expected branch/,
      ],
      [
        'a user as a label',
        () => ['addLabelsToLabelable', { labelableId: ids.issue, labelIds: [ids.bob] }],
        'NOT_FOUND',
        /global id/,
      ],
      ['a pull’s id for an issue’s', () => ['closeIssue', { issueId: ids.bug }], 'NOT_FOUND', /global id/],
      [
        'an oid that is none',
        () => ['createRef', { repositoryId: ids.repository, name: 'refs/heads/x', oid: { a: 1 } as never }],
        'UNPROCESSABLE',
        /oid/,
      ],
    ]
    for (const [what, make, type, message] of refused)
      test(`${what} is refused`, async () => {
        const [name, input] = make()
        const { data, errors } = await send(world.ann, name, input)
        assert.deepEqual([data.it, errors[0].type], [null, type])
        assert.match(errors[0].message, message)
      })

    // Auto-merges are made in test/forge/pulls/owners.test.ts, reverts in test/forge/pulls/reverting.test.ts, branches of issues in test/forge/issues/linked-branches.test.ts.
    test('every mutation of the schema was made here', async () => {
      const { body } = await world.ann.post('/graphql', { query: getIntrospectionQuery() })
      const { types } = (body.data as IntrospectionQuery).__schema
      const root = types.find(({ name }) => name === 'Mutation') as { fields: { name: string }[] } | undefined
      assert.deepEqual(
        root!.fields
          .map(({ name }) => name)
          .filter((name) => !made.has(name) && !/(AutoMerge|LinkedBranch|^revertPullRequest)$/.test(name)),
        [],
      )
    })
  })
}

test('the documents name every mutation', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'forge-graphql.md'), 'utf8')
  const missing = Object.keys(mutations).filter((name) => !text.includes(`\`${name}\``))
  assert.deepEqual(missing, [])
})
