/** Branches renamed, and merged into one another. */
import { Failure } from '../../../base/failure.ts'
import { created, noContent } from '../answer.ts'
import { presentProtection } from '../commits/present-protection.ts'
import { changed, pushed } from '../doors.ts'
import { type Route, route } from '../route.ts'
import { Optional, Shape, Text } from '../schemas.ts'
import { readCommitFacts } from './commits.ts'
import { encodePath, placesOf, presentBranch, presentCommit } from './present-git.ts'
import { Message } from './write-bodies.ts'

const write = { door: changed('write'), permission: 'contents=write' } as const

export const branchWriteRoutes: readonly Route[] = [
  route('POST /repos/:owner/:repo/branches/:branch/rename', {
    ...write,
    id: 'rename-a-branch',
    summary: 'Gives a branch another name; the default branch, and one that is protected, by admins alone.',
    resource: 'Branch',
    body: Shape({ new_name: Text(255, 1) }),
    async handle({ forge, actor, target, params: { branch }, body: { new_name: name }, view }) {
      const sha = await forge.code.branches.rename(target, branch, name)
      const repository = (await forge.opening.find(actor, { id: target.repository.id })) ?? target.repository
      const commit = await forge.reading.commit(repository, sha)
      const facts = await readCommitFacts(forge, repository, [commit])
      const rules = await forge.protection.find(repository, name)
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
    async handle({ forge, target, body: { base, head: headName, commit_message: message }, view }) {
      const { repository } = target
      const head = await forge.reading.resolve(repository, headName)
      if (!head) throw new Failure('not-found', 'no-head', 'Head does not exist')
      const sha = await forge.code.branches.merge(target, { base, head, headName, message })
      if (sha === undefined) return noContent()
      const commit = await forge.reading.commit(repository, sha)
      const facts = await readCommitFacts(forge, repository, [commit])
      const shown = presentCommit(repository, commit, facts, view)
      return created(shown, shown.url)
    },
  }),
]
