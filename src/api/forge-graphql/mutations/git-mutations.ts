/** Git mutations: create, move and delete refs, and change files by one commit on a branch. */
import type { PushAccess } from '../../../forge/access/opening.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { invalidField } from '../../../forge/failures.ts'
import { demandHistory } from '../../../forge/git/read/git-reading.ts'
import { isRefPart } from '../../../forge/git/ref-name.ts'
import type { NewTreeEntry } from '../../../forge/git/write/object-making.ts'
import { Failure } from '../../../lib/failure.ts'
import { decodeBase64 } from '../../../lib/text/base64.ts'
import { parseNodeId } from '../../node-id.ts'
import { orUnresolved } from '../context.ts'
import { type Acting, type Maybe, type Mutations, mutation } from './mutation.ts'
import { readSha } from './pull-mutations.ts'
import { changed, enterRepository, enterToPush, unknownNode } from './subjects.ts'

const contentsWrite = changed('write', 'contents=write')

type CommittableBranch = {
  id?: Maybe<string>
  branchName?: Maybe<string>
  repositoryNameWithOwner?: Maybe<string>
}
type CreateCommit = {
  branch: CommittableBranch
  expectedHeadOid: string
  message: { headline: string; body?: Maybe<string> }
  fileChanges?: Maybe<{
    additions?: Maybe<readonly { path: string; contents: string }[]>
    deletions?: Maybe<readonly { path: string }[]>
  }>
}

export const gitMutations: Mutations = {
  createRef: mutation<{ repositoryId: string; name: string; oid: string }>({
    input: 'name: String! oid: GitObjectID! repositoryId: ID!',
    payload: 'ref: Ref',
    lengths: { name: 300 },
    async act(graph, { repositoryId, name, oid }) {
      const access = await enterRepository(graph, repositoryId, contentsWrite)
      demandHistory(access.repository)
      await graph.acts.code.refs.create(access, name, readSha('oid', oid)!)
      return { ref: showRef(graph, access.repository, name, oid) }
    },
  }),

  updateRef: mutation<{ refId: string; oid: string; force?: Maybe<boolean> }>({
    input: 'force: Boolean = false oid: GitObjectID! refId: ID!',
    payload: 'ref: Ref',
    async act(graph, { refId, oid, force }) {
      const { repositoryId, name } = readRefId(refId)
      const access = await enterToPush(graph, repositoryId, refId)
      await graph.acts.code.refs.update(access, name, readSha('oid', oid)!, force ?? false)
      return { ref: showRef(graph, access.repository, name, oid) }
    },
  }),

  deleteRef: mutation<{ refId: string }>({
    input: 'refId: ID!',
    async act(graph, { refId }) {
      const { repositoryId, name } = readRefId(refId)
      const entered = graph.services.opening.enter(graph.actor, { id: repositoryId }, contentsWrite)
      await graph.acts.code.refs.remove(await orUnresolved(entered, unknownNode(refId).message), name)
      return {}
    },
  }),

  createCommitOnBranch: mutation<CreateCommit>({
    input: 'branch: CommittableBranch! expectedHeadOid: GitObjectID! fileChanges: FileChanges message: CommitMessage!',
    payload: 'commit: Commit ref: Ref',
    lengths: { branchName: 255, body: 65_536 },
    async act(graph, { branch, expectedHeadOid, message, fileChanges }) {
      const { access, name } = await enterBranch(graph, branch)
      const { repository } = access
      const { code, reading } = graph.acts
      const ref = `refs/heads/${name}`
      const head = await reading.head(repository, `${ref}^{commit}`)
      if (!head) throw invalidField('branch', 'invalid', `Branch ${name} not found`)
      const expected = readSha('expectedHeadOid', expectedHeadOid)!
      if (head.sha !== expected) throw stale(expected)
      const { additions, deletions } = fileChanges ?? {}
      const entries = [...(deletions ?? []).map(toDeletion), ...(await readAdditions(additions ?? []))]
      if (entries.length === 0) throw invalidField('fileChanges', 'missing_field', 'The commit must change a file.')
      const tree = await code.objects.tree(access, expected, entries)
      const text = message.body ? `${message.headline}\n\n${message.body}` : message.headline
      const commit = await code.objects.commit(access, { message: text, tree, parents: [expected] })
      await code.refs.update(access, ref, commit.sha, false).catch((error) => {
        throw error instanceof Failure && (error.code === 'not-forward' || error.code === 'ref-moved')
          ? stale(expected)
          : error
      })
      return {
        commit: async () => graph.make.commit(await graph.demand(repository, 'contents'), commit),
        ref: showRef(graph, repository, ref, commit.sha),
      }
    },
  }),
}

const stale = (sha: string) =>
  new Failure('conflict', 'stale-data', `Expected branch to point to "${sha}" but it did not. Pull and try again.`)

/** A caller who may not read the code, as with a write-only token, gets no ref in the payload. */
const showRef = (graph: Acting, repository: OpenRepository, ref: string, sha: string) => async () => {
  const [, prefix = '', name = ''] = /^(refs\/[^/]+\/)(.*)$/s.exec(ref) ?? []
  return graph.make.ref(await graph.demand(repository, 'contents'), prefix, name, sha)
}

function readRefId(id: string): { repositoryId: number; name: string } {
  const parsed = parseNodeId(id)
  const found = parsed?.type === 'Ref' && /^([1-9]\d{0,14}):(refs\/.+)$/s.exec(parsed.id)
  if (!found || !isRefPart(found[2]!)) throw unknownNode(id)
  return { repositoryId: Number(found[1]), name: found[2]! }
}

/** Finds a branch by its id, or by its name and its repository's name. */
async function enterBranch(
  graph: Acting,
  { id, branchName, repositoryNameWithOwner }: CommittableBranch,
): Promise<{ access: PushAccess; name: string }> {
  if (id) {
    const { repositoryId, name } = readRefId(id)
    if (!name.startsWith('refs/heads/')) throw unknownNode(id)
    return { access: await enterToPush(graph, repositoryId, id), name: name.slice('refs/heads/'.length) }
  }
  const [owner = '', repository = '', more] = repositoryNameWithOwner?.split('/') ?? []
  const name = branchName?.replace(/^refs\/heads\//, '')
  if (!owner || !repository || more !== undefined || !name)
    throw invalidField(
      'branch',
      'missing_field',
      'Name the branch by its id, or by repositoryNameWithOwner and branchName.',
    )
  const entered = graph.services.opening.enterAnywhereToPush(graph.actor, { owner, name: repository }, contentsWrite)
  const message = `Could not resolve to a Repository with the name '${repositoryNameWithOwner}'.`
  return { access: await orUnresolved(entered, message), name }
}

const toDeletion = ({ path }: { path: string }): NewTreeEntry => ({ path, mode: '100644', sha: null })

async function readAdditions(additions: readonly { path: string; contents: unknown }[]): Promise<NewTreeEntry[]> {
  const entries: NewTreeEntry[] = []
  for (const { path, contents } of additions) {
    const content = typeof contents === 'string' ? await decodeBase64(contents) : undefined
    if (!content) throw invalidField('contents', 'invalid', `The contents of ${path} are not valid Base64.`)
    entries.push({ path, mode: '100644', content })
  }
  return entries
}
