/** Mutations of linked branches: a branch is made for an issue, with the rights of making a ref. */
import type { Access } from '../../../forge/access/opening.ts'
import { notFound } from '../../../forge/failures.ts'
import { demandHistory } from '../../../forge/git/read/git-reading.ts'
import { orUnresolved } from '../context.ts'
import { linkedBranchNode } from '../nodes/issue-nodes.ts'
import { type Acting, type Maybe, type Mutations, mutation } from './mutation.ts'
import { readSha } from './pull-mutations.ts'
import { changed, enter, enterIssue, enterRepository, findPlace, readId, showIssue, unknownNode } from './subjects.ts'

const contentsWrite = changed('write', 'contents=write')
/** For an issue that gets a branch of another repository: as for its labels and assignees. */
const issuesTriage = changed('triage', 'issues=write')

type Create = { issueId: string; name?: Maybe<string>; oid: string; repositoryId?: Maybe<string> }

export const linkedBranchMutations: Mutations = {
  createLinkedBranch: mutation<Create>({
    input: 'issueId: ID! name: String oid: GitObjectID! repositoryId: ID',
    payload: 'issue: Issue linkedBranch: LinkedBranch',
    lengths: { name: 300 },
    async act(graph, { issueId, name, oid, repositoryId }) {
      const { access, toIssue, number } = await enterBoth(graph, issueId, repositoryId)
      demandHistory(access.repository)
      const issue = await orUnresolved(
        graph.services.issues.get(graph.actor, toIssue.repository, number),
        unknownNode(issueId).message,
      )
      const draft = { name: name?.replace(/^refs\/heads\//, '') || undefined, sha: readSha('oid', oid)! }
      const linked = await graph.acts.linkedBranches.create(access, issue, draft)
      return { linkedBranch: linkedBranchNode(graph, linked), issue: showIssue(graph, toIssue, number) }
    },
  }),

  deleteLinkedBranch: mutation<{ linkedBranchId: string }>({
    input: 'linkedBranchId: ID!',
    payload: 'issue: Issue',
    async act(graph, { linkedBranchId }) {
      const id = readId(linkedBranchId, ['LinkedBranch'])
      const { access, number } = await enterLinked(graph, linkedBranchId, id)
      await graph.acts.linkedBranches.unlink(access, id)
      return { issue: showIssue(graph, access, number) }
    },
  }),
}

type Entered = { access: Access<'write'>; toIssue: Access<'triage'>; number: number }

/** The access to the branch's repository, and to the issue's if that is another one. */
async function enterBoth(graph: Acting, issueId: string, repositoryId: Maybe<string>): Promise<Entered> {
  const place = await findPlace(graph, issueId, ['Issue'])
  if (!repositoryId || readId(repositoryId, ['Repository']) === place.repositoryId) {
    const { access, number } = await enterIssue(graph, issueId, ['Issue'], contentsWrite)
    return { access, toIssue: access, number }
  }
  const { access: toIssue, number } = await enterIssue(graph, issueId, ['Issue'], issuesTriage)
  return { access: await enterRepository(graph, repositoryId, contentsWrite), toIssue, number }
}

/** By the rights to the branch if it is in the issue's repository, else by those to the issue. */
async function enterLinked(
  graph: Acting,
  text: string,
  id: number,
): Promise<{ access: Access<'triage'>; number: number }> {
  const place = await findPlace(graph, text, ['LinkedBranch'])
  const linked = await graph.acts.linkedBranches.find(id)
  if (!linked) throw notFound()
  const { access } =
    linked.repositoryId === place.repositoryId
      ? await enter(graph, text, ['LinkedBranch'], contentsWrite)
      : await enter(graph, text, ['LinkedBranch'], issuesTriage)
  return { access, number: Number(place.key) }
}
