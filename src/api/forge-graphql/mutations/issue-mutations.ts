/** Issue mutations: open, edit, close, pin, transfer, delete. */
import type { IssueEdit } from '../../../forge/issues/issues.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import type { Graph } from '../graph.ts'
import { type Maybe, type Mutations, mutation } from './mutation.ts'
import {
  changed,
  demandNone,
  eitherWrite,
  enterIssue,
  enterRepository,
  nameLabels,
  nameUsers,
  numberMilestone,
  showIssue,
} from './subjects.ts'

const issuesWrite = 'issues=write'
const asRead = changed('read', eitherWrite)

export type MarkInput = {
  assigneeIds?: Maybe<readonly string[]>
  labelIds?: Maybe<readonly string[]>
  milestoneId?: Maybe<string>
  projectIds?: Maybe<readonly string[]>
}

/** Labels, assignees and milestone. An omitted one stays as it is; a null milestone removes it. */
export async function readMarks(graph: Graph, repositoryId: number, input: MarkInput) {
  demandNone('projectIds', input.projectIds)
  const { labelIds, assigneeIds, milestoneId } = input
  return omitUndefined({
    labels: labelIds ? await nameLabels(graph, repositoryId, labelIds) : undefined,
    assignees: assigneeIds ? await nameUsers(graph, assigneeIds) : undefined,
    milestone: await readMilestone(graph, repositoryId, milestoneId),
  })
}

const readMilestone = async (graph: Graph, repositoryId: number, id: Maybe<string>) => {
  if (id === undefined) return undefined
  return id ? numberMilestone(graph, repositoryId, id) : null
}

type CreateIssue = MarkInput & {
  repositoryId: string
  title: string
  body?: Maybe<string>
  issueTemplate?: Maybe<string>
  parentIssueId?: Maybe<string>
}
type UpdateIssue = MarkInput & {
  id: string
  title?: Maybe<string>
  body?: Maybe<string>
  state?: Maybe<'OPEN' | 'CLOSED'>
}
type CloseIssue = {
  issueId: string
  stateReason?: Maybe<'COMPLETED' | 'NOT_PLANNED' | 'DUPLICATE'>
  duplicateIssueId?: Maybe<string>
}
type Issue = { issueId: string }

export const issueMutations: Mutations = {
  createIssue: mutation<CreateIssue>({
    input:
      'assigneeIds: [ID!] body: String issueTemplate: String labelIds: [ID!] milestoneId: ID parentIssueId: ID projectIds: [ID!] repositoryId: ID! title: String!',
    payload: 'issue: Issue',
    createsContent: true,
    async act(graph, input) {
      demandNone('parentIssueId', input.parentIssueId)
      const access = await enterRepository(graph, input.repositoryId, changed('read', issuesWrite))
      const marks = await readMarks(graph, access.repository.id, input)
      const draft = { title: input.title, ...omitUndefined({ body: input.body }), ...marks }
      const issue = await graph.acts.issues.open(access, draft)
      return { issue: showIssue(graph, access, issue.number) }
    },
  }),

  updateIssue: mutation<UpdateIssue>({
    input:
      'assigneeIds: [ID!] body: String id: ID! labelIds: [ID!] milestoneId: ID projectIds: [ID!] state: IssueState title: String',
    payload: 'actor: Actor issue: Issue',
    async act(graph, input) {
      const { access, number } = await enterIssue(graph, input.id, ['Issue'], asRead)
      const edit: IssueEdit = {
        ...(await readMarks(graph, access.repository.id, input)),
        ...omitUndefined({
          title: input.title ?? undefined,
          body: input.body,
          state: input.state ? (input.state === 'OPEN' ? ('open' as const) : ('closed' as const)) : undefined,
        }),
      }
      await graph.acts.issues.edit(access, number, edit)
      return { issue: showIssue(graph, access, number) }
    },
  }),

  closeIssue: mutation<CloseIssue>({
    input: 'duplicateIssueId: ID issueId: ID! stateReason: IssueClosedStateReason',
    payload: 'issue: Issue',
    async act(graph, { issueId, stateReason, duplicateIssueId }) {
      demandNone('duplicateIssueId', duplicateIssueId)
      const { access, number } = await enterIssue(graph, issueId, ['Issue'], asRead)
      const reasons = { COMPLETED: 'completed', NOT_PLANNED: 'not_planned', DUPLICATE: 'duplicate' } as const
      const reason = stateReason ? reasons[stateReason] : undefined
      await graph.acts.issues.edit(access, number, { state: 'closed', ...omitUndefined({ reason }) })
      return { issue: showIssue(graph, access, number) }
    },
  }),

  reopenIssue: mutation<Issue>({
    input: 'issueId: ID!',
    payload: 'issue: Issue',
    async act(graph, { issueId }) {
      const { access, number } = await enterIssue(graph, issueId, ['Issue'], asRead)
      await graph.acts.issues.edit(access, number, { state: 'open' })
      return { issue: showIssue(graph, access, number) }
    },
  }),

  pinIssue: mutation<Issue>({
    input: 'issueId: ID!',
    payload: 'issue: Issue',
    async act(graph, { issueId }) {
      const { access, number } = await enterIssue(graph, issueId, ['Issue'], changed('write', issuesWrite))
      await graph.acts.issueMarks.pin(access, number)
      return { issue: showIssue(graph, access, number) }
    },
  }),

  unpinIssue: mutation<Issue>({
    input: 'issueId: ID!',
    payload: 'id: ID issue: Issue',
    async act(graph, { issueId }) {
      const { access, number } = await enterIssue(graph, issueId, ['Issue'], changed('write', issuesWrite))
      await graph.acts.issueMarks.unpin(access, number)
      return { id: issueId, issue: showIssue(graph, access, number) }
    },
  }),

  transferIssue: mutation<Issue & { repositoryId: string }>({
    input: 'createLabelsIfMissing: Boolean = false issueId: ID! repositoryId: ID!',
    payload: 'issue: Issue',
    async act(graph, { issueId, repositoryId }) {
      const need = changed('write', issuesWrite)
      const { access, number } = await enterIssue(graph, issueId, ['Issue'], need)
      const to = await enterRepository(graph, repositoryId, need)
      const issue = await graph.acts.transfers.transfer(access, number, to)
      return { issue: showIssue(graph, to, issue.number) }
    },
  }),

  deleteIssue: mutation<Issue>({
    input: 'issueId: ID!',
    payload: 'repository: Repository',
    async act(graph, { issueId }) {
      const { access, number } = await enterIssue(graph, issueId, ['Issue'], changed('admin', issuesWrite))
      await graph.acts.issueDeletion.remove(access, number)
      return { repository: () => graph.make.repository(access.repository) }
    },
  }),
}
