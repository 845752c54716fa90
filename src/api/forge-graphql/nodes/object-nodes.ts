/** Nodes of git objects: folders, files and annotated tags, also by expressions such as `HEAD:docs/readme.md`. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { ObjectHead, TreeEntry } from '../../../forge/git/read/object-output.ts'
import { isObjectId } from '../../../forge/git/ref-name.ts'
import { Failure } from '../../../lib/failure.ts'
import { nodeId } from '../../node-id.ts'
import type { Graph, GraphNode } from '../graph.ts'
import { presentSignature } from './signature.ts'

/** The limit on a folder's entries, the same as over REST. */
const maxEntries = 1_000
/** A longer file has no text here; REST and git serve it whole. */
const maxTextBytes = 512 * 1024
const binaryWithin = 8_000

type Args = { readonly expression?: string | null; readonly oid?: unknown }

/**
 * By hash, or by an expression: a branch, a tag, a commit or `HEAD`, and after a colon a path in it. Null if there is
 * none.
 */
export async function findObject(graph: Graph, repository: OpenRepository, { expression, oid }: Args) {
  await graph.demand(repository, 'contents')
  const { reading } = graph.services
  if (oid !== undefined && oid !== null) {
    if (typeof oid !== 'string' || !isObjectId(oid)) throw bad('oid is 40 hexadecimal digits.')
    return present(graph, repository, await reading.head(repository, oid))
  }
  if (!expression) throw bad('Name an object by `oid` or by `expression`.')
  // Git would read each line as a separate request.
  if (/[\n\0]/.test(expression) || expression.length > 4_096) return null
  const colon = expression.indexOf(':')
  const name = colon < 0 ? expression : expression.slice(0, colon)
  const bare = name.replace(/^refs\/(?:heads|tags)\//, '')
  const sha = await reading.resolve(repository, name === 'HEAD' ? repository.defaultBranch : bare)
  if (!sha)
    return isObjectId(name) && colon < 0 ? present(graph, repository, await reading.head(repository, name)) : null
  const path = colon < 0 ? undefined : expression.slice(colon + 1).replace(/^\/+|\/+$/g, '')
  if (path === undefined) return graph.make.commit(repository, await reading.commit(repository, sha))
  const found =
    path === '' ? await reading.head(repository, `${sha}^{tree}`) : await reading.headAt(repository, sha, path)
  return present(graph, repository, found)
}

const bad = (message: string) => new Failure('invalid', 'bad-expression', message)

async function present(graph: Graph, repository: OpenRepository, head: ObjectHead | undefined) {
  if (!head) return null
  const { services, make } = graph
  if (head.type === 'commit') return make.commit(repository, await services.reading.commit(repository, head.sha))
  if (head.type === 'tag') return tagNode(graph, repository, head.sha)
  return head.type === 'tree' ? treeNode(graph, repository, head.sha) : blobNode(graph, repository, head.sha, head.size)
}

function objectMembers({ origin, make }: Graph, repository: OpenRepository, type: string, sha: string) {
  const commitResourcePath = `/${repository.owner.login}/${repository.name}/commit/${sha}`
  return {
    __typename: type,
    id: nodeId(type, `${repository.id}:${sha}`),
    oid: sha,
    abbreviatedOid: sha.slice(0, 7),
    commitResourcePath,
    commitUrl: origin + commitResourcePath,
    repository: () => make.repository(repository),
  }
}

export const treeNode = (graph: Graph, repository: OpenRepository, sha: string): GraphNode => ({
  ...objectMembers(graph, repository, 'Tree', sha),
  async entries() {
    const { entries } = await graph.services.reading.readTree(repository, sha, false, maxEntries)
    return entries.map((entry) => presentEntry(graph, repository, entry))
  },
})

const presentEntry = (graph: Graph, repository: OpenRepository, { path, mode, type, sha, size }: TreeEntry) => ({
  name: path.split('/').at(-1),
  path,
  mode: Number.parseInt(mode, 8),
  type,
  oid: sha,
  size: size ?? 0,
  repository: () => graph.make.repository(repository),
  // A submodule's commit is in another repository.
  object: () =>
    type === 'tree'
      ? treeNode(graph, repository, sha)
      : type === 'blob'
        ? blobNode(graph, repository, sha, size ?? 0)
        : null,
})

function blobNode(graph: Graph, repository: OpenRepository, sha: string, size: number): GraphNode {
  const isTruncated = size > maxTextBytes
  const read = async () => (isTruncated ? undefined : graph.services.reading.blob(repository, sha))
  const isBinary = (bytes: Buffer) => bytes.subarray(0, binaryWithin).includes(0)
  return {
    ...objectMembers(graph, repository, 'Blob', sha),
    byteSize: size,
    isTruncated,
    async isBinary() {
      const bytes = await read()
      return bytes ? isBinary(bytes) : null
    },
    async text() {
      const bytes = await read()
      return bytes && !isBinary(bytes) ? bytes.toString('utf8') : null
    },
  }
}

async function tagNode(graph: Graph, repository: OpenRepository, sha: string): Promise<GraphNode> {
  const { reading } = graph.services
  const tag = await reading.tag(repository, sha)
  return {
    ...objectMembers(graph, repository, 'Tag', sha),
    name: tag.name,
    message: tag.message,
    tagger: () => tag.tagger && presentSignature(graph, tag.tagger),
    target: async () => present(graph, repository, await reading.head(repository, tag.object.sha)),
  }
}
