/** Nodes of repositories and their topics, releases and lists. */
import { reaches } from '../../../forge/access/level.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { isRefPart } from '../../../forge/git/ref-name.ts'
import { spellSshUrl } from '../../../forge/keys/ssh-place.ts'
import type { Release } from '../../../forge/releases/release.ts'
import { nodeId } from '../../node-id.ts'
import { type ConnectionArgs, connect, connectAll } from '../connection.ts'
import type { Graph, GraphNode } from '../graph.ts'
import {
  type ReleaseOrderArgs,
  type RepositoryOrderArgs,
  readReleaseDirection,
  readRepositoryOrder,
  readWords,
  type WordArgs,
} from '../orders.ts'
import { formatTime, formatTimeOrNull } from '../times.ts'
import { reactionGroups } from './issue-nodes.ts'
import { noProjects } from './no-projects.ts'
import { findObject } from './object-nodes.ts'
import { listRefs, type RefArgs } from './ref-lists.ts'
import { repositoryFacts } from './repository-facts.ts'
import { repositoryIssues } from './repository-issue-nodes.ts'

export function repositoryNode(graph: Graph, repository: OpenRepository): GraphNode {
  const { services, actor, origin, make } = graph
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
    sshUrl: spellSshUrl(origin, services.ssh, `${owner.login}/${name}`),
    mirrorUrl: repository.mirrorUrl,
    createdAt: formatTime(repository.createdAt),
    updatedAt: formatTime(repository.updatedAt),
    pushedAt: formatTime(repository.pushedAt),
    hasIssuesEnabled: options.hasIssues,
    hasProjectsEnabled: options.hasProjects,
    hasWikiEnabled: options.hasWiki,
    hasVulnerabilityAlertsEnabled: false,
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
    isMirror: repository.mirrorUrl !== null,
    isPrivate: repository.isPrivate,
    isTemplate: options.isTemplate,
    visibility: repository.isPrivate ? 'PRIVATE' : 'PUBLIC',
    viewerPermission: level === 'none' ? null : level.toUpperCase(),
    viewerCanAdminister: reaches(level, 'admin'),
    async viewerHasStarred() {
      return services.stars.has(await graph.look(repository))
    },
    async viewerSubscription() {
      const look = await graph.look(repository)
      const watch = await services.watching.get(look).catch(() => undefined)
      return watch?.isIgnored ? 'IGNORED' : watch?.isWatched ? 'SUBSCRIBED' : 'UNSUBSCRIBED'
    },
    primaryLanguage: repository.language && { id: nodeId('Language', repository.language), name: repository.language },
    repositoryTopics: (args: ConnectionArgs) =>
      connectAll(args, repository.topics, (topic) => ({
        id: nodeId('RepositoryTopic', `${id}:${topic}`),
        topic: { id: nodeId('Topic', topic), name: topic },
      })),
    forks: (args: ConnectionArgs & RepositoryOrderArgs) =>
      connect(
        args,
        (page) => services.repositoryLists.listForks(actor, repository, readRepositoryOrder(args), page),
        (one) => make.repository(one),
      ),
    async mentionableUsers(args: ConnectionArgs & WordArgs) {
      await graph.demand(repository, 'either')
      return connect(
        args,
        (page) => services.assignees.listAssignable(repository, page, readWords(args.query)),
        (one) => make.person(one),
      )
    },
    ...noProjects,
    ...repositoryFacts(graph, repository),
    watchers: (args: ConnectionArgs) =>
      connect(
        args,
        (page) => services.watching.list(repository, page),
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
      const place = `${prefix ?? 'refs/heads/'}${short}`
      const found = await services.reading.head(repository, prefix === 'refs/tags/' ? place : `${place}^{commit}`)
      return found ? make.ref(repository, prefix ?? 'refs/heads/', short!, found.sha) : null
    },
    object: (args: ObjectArgs) => findObject(graph, repository, args),
    async refs(args: ConnectionArgs & RefArgs) {
      const opened = await graph.demand(repository, 'contents')
      return connectAll(args, await listRefs(graph, opened, args), ({ prefix, name, sha }) =>
        make.ref(repository, prefix, name, sha),
      )
    },
    async latestRelease() {
      await graph.demand(repository, 'contents')
      const found = await services.releases.getLatest(repository).catch(nothing)
      return found && make.release(found, repository)
    },
    async release({ tagName }: { tagName: string }) {
      await graph.demand(repository, 'contents')
      const found =
        (await services.releases.getByTag(repository, tagName).catch(nothing)) ??
        (await services.releases.getDraftByTag(repository, tagName).catch(nothing))
      return found && make.release(found, repository)
    },
    async releases(args: ConnectionArgs & ReleaseOrderArgs) {
      await graph.demand(repository, 'contents')
      return connect(
        args,
        (page) => services.releases.list(repository, page, readReleaseDirection(args)),
        (one) => make.release(one, repository),
      )
    },
    ...repositoryIssues(graph, repository),
  }
}

export type ObjectArgs = { readonly expression?: string | null; readonly oid?: unknown }

const nothing = () => null

async function findDefault({ services }: Graph, repository: OpenRepository): Promise<string | undefined> {
  return (await services.reading.head(repository, `refs/heads/${repository.defaultBranch}^{commit}`))?.sha
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
    reactionGroups: () => reactionGroups(release.reactions),
    async tag() {
      const sha = await findTag(graph, repository, release.tag, '')
      return sha ? make.ref(repository, 'refs/tags/', release.tag, sha) : null
    },
    async tagCommit() {
      const sha = await findTag(graph, repository, release.tag)
      return sha ? make.commit(repository, await graph.services.reading.commit(repository, sha)) : null
    },
    author: () => (release.author.kind === 'user' ? make.person(release.author) : null),
    resourcePath,
    url: origin + resourcePath,
  }
}

/** A draft may have no tag yet. */
async function findTag(
  { services }: Graph,
  repository: OpenRepository,
  tag: string,
  peeled = '^{commit}',
): Promise<string | undefined> {
  if (!isRefPart(tag)) return undefined
  return (await services.reading.head(repository, `refs/tags/${tag}${peeled}`))?.sha
}
