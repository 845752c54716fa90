/** The route that lists the branches whose newest commit is a given one. */
import type { Protection } from '../../../forge/commits/protection.ts'
import { notFound } from '../../../forge/failures.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import { isObjectId } from '../../../forge/git/ref-name.ts'
import { readable } from '../doors.ts'
import { slice } from '../outcomes.ts'
import { list } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { presentBranch } from './present-git.ts'

type Needs = { reading: GitReading; protection: Protection }

export const headBranchRoutes = ({ reading, protection }: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/commits/:commit_sha/branches-where-head', {
    id: 'list-branches-for-head-commit',
    summary: 'Branches whose newest commit this is, by its whole hash.',
    door: readable,
    permission: 'contents=read',
    pageSize: usualPage,
    async handle({ target, params, page, view }) {
      const sha = params.commit_sha
      if (!isObjectId(sha) || (await reading.head(target, sha))?.type !== 'commit') throw notFound()
      const heads = (await reading.refs(target, 'refs/heads/')).filter((ref) => ref.sha === sha)
      const guarded = await protection.listProtected(target)
      return list(slice(heads, page), (ref) => {
        const name = ref.name.slice('refs/heads/'.length)
        return presentBranch(target, { name, sha, isProtected: guarded.has(name) }, view)
      })
    },
  }),
]
