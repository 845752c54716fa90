/** Pull mutations: open, edit, close, mark as ready, merge. */
import { invalidField } from '../../../forge/failures.ts'
import type { MergeRequest } from '../../../forge/pulls/merging/pull-merging.ts'
import type { PullEdit } from '../../../forge/pulls/pulls.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { orUnresolved } from '../context.ts'
import type { MarkInput } from './issue-mutations.ts'
import { readMarks } from './issue-mutations.ts'
import { type Acting, type Maybe, type Mutations, mutation } from './mutation.ts'
import { changed, demandNone, enterPull, enterRepository, getPull, readId, showPull, unknownNode } from './subjects.ts'

const pullsWrite = changed('read', 'pull_requests=write')

type CreatePull = {
  repositoryId: string
  baseRefName: string
  headRefName: string
  headRepositoryId?: Maybe<string>
  title: string
  body?: Maybe<string>
  draft?: Maybe<boolean>
  maintainerCanModify?: Maybe<boolean>
}
type UpdatePull = MarkInput & {
  pullRequestId: string
  title?: Maybe<string>
  body?: Maybe<string>
  baseRefName?: Maybe<string>
  maintainerCanModify?: Maybe<boolean>
  state?: Maybe<'OPEN' | 'CLOSED'>
}
type RevertPull = { pullRequestId: string; title?: Maybe<string>; body?: Maybe<string>; draft?: Maybe<boolean> }
type MergePull = {
  pullRequestId: string
  authorEmail?: Maybe<string>
  commitHeadline?: Maybe<string>
  commitBody?: Maybe<string>
  expectedHeadOid?: Maybe<string>
  mergeMethod?: Maybe<'MERGE' | 'SQUASH' | 'REBASE'>
}

export const mergeMethods = { MERGE: 'merge', SQUASH: 'squash', REBASE: 'rebase' } as const

/** Each of these mutations sets one field. */
const edit = (change: PullEdit) =>
  mutation<{ pullRequestId: string }>({
    input: 'pullRequestId: ID!',
    payload: 'pullRequest: PullRequest',
    async act(graph, { pullRequestId }) {
      const { access, number } = await enterPull(graph, pullRequestId, pullsWrite)
      await graph.acts.pulls.edit(access, number, change)
      return { pullRequest: showPull(graph, access, number) }
    },
  })

export const pullMutations: Mutations = {
  createPullRequest: mutation<CreatePull>({
    input:
      'baseRefName: String! body: String draft: Boolean = false headRefName: String! headRepositoryId: ID maintainerCanModify: Boolean = true repositoryId: ID! title: String!',
    payload: 'pullRequest: PullRequest',
    createsContent: true,
    lengths: { headRefName: 300, baseRefName: 255 },
    async act(graph, input) {
      const access = await enterRepository(graph, input.repositoryId, pullsWrite)
      const head = await spellHead(graph, input.headRefName, input.headRepositoryId)
      const pull = await graph.acts.pulls.open(access, {
        subject: { title: input.title },
        ...head,
        base: input.baseRefName,
        ...omitUndefined({
          body: input.body,
          isDraft: input.draft ?? undefined,
          mayMaintainersPush: input.maintainerCanModify ?? undefined,
        }),
      })
      return { pullRequest: showPull(graph, access, pull.issue.number) }
    },
  }),

  updatePullRequest: mutation<UpdatePull>({
    input:
      'assigneeIds: [ID!] baseRefName: String body: String labelIds: [ID!] maintainerCanModify: Boolean milestoneId: ID projectIds: [ID!] pullRequestId: ID! state: PullRequestUpdateState title: String',
    payload: 'actor: Actor pullRequest: PullRequest',
    lengths: { baseRefName: 255 },
    async act(graph, input) {
      const { access, number } = await enterPull(graph, input.pullRequestId, pullsWrite)
      const marks = await readMarks(graph, access.repository.id, input)
      const change: PullEdit = omitUndefined({
        title: input.title ?? undefined,
        body: input.body,
        base: input.baseRefName ?? undefined,
        mayMaintainersPush: input.maintainerCanModify ?? undefined,
        state: input.state ? (input.state === 'OPEN' ? ('open' as const) : ('closed' as const)) : undefined,
      })
      await graph.acts.pulls.edit(access, number, change)
      // Labels, assignees and milestone belong to the issue; REST sets them there, too.
      if (Object.keys(marks).length > 0) await graph.acts.issues.edit(access, number, marks)
      return { pullRequest: showPull(graph, access, number) }
    },
  }),

  closePullRequest: edit({ state: 'closed' }),
  reopenPullRequest: edit({ state: 'open' }),
  markPullRequestReadyForReview: edit({ isDraft: false }),
  convertPullRequestToDraft: edit({ isDraft: true }),

  mergePullRequest: mutation<MergePull>({
    input:
      'authorEmail: String commitBody: String commitHeadline: String expectedHeadOid: GitObjectID mergeMethod: PullRequestMergeMethod = MERGE pullRequestId: ID!',
    payload: 'actor: Actor pullRequest: PullRequest',
    createsContent: true,
    async act(graph, input) {
      const { access, number } = await enterPull(graph, input.pullRequestId, changed('write', 'contents=write'))
      await graph.acts.pullMerging.merge(access, number, toMerge(input))
      return { pullRequest: showPull(graph, access, number) }
    },
  }),

  enablePullRequestAutoMerge: mutation<MergePull>({
    input:
      'authorEmail: String commitBody: String commitHeadline: String expectedHeadOid: GitObjectID mergeMethod: PullRequestMergeMethod = MERGE pullRequestId: ID!',
    payload: 'actor: Actor pullRequest: PullRequest',
    async act(graph, input) {
      const { access, number } = await enterPull(graph, input.pullRequestId, changed('write', 'contents=write'))
      await graph.acts.autoMerging.enable(access, number, toMerge(input))
      return { pullRequest: showPull(graph, access, number) }
    },
  }),

  disablePullRequestAutoMerge: mutation<{ pullRequestId: string }>({
    input: 'pullRequestId: ID!',
    payload: 'actor: Actor pullRequest: PullRequest',
    async act(graph, { pullRequestId }) {
      const { access, number } = await enterPull(graph, pullRequestId, changed('write', 'contents=write'))
      await graph.acts.autoMerging.disable(access, number)
      return { pullRequest: showPull(graph, access, number) }
    },
  }),

  revertPullRequest: mutation<RevertPull>({
    input: 'body: String draft: Boolean = false pullRequestId: ID! title: String',
    payload: 'pullRequest: PullRequest revertPullRequest: PullRequest',
    createsContent: true,
    async act(graph, { pullRequestId, title, body, draft }) {
      const { access, number } = await enterPull(graph, pullRequestId, changed('write', 'contents=write'))
      // It opens a pull as well as it makes a branch.
      await enterPull(graph, pullRequestId, pullsWrite)
      const made = await graph.acts.pullReverting.revert(access, number, {
        title: title ?? undefined,
        body: body ?? undefined,
        isDraft: draft ?? undefined,
      })
      return {
        pullRequest: showPull(graph, access, number),
        revertPullRequest: async () => graph.make.pull(await graph.pull(access.repository, made)),
      }
    },
  }),

  updatePullRequestBranch: mutation<{ pullRequestId: string; expectedHeadOid?: Maybe<string>; updateMethod?: string }>({
    input: 'expectedHeadOid: GitObjectID pullRequestId: ID! updateMethod: PullRequestBranchUpdateMethod',
    payload: 'pullRequest: PullRequest',
    async act(graph, { pullRequestId, expectedHeadOid, updateMethod }) {
      const { access, number } = await enterPull(graph, pullRequestId, pullsWrite)
      if (updateMethod === 'REBASE')
        throw invalidField('updateMethod', 'invalid', 'A branch is updated by a merge here.')
      const pull = await getPull(graph, access, number)
      await graph.acts.pullMerging.updateBranch(access, pull, readSha('expectedHeadOid', expectedHeadOid))
      return { pullRequest: showPull(graph, access, number) }
    },
  }),
}

function toMerge(input: MergePull): MergeRequest {
  demandNone('authorEmail', input.authorEmail)
  return {
    method: mergeMethods[input.mergeMethod ?? 'MERGE'],
    title: input.commitHeadline ?? undefined,
    message: input.commitBody ?? undefined,
    sha: readSha('expectedHeadOid', input.expectedHeadOid),
  }
}

/** A variable of this scalar may be any JSON value. */
export function readSha(name: string, given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined
  if (typeof given === 'string' && given.length <= 64) return given
  throw invalidField(name, 'invalid', `${name} is 40 hexadecimal digits.`)
}

/** The head is `owner:branch`. If the head's repository is named, it must be the one in that owner's name. */
async function spellHead(graph: Acting, name: string, repositoryId: Maybe<string>) {
  if (!repositoryId) return { head: name }
  const id = readId(repositoryId, ['Repository'])
  const { owner, name: repository } = await orUnresolved(graph.open({ id }), unknownNode(repositoryId).message)
  const branch = name.startsWith(`${owner.login}:`) ? name.slice(owner.login.length + 1) : name
  return { head: `${owner.login}:${branch}`, headRepository: repository }
}
