/** Records of pulls: the members they share with issues, their two ends, and requested reviewers. */

import { formatTimeOrNull } from './addresses.ts'
import type { ExportContext, ExportedRepository } from './export-context.ts'
import { type IssueRow, readIssuePages, readMembers } from './issue-records.ts'
import { groupBy } from './keyed-pages.ts'
import type { TeamAddresses } from './team-addresses.ts'

export async function writePulls(
  context: ExportContext,
  repository: ExportedRepository,
  teams: TeamAddresses,
): Promise<void> {
  const { addresses, people, files, mentions } = context
  const page = addresses.repository(repository)
  const places = new Map(context.repositories.map((one) => [one.id, addresses.repository(one)]))
  for await (const rows of readIssuePages(context, repository, 1)) {
    const members = await readMembers(context, repository, rows)
    const pulls = await readPulls(context, rows)
    const requests = await readRequests(context, rows, teams)
    await people.look([...pulls.values()].flatMap((pull) => [pull.head_owner_id, pull.merged_by_id]))
    for (const row of rows) {
      const pull = pulls.get(row.id)
      if (!pull) continue
      const url = addresses.issue(repository, row.number, true)
      mentions.note(row.body, { member: 'pull_request', address: url })
      await files.add({
        type: 'pull_request',
        url,
        repository: page,
        ...members(row),
        base: { ref: pull.base_ref, sha: pull.base_sha, user: people.address(repository.ownerId), repo: page },
        head: {
          ref: pull.head_ref,
          sha: pull.head_sha,
          user: people.addressOrNull(pull.head_owner_id),
          // A fork outside the export has no address in the archive.
          repo: places.get(pull.head_repository_id ?? 0) ?? null,
        },
        head_deleted: pull.is_head_deleted === 1,
        head_was_private: pull.was_head_private === 1,
        merge_base_sha: pull.fork_sha,
        review_requests: requests(row.id),
        draft: pull.is_draft === 1,
        maintainer_can_modify: pull.may_maintainers_push === 1 && pull.owner_of_head === row.author_id,
        merged_at: formatTimeOrNull(pull.merged_at),
        merged_by: people.addressOrNull(pull.merged_by_id),
        merge_commit_sha: pull.merge_sha,
      })
    }
  }
}

async function readPulls({ db }: ExportContext, issues: readonly IssueRow[]) {
  const ids = issues.map(({ id }) => id)
  const rows = await db
    .selectFrom('pull')
    .leftJoin('repository as head', 'head.id', 'pull.head_repository_id')
    .selectAll('pull')
    .select('head.owner_id as owner_of_head')
    .where('issue_id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.issue_id, row]))
}

async function readRequests({ db, people }: ExportContext, issues: readonly IssueRow[], teams: TeamAddresses) {
  const ids = issues.map(({ id }) => id)
  const rows = await db
    .selectFrom('review_request')
    .select(['issue_id', 'user_id', 'team_id'])
    .where('issue_id', 'in', ids)
    .orderBy('id')
    .execute()
  await people.look(rows.map(({ user_id }) => user_id))
  const ofPull = groupBy(rows, ({ issue_id }) => issue_id)
  return (id: number) =>
    ofPull(id).map(({ user_id, team_id }) =>
      team_id === null ? { reviewer: people.addressOrNull(user_id) } : { team: teams.addressOrNull(team_id) },
    )
}
