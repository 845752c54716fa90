/** Records of comments on commits, and of protected branches. */
import type { BranchRules } from '../../commits/branch-rules.ts'
import { formatTime } from './addresses.ts'
import type { ExportContext, ExportedRepository } from './export-context.ts'
import { readRowsOf } from './keyed-pages.ts'
import { readReactions } from './reaction-records.ts'
import type { TeamAddresses } from './team-addresses.ts'

export async function writeCommitComments(context: ExportContext, repository: ExportedRepository): Promise<void> {
  const { db, addresses, people, files } = context
  for await (const rows of readRowsOf(db, 'commit_comment', repository.id)) {
    const ids = rows.map(({ id }) => id)
    const reactions = await readReactions(context, 'commit-comment', ids)
    await people.look(rows.map(({ author_id }) => author_id))
    for (const row of rows) {
      await files.add({
        type: 'commit_comment',
        url: addresses.commitComment(repository, row.sha, row.id),
        repository: addresses.repository(repository),
        user: people.address(row.author_id),
        body: row.body,
        formatter: 'markdown',
        commit_id: row.sha,
        path: row.path,
        position: row.position,
        line: row.line,
        reactions: reactions(row.id),
        created_at: formatTime(row.created_at),
        updated_at: formatTime(row.updated_at),
      })
    }
  }
}

export async function writeProtectedBranches(
  context: ExportContext,
  repository: ExportedRepository,
  teams: TeamAddresses,
): Promise<void> {
  const { db, addresses, people, files } = context
  const rows = await db
    .selectFrom('branch_protection')
    .selectAll()
    .where('repository_id', '=', repository.id)
    .orderBy('branch')
    .execute()
  for (const row of rows) {
    const rules = JSON.parse(row.rules) as BranchRules
    const { restrictions } = rules
    await people.look(restrictions?.users ?? [])
    await files.add({
      type: 'protected_branch',
      url: addresses.protectedBranch(repository, row.branch),
      repository: addresses.repository(repository),
      name: row.branch,
      enforce_admins: rules.enforcesAdmins,
      allow_force_pushes: rules.allowsForcePushes,
      allow_deletions: rules.allowsDeletions,
      lock_branch: rules.isLocked,
      required_linear_history: rules.needsLinearHistory,
      required_conversation_resolution: rules.needsResolvedConversations,
      block_creations: rules.blocksCreations,
      allow_fork_syncing: rules.allowsForkSyncing,
      required_status_checks: rules.statusChecks && {
        strict: rules.statusChecks.isStrict,
        contexts: rules.statusChecks.checks.map(({ context: name }) => name),
      },
      required_pull_request_reviews: rules.reviews && {
        required_approving_review_count: rules.reviews.approvals,
        dismiss_stale_reviews: rules.reviews.dismissesStale,
        require_code_owner_reviews: rules.reviews.needsCodeOwners,
        require_last_push_approval: rules.reviews.needsLastPushApproval,
      },
      restrictions: restrictions && {
        users: restrictions.users.flatMap((id) => people.addressOrNull(id) ?? []),
        teams: (restrictions.teams ?? []).flatMap((id) => teams.addressOrNull(id) ?? []),
      },
      created_at: formatTime(row.created_at),
      updated_at: formatTime(row.updated_at),
    })
  }
}
