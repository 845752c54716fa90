/** The rules of a branch: all of them for admins, and for everybody what they mean for a push of their own. */
import { reaches } from '../../../forge/access/level.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import { contextsOf } from '../../../forge/commits/branch-rules.ts'
import { nodeId } from '../../node-id.ts'
import type { Graph } from '../graph.ts'

export function branchRuleFields(graph: Graph, repository: OpenRepository, prefix: string, name: string) {
  const { services, actor } = graph
  const find = async () => (prefix === 'refs/heads/' ? services.protection.find(repository, name) : undefined)
  return {
    /** Only admins, who can set rules, see them. */
    async branchProtectionRule() {
      if (!reaches(repository.level, 'admin')) return null
      await graph.demand(repository, 'administration')
      const rules = await find()
      return (
        rules && {
          id: nodeId('BranchProtectionRule', `${repository.id}:${name}`),
          requiredApprovingReviewCount: rules.reviews?.approvals ?? null,
          requiresStrictStatusChecks: rules.statusChecks?.isStrict ?? false,
        }
      )
    },
    async refUpdateRule() {
      await graph.demand(repository, 'contents')
      const rules = await find()
      return (
        rules && {
          allowsDeletions: rules.allowsDeletions,
          allowsForcePushes: rules.allowsForcePushes,
          blocksCreations: rules.blocksCreations,
          pattern: name,
          requiredApprovingReviewCount: rules.reviews?.approvals ?? null,
          requiredStatusCheckContexts: contextsOf(rules),
          requiresCodeOwnerReviews: rules.reviews?.needsCodeOwners ?? false,
          requiresConversationResolution: rules.needsResolvedConversations,
          requiresLinearHistory: rules.needsLinearHistory,
          viewerCanPush: () => services.protection.mayCommit(actor, repository, rules),
        }
      )
    },
  }
}
