/** Reaction mutations: on issues, pulls, their comments, comments on lines, and releases. */
import type { Access } from '../../../forge/access/opening.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { ReactionContent } from '../../../forge/issues/issue.ts'
import { findCommentSubject, findIssueSubject } from '../../../forge/issues/reactions/issue-subjects.ts'
import type { FindSubject, Reaction } from '../../../forge/issues/reactions/reactions.ts'
import { findReviewCommentSubject } from '../../../forge/pulls/reviews/review-comment-subject.ts'
import { nodeId } from '../../node-id.ts'
import { findNode } from '../node-lookup.ts'
import { reactionNames } from '../nodes/issue-nodes.ts'
import { formatTime } from '../times.ts'
import { type Acting, type Mutations, mutation } from './mutation.ts'
import { changed, eitherWrite, enter, enterIssue, findPlace, type SubjectPlace } from './subjects.ts'

/** The permissions are those of the REST routes. */
const permissions: Readonly<Record<string, string>> = {
  Issue: eitherWrite,
  PullRequest: eitherWrite,
  IssueComment: eitherWrite,
  PullRequestReviewComment: 'pull_requests=write',
  Release: 'contents=write',
}
const reactables = Object.keys(permissions)

const contents = Object.fromEntries(
  Object.entries(reactionNames).map(([content, name]) => [name, content as ReactionContent]),
)

type Reacting = { subjectId: string; content: string }

async function enterSubject(graph: Acting, id: string, evenBlocked: boolean) {
  const { type } = await findPlace(graph, id, reactables)
  const need = changed('read', permissions[type]!, { evenBlocked })
  if (type === 'Issue' || type === 'PullRequest') {
    const { access, number } = await enterIssue(graph, id, [type], need)
    return { access, find: findIssueSubject(graph.actor, access.repository, number) }
  }
  const { access, place } = await enter(graph, id, [type], need)
  return { access, find: findOf(graph, access, place) }
}

function findOf(graph: Acting, { repository }: Access<'read'>, { type, id }: SubjectPlace): FindSubject {
  if (type === 'IssueComment') return findCommentSubject(graph.actor, repository, id)
  if (type === 'Release') return graph.acts.releases.subject(repository, id)
  return findReviewCommentSubject(repository, id)
}

function answer(graph: Acting, subjectId: string, reaction: Reaction) {
  const subject = () => findNode(graph, subjectId)
  return {
    reaction: {
      id: nodeId('Reaction', reaction.id),
      databaseId: reaction.id,
      content: reactionNames[reaction.content],
      createdAt: formatTime(reaction.createdAt),
      user: () => (reaction.user.kind === 'user' ? graph.make.person(reaction.user) : null),
      reactable: subject,
    },
    reactionGroups: async () => ((await subject()).reactionGroups as () => unknown)(),
    subject,
  }
}

const payload = 'reaction: Reaction reactionGroups: [ReactionGroup!] subject: Reactable'

export const reactionMutations: Mutations = {
  addReaction: mutation<Reacting>({
    input: 'content: ReactionContent! subjectId: ID!',
    payload,
    createsContent: true,
    async act(graph, { subjectId, content }) {
      const { access, find } = await enterSubject(graph, subjectId, false)
      const { reaction } = await graph.acts.reactions.add(access, find, contents[content]!)
      return answer(graph, subjectId, reaction)
    },
  }),

  removeReaction: mutation<Reacting>({
    input: 'content: ReactionContent! subjectId: ID!',
    payload,
    async act(graph, { subjectId, content }) {
      const { access, find } = await enterSubject(graph, subjectId, true)
      const own = await graph.acts.reactions.findOwn(access, find, contents[content]!)
      if (!own) throw invalidField('content', 'missing', 'You have no such reaction.')
      await graph.acts.reactions.remove(access, find, own.id)
      return answer(graph, subjectId, own)
    },
  }),
}
