/** Mutations that issues and pulls share: comments, labels, assignees, locking the conversation. */

import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { encodeCursor } from '../connection.ts'
import { type Maybe, type Mutations, mutation } from './mutation.ts'
import {
  changed,
  eitherWrite,
  enter,
  enterIssue,
  enterRepository,
  nameLabels,
  nameUsers,
  showIssue,
} from './subjects.ts'

const subjects = ['Issue', 'PullRequest'] as const
const lockReasons = {
  OFF_TOPIC: 'off-topic',
  TOO_HEATED: 'too heated',
  RESOLVED: 'resolved',
  SPAM: 'spam',
} as const

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => {
    found ??= read()
    return found
  }
}

const labelLengths = { name: 50, color: 7, description: 100 }

type Labelling = { labelIds: readonly string[]; labelableId: string }
type Assigning = { assigneeIds: readonly string[]; assignableId: string }
type LabelEdit = { id: string; name?: Maybe<string>; color?: Maybe<string>; description?: Maybe<string> }

const comments: Mutations = {
  addComment: mutation<{ subjectId: string; body: string }>({
    input: 'body: String! subjectId: ID!',
    payload: 'commentEdge: IssueCommentEdge subject: Node',
    createsContent: true,
    async act(graph, { subjectId, body }) {
      const { access, number } = await enterIssue(graph, subjectId, subjects, changed('read', eitherWrite))
      const comment = await graph.acts.comments.write(access, number, body)
      const { repository } = access
      const issue = once(async () => {
        const opened = await graph.demand(repository, 'either')
        return graph.services.issues.get(graph.actor, opened, number)
      })
      return {
        commentEdge: async () => ({
          cursor: encodeCursor((await issue()).commentCount),
          node: graph.make.comment(comment, await issue(), repository),
        }),
        subject: showIssue(graph, access, number),
      }
    },
  }),

  updateIssueComment: mutation<{ id: string; body: string }>({
    input: 'body: String! id: ID!',
    payload: 'issueComment: IssueComment',
    async act(graph, { id, body }) {
      const { access, place } = await enter(graph, id, ['IssueComment'], changed('read', eitherWrite))
      const { repository } = access
      const comment = await graph.acts.comments.edit(access, place.id, body)
      return {
        issueComment: async () => {
          const issue = await graph.services.issues.get(graph.actor, repository, comment.issueNumber)
          return graph.make.comment(comment, issue, repository)
        },
      }
    },
  }),

  deleteIssueComment: mutation<{ id: string }>({
    input: 'id: ID!',
    async act(graph, { id }) {
      const need = changed('read', eitherWrite, { evenBlocked: true })
      const { access, place } = await enter(graph, id, ['IssueComment'], need)
      await graph.acts.comments.remove(access, place.id)
      return {}
    },
  }),
}

const labels: Mutations = {
  addLabelsToLabelable: mutation<Labelling>({
    input: 'labelIds: [ID!]! labelableId: ID!',
    payload: 'labelable: Labelable',
    async act(graph, { labelIds, labelableId }) {
      const { access, number } = await enterIssue(graph, labelableId, subjects, changed('triage', eitherWrite))
      const names = await nameLabels(graph, access.repository.id, labelIds)
      await graph.acts.labels.changeOfIssue(access, number, { mode: 'add', names })
      return { labelable: showIssue(graph, access, number) }
    },
  }),

  removeLabelsFromLabelable: mutation<Labelling>({
    input: 'labelIds: [ID!]! labelableId: ID!',
    payload: 'labelable: Labelable',
    async act(graph, { labelIds, labelableId }) {
      const { access, number } = await enterIssue(graph, labelableId, subjects, changed('triage', eitherWrite))
      const names = await nameLabels(graph, access.repository.id, labelIds)
      await graph.acts.labels.changeOfIssue(access, number, { mode: 'remove', names })
      return { labelable: showIssue(graph, access, number) }
    },
  }),

  clearLabelsFromLabelable: mutation<{ labelableId: string }>({
    input: 'labelableId: ID!',
    payload: 'labelable: Labelable',
    async act(graph, { labelableId }) {
      const { access, number } = await enterIssue(graph, labelableId, subjects, changed('triage', eitherWrite))
      await graph.acts.labels.changeOfIssue(access, number, { mode: 'set', names: [] })
      return { labelable: showIssue(graph, access, number) }
    },
  }),

  createLabel: mutation<{ repositoryId: string; name: string; color: string; description?: Maybe<string> }>({
    input: 'color: String! description: String name: String! repositoryId: ID!',
    payload: 'label: Label',
    createsContent: true,
    lengths: labelLengths,
    async act(graph, { repositoryId, name, color, description }) {
      const access = await enterRepository(graph, repositoryId, changed('write', eitherWrite))
      const label = await graph.acts.labels.create(access, { name, color, ...omitUndefined({ description }) })
      return { label: graph.make.label(label, access.repository) }
    },
  }),

  updateLabel: mutation<LabelEdit>({
    input: 'color: String description: String id: ID! name: String',
    payload: 'label: Label',
    lengths: labelLengths,
    async act(graph, { id, name, color, description }) {
      const { access, place } = await enter(graph, id, ['Label'], changed('write', eitherWrite))
      const edit = omitUndefined({ name: name ?? undefined, color: color ?? undefined, description })
      const label = await graph.acts.labels.update(access, String(place.key), edit)
      return { label: graph.make.label(label, access.repository) }
    },
  }),

  deleteLabel: mutation<{ id: string }>({
    input: 'id: ID!',
    async act(graph, { id }) {
      const { access, place } = await enter(graph, id, ['Label'], changed('write', eitherWrite))
      await graph.acts.labels.remove(access, String(place.key))
      return {}
    },
  }),
}

const assign = (mode: 'add' | 'remove') =>
  mutation<Assigning>({
    input: 'assignableId: ID! assigneeIds: [ID!]!',
    payload: 'assignable: Assignable',
    async act(graph, { assignableId, assigneeIds }) {
      const { access, number } = await enterIssue(graph, assignableId, subjects, changed('triage', eitherWrite))
      const logins = await nameUsers(graph, assigneeIds)
      await graph.acts.assignees.change(access, number, { mode, logins })
      return { assignable: showIssue(graph, access, number) }
    },
  })

const locks: Mutations = {
  lockLockable: mutation<{ lockableId: string; lockReason?: Maybe<keyof typeof lockReasons> }>({
    input: 'lockReason: LockReason lockableId: ID!',
    payload: 'actor: Actor lockedRecord: Lockable',
    async act(graph, { lockableId, lockReason }) {
      const { access, number } = await enterIssue(graph, lockableId, subjects, changed('write', eitherWrite))
      await graph.acts.issueMarks.lock(access, number, lockReason ? lockReasons[lockReason] : null)
      return { lockedRecord: showIssue(graph, access, number) }
    },
  }),

  unlockLockable: mutation<{ lockableId: string }>({
    input: 'lockableId: ID!',
    payload: 'actor: Actor unlockedRecord: Lockable',
    async act(graph, { lockableId }) {
      const { access, number } = await enterIssue(graph, lockableId, subjects, changed('write', eitherWrite))
      await graph.acts.issueMarks.unlock(access, number)
      return { unlockedRecord: showIssue(graph, access, number) }
    },
  }),
}

export const subjectMutations: Mutations = {
  ...comments,
  ...labels,
  addAssigneesToAssignable: assign('add'),
  removeAssigneesFromAssignable: assign('remove'),
  ...locks,
}
