/** The fields of a repository that clients list beside its settings: where it comes from, its languages, its templates. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { hiddenAddress } from '../../../forge/person.ts'
import { nodeId } from '../../node-id.ts'
import { type ConnectionArgs, connectAll } from '../connection.ts'
import type { Graph } from '../graph.ts'

type LanguageArgs = ConnectionArgs & { readonly orderBy?: { readonly direction: 'ASC' | 'DESC' } | null }

export function repositoryFacts(graph: Graph, repository: OpenRepository) {
  const { services, actor, origin, make } = graph
  const { name, owner, options } = repository
  const ancestor = async (kind: 'parent' | 'template') => {
    const found = (await services.forks.ancestors(actor, repository))[kind]
    return found ? make.repository(found) : null
  }
  const address = hiddenAddress(actor.account.name)
  return {
    parent: () => ancestor('parent'),
    templateRepository: () => ancestor('template'),
    // Nothing records it.
    archivedAt: null,
    openGraphImageUrl: `${origin}/avatars/${owner.id}`,
    usesCustomOpenGraphImage: false,
    isUserConfigurationRepository: owner.kind === 'user' && name.toLowerCase() === owner.login.toLowerCase(),
    isBlankIssuesEnabled: options.hasIssues,
    viewerDefaultCommitEmail: address,
    viewerPossibleCommitEmails: [address],
    viewerDefaultMergeMethod: options.allowMergeCommit ? 'MERGE' : options.allowSquashMerge ? 'SQUASH' : 'REBASE',
    codeOfConduct: null,
    mergeQueue: null,
    contactLinks: null,
    fundingLinks: [],
    isSecurityPolicyEnabled: null,
    licenseInfo: null,
    securityPolicyUrl: null,
    async languages(args: LanguageArgs) {
      await graph.demand(repository, 'metadata')
      const sizes = Object.entries(await services.insights.languages(repository))
      const shown = args.orderBy?.direction === 'ASC' ? sizes.reverse() : sizes
      const found = await connectAll(args, shown, ([name]) => ({ id: nodeId('Language', name), name }))
      const bytes = new Map(sizes)
      const edges = found.edges.map((edge) => ({ ...edge, size: bytes.get((edge.node as { name: string }).name) }))
      return { ...found, edges, totalSize: sizes.reduce((sum, [, size]) => sum + size, 0) }
    },
    async issueTemplates() {
      await graph.demand(repository, 'contents')
      return services.templates.issueTemplates(repository)
    },
    async pullRequestTemplates() {
      await graph.demand(repository, 'contents')
      const found = await services.templates.pullTemplates(repository)
      return found.map((template) => ({ ...template, repository: () => make.repository(repository) }))
    },
  }
}
