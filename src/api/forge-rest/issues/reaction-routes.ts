/** Reactions: the same three routes for each kind of subject. */
import type { Actor } from '../../../accounts/actor.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { type ReactionContent, reactionContents } from '../../../forge/issues/issue.ts'
import { findCommentSubject, findIssueSubject } from '../../../forge/issues/reactions/issue-subjects.ts'
import type { FindSubject, Reaction, Reactions } from '../../../forge/issues/reactions/reactions.ts'
import type { Address, Method } from '../address.ts'
import { changed, readable, takenBack } from '../doors.ts'
import { presentUser } from '../people/present-people.ts'
import { readId } from '../query.ts'
import { created, list, noContent, ok } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { OneOf, Shape } from '../schemas.ts'
import { formatTime, nodeId, type View } from '../view.ts'
import { readChoice } from './issue-body.ts'

type Params = Readonly<Record<string, string>>

type Reactable = {
  /** The path after `/repos/:owner/:repo/`, without `reactions`. */
  readonly path: string
  /** The subject in route ids: `an-issue`. */
  readonly word: string
  /** The subject in texts: `an issue`. */
  readonly what: string
  readonly permission: { readonly read: string; readonly write: string }
  readonly contents?: readonly ReactionContent[]
  readonly find: (actor: Actor, repository: OpenRepository, params: Params) => FindSubject
}

const presentReaction = ({ id, user, content, createdAt }: Reaction, view: View) => ({
  id,
  node_id: nodeId('Reaction', id),
  user: presentUser(user, view),
  content,
  created_at: formatTime(createdAt),
})

/** Also used by releases, commit comments and review comments, each in its own folder. */
export function makeReactionRoutes(reactions: Reactions, reactable: Reactable): Route[] {
  const { word, what, permission, contents = reactionContents, find } = reactable
  const at = <M extends Method>(method: M, end = ''): Address =>
    `${method} /repos/:owner/:repo/${reactable.path}/reactions${end}`
  return [
    route(at('GET'), {
      id: `list-reactions-for-${word}`,
      summary: `Reactions to ${what}, oldest first; \`content\` names the kind.`,
      door: readable,
      permission: permission.read,
      resource: 'Reaction',
      pageSize: usualPage,
      async handle({ actor, target, params, query, page, view }) {
        const given = query.text('content')
        const content = given === undefined ? undefined : readChoice(query, 'content', contents, contents[0]!)
        const found = await reactions.list(find(actor, target, params as Params), content, page)
        return list(found, (reaction) => presentReaction(reaction, view))
      },
    }),
    route(at('POST'), {
      id: `create-reaction-for-${word}`,
      summary: `Reacts to ${what}: 201, or 200 where one had done so already.`,
      door: changed('read'),
      permission: permission.write,
      resource: 'Reaction',
      createsContent: true,
      body: Shape({ content: OneOf(...contents) }),
      async handle({ actor, target, params, body, view }) {
        const subject = find(actor, target.repository, params as Params)
        const { reaction, isNew } = await reactions.add(target, subject, body.content)
        const shown = presentReaction(reaction, view)
        return isNew ? created(shown) : ok(shown)
      },
    }),
    route(at('DELETE', '/:reaction_id'), {
      id: `delete-${word}-reaction`,
      summary: `Removes a reaction to ${what}.`,
      door: takenBack,
      permission: permission.write,
      resource: 'Reaction',
      async handle({ actor, target, params }) {
        const { reaction_id: id, ...rest } = params as Params
        await reactions.remove(target, find(actor, target.repository, rest), readId(id))
        return noContent()
      },
    }),
  ]
}

/** Tokens for either kind pass: whether it is an issue or a pull is known only after it is read. */
const permission = {
  read: 'issues=read; pull_requests=read',
  write: 'issues=write; pull_requests=write',
}

export const issueReactionRoutes = ({ reactions }: { reactions: Reactions }): readonly Route[] => [
  ...makeReactionRoutes(reactions, {
    path: 'issues/:issue_number',
    word: 'an-issue',
    what: 'an issue',
    permission,
    find: (actor, repository, { issue_number }) => findIssueSubject(actor, repository, readId(issue_number)),
  }),
  ...makeReactionRoutes(reactions, {
    path: 'issues/comments/:comment_id',
    word: 'an-issue-comment',
    what: 'a comment on an issue',
    permission,
    find: (actor, repository, { comment_id }) => findCommentSubject(actor, repository, readId(comment_id)),
  }),
]
