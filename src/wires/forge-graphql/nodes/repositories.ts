/** Repositories as nodes, and what hangs on them: topics, releases, and the lists of what they hold. */
import { reaches } from '../../../forge/access/level.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { isRefPart } from '../../../forge/git/ref-name.ts'
import type { Release } from '../../../forge/releases/release.ts'
import { nodeId } from '../../node-id.ts'
import { type ConnectionArgs, connect, connectAll } from '../connection.ts'
import type { Graph, GraphNode } from '../graph.ts'
import {
  type ReleaseOrderArgs,
  type RepositoryOrderArgs,
  readReleaseDirection,
  readRepositoryOrder,
} from '../orders.ts'
import { formatTime, formatTimeOrNull } from '../times.ts'
import { repositoryIssues } from './repository-issues.ts'

export function repositoryNode(graph: Graph, repository: OpenRepository): GraphNode {
  const { forge, actor, origin, make } = graph
  const { id, name, owner, options, level } = repository
  const resourcePath = `/${owner.login}/${name}`
  return {
    __typename: 'Repository',
    id: nodeId('Repository', id),
    databaseId: id,
    name,
    nameWithOwner: `${owner.login}/${name}`,
    owner: () => make.person(owner),
    description: repository.description,
    homepageUrl: repository.homepage,
    resourcePath,
    url: origin + resourcePath,
    sshUrl: `git@${origin.replace(/^https?:\/\//, '')}:${owner.login}/${name}.git`,
    mirrorUrl: null,
    createdAt: formatTime(repository.createdAt),
    updatedAt: formatTime(repository.updatedAt),
    pushedAt: formatTime(repository.pushedAt),
    hasIssuesEnabled: options.hasIssues,
    hasProjectsEnabled: options.hasProjects,
    hasWikiEnabled: options.hasWiki,
    hasDiscussionsEnabled: options.hasDiscussions,
    mergeCommitAllowed: options.allowMergeCommit,
    squashMergeAllowed: options.allowSquashMerge,
    rebaseMergeAllowed: options.allowRebaseMerge,
    autoMergeAllowed: options.allowAutoMerge,
    deleteBranchOnMerge: options.deleteBranchOnMerge,
    forkCount: repository.forkCount,
    stargazerCount: repository.starCount,
    diskUsage: repository.sizeKib,
    isArchived: repository.isArchived,
    isDisabled: false,
    isEmpty: async () => (await findDefault(graph, repository)) === undefined,
    isFork: repository.parentId !== null,
    isInOrganization: owner.kind === 'organisation',
    isLocked: repository.isLocked,
    lockReason: repository.isLocked ? 'MIGRATING' : null,
    isMirror: false,
    isPrivate: repository.isPrivate,
    isTemplate: options.isTemplate,
    visibility: repository.isPrivate ? 'PRIVATE' : 'PUBLIC',
    viewerPermission: level === 'none' ? null : level.toUpperCase(),
    viewerCanAdminister: reaches(level, 'admin'),
    async viewerHasStarred() {
      return forge.stars.has(await graph.look(repository))
    },
    async viewerSubscription() {
      const look = await graph.look(repository)
      const watch = await forge.watching.get(look).catch(() => undefined)
      return watch?.isIgnored ? 'IGNORED' : watch?.isWatched ? 'SUBSCRIBED' : 'UNSUBSCRIBED'
    },
    primaryLanguage: repository.language && { id: nodeId('Language', repository.language), name: repository.language },
    repositoryTopics: (args: ConnectionArgs) =>
      connectAll(args, repository.topics, (topic) => ({
        id: nodeId('RepositoryTopic', `${id}:${topic}`),
        topic: { id: nodeId('Topic', topic), name: topic },
      })),
    async parent() {
      const { parent } = await forge.forks.ancestors(actor, repository)
      return parent && make.repository(parent)
    },
    forks: (args: ConnectionArgs & RepositoryOrderArgs) =>
      connect(
        args,
        (page) => forge.repositoryLists.listForks(actor, repository, readRepositoryOrder(args), page),
        (one) => make.repository(one),
      ),
    watchers: (args: ConnectionArgs) =>
      connect(
        args,
        (page) => forge.watching.list(repository, page),
        (one) => make.person(one),
      ),
    async defaultBranchRef() {
      const sha = await findDefault(graph, await graph.demand(repository, 'contents'))
      return sha && make.ref(repository, 'refs/heads/', repository.defaultBranch, sha)
    },
    async ref({ qualifiedName }: { qualifiedName: string }) {
      await graph.demand(repository, 'contents')
      const [, prefix, short] = /^(refs\/(?:heads|tags)\/)?(.*)$/s.exec(qualifiedName)!
      if (!isRefPart(short!)) return null
      const found = await forge.reading.head(repository, `${prefix ?? 'refs/heads/'}${short}^{commit}`)
      return found ? make.ref(repository, prefix ?? 'refs/heads/', short!, found.sha) : null
    },
    async latestRelease() {
      await graph.demand(repository, 'contents')
      const found = await forge.releases.getLatest(repository).catch(nothing)
      return found && make.release(found, repository)
    },
    async release({ tagName }: { tagName: string }) {
      await graph.demand(repository, 'contents')
      const found =
        (await forge.releases.getByTag(repository, tagName).catch(nothing)) ??
        (await forge.releases.getDraftByTag(repository, tagName).catch(nothing))
      return found && make.release(found, repository)
    },
    async releases(args: ConnectionArgs & ReleaseOrderArgs) {
      await graph.demand(repository, 'contents')
      return connect(
        args,
        (page) => forge.releases.list(repository, page, readReleaseDirection(args)),
        (one) => make.release(one, repository),
      )
    },
    ...repositoryIssues(graph, repository),
  }
}

const nothing = () => null

async function findDefault({ forge }: Graph, repository: OpenRepository): Promise<string | undefined> {
  return (await forge.reading.head(repository, `refs/heads/${repository.defaultBranch}^{commit}`))?.sha
}

export function releaseNode(graph: Graph, release: Release, repository: OpenRepository): GraphNode {
  const { origin, make } = graph
  const { owner, name } = repository
  const resourcePath = `/${owner.login}/${name}/releases/tag/${release.tag}`
  return {
    __typename: 'Release',
    id: nodeId('Release', release.id),
    databaseId: release.id,
    name: release.name,
    tagName: release.tag,
    description: release.body,
    isDraft: release.isDraft,
    isLatest: async () => (await graph.latestRelease(repository)) === release.id,
    isPrerelease: release.isPrerelease,
    createdAt: formatTime(release.createdAt),
    publishedAt: formatTimeOrNull(release.publishedAt),
    author: () => (release.author.kind === 'user' ? make.person(release.author) : null),
    resourcePath,
    url: origin + resourcePath,
  }
}
