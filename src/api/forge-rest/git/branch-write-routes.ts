/** Routes that rename branches and merge them into one another. */

import type { Opening } from '../../../forge/access/opening.ts'
import type { CommitComments } from '../../../forge/commits/comments.ts'
import type { Protection } from '../../../forge/commits/protection.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import type { CodeWriting } from '../../../forge/git/write/code-writing.ts'
import type { Verifications } from '../../../forge/keys/signing/verifications.ts'
import type { People } from '../../../forge/people/people.ts'
import { Failure } from '../../../lib/failure.ts'
import { presentProtection } from '../commits/present-protection.ts'
import { changed, pushed } from '../doors.ts'
import { created, noContent } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { Optional, Shape, Text } from '../schemas.ts'
import { readCommitFacts } from './commit-routes.ts'
import { encodePath, placesOf, presentBranch, presentCommit } from './present-git.ts'
import { Message } from './write-bodies.ts'

const write = { door: changed('write'), permission: 'contents=write' } as const

type Needs = {
  code: CodeWriting
  commitComments: CommitComments
  opening: Opening
  people: People
  protection: Protection
  reading: GitReading
  verifications: Verifications
}

export const branchWriteRoutes = ({
  code,
  commitComments,
  opening,
  people,
  protection,
  reading,
  verifications,
}: Needs): readonly Route[] => [
  route('POST /repos/:owner/:repo/branches/:branch/rename', {
    ...write,
    id: 'rename-a-branch',
    summary: 'Renames a branch. Only admins can rename the default branch or a protected one.',
    resource: 'Branch',
    body: Shape({ new_name: Text(255, 1) }),
    async handle({ actor, target, params: { branch }, body: { new_name: name }, view }) {
      const sha = await code.branches.rename(target, branch, name)
      const repository = (await opening.find(actor, { id: target.repository.id })) ?? target.repository
      const commit = await reading.commit(repository, sha)
      const facts = await readCommitFacts({ commitComments, people, verifications }, repository, [commit])
      const rules = await protection.find(repository, name)
      const { url, html } = placesOf(repository, view)
      const path = encodePath(name)
      return created({
        ...presentBranch(repository, { name, sha, isProtected: rules !== undefined }, view),
        commit: presentCommit(repository, commit, facts, view),
        _links: { self: `${url}/branches/${path}`, html: `${html}/tree/${path}` },
        ...presentProtection(repository, name, rules, view),
      })
    },
  }),
  route('POST /repos/:owner/:repo/merges', {
    ...write,
    door: pushed,
    id: 'merge-a-branch',
    summary:
      'Merges a branch or a commit into a branch: 201 with the merge, 204 where it has all of it, 409 on a conflict.',
    resource: 'Merge',
    body: Shape({ base: Text(255, 1), head: Text(255, 1), commit_message: Optional(Message) }),
    async handle({ target, body: { base, head: headName, commit_message: message }, view }) {
      const { repository } = target
      const head = await reading.resolve(repository, headName)
      if (!head) throw new Failure('not-found', 'no-head', 'Head does not exist')
      const sha = await code.branches.merge(target, { base, head, headName, message })
      if (sha === undefined) return noContent()
      const commit = await reading.commit(repository, sha)
      const facts = await readCommitFacts({ commitComments, people, verifications }, repository, [commit])
      const shown = presentCommit(repository, commit, facts, view)
      return created(shown, shown.url)
    },
  }),
]
