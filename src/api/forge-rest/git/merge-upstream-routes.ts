/** The route that brings a fork's branch up to date with its parent. */
import type { UpstreamMerging } from '../../../forge/pulls/merging/upstream-merging.ts'
import { changed } from '../doors.ts'
import { ok } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { Shape, Text } from '../schemas.ts'

const described = {
  merge: (from: string) => `Successfully fetched and merged from upstream ${from}.`,
  'fast-forward': (from: string) => `Successfully fetched and fast-forwarded from upstream ${from}.`,
  none: (from: string) => `This branch is not behind the upstream ${from}.`,
}

export const mergeUpstreamRoutes = ({ upstreamMerging }: { upstreamMerging: UpstreamMerging }): readonly Route[] => [
  route('POST /repos/:owner/:repo/merge-upstream', {
    id: 'sync-a-fork-branch-with-the-upstream-repository',
    summary: 'Brings a branch of a fork up to date with its parent: forward, or by a merge; 409 on a conflict.',
    door: changed('write'),
    permission: 'contents=write',
    resource: 'Merge',
    body: Shape({ branch: Text(255, 1) }),
    async handle({ target, body: { branch } }) {
      const { kind, upstream, upstreamBranch } = await upstreamMerging.merge(target, branch)
      const base = `${upstream.owner.login}:${upstreamBranch}`
      return ok({ message: described[kind](base), merge_type: kind, base_branch: base })
    },
  }),
]
