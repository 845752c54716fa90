/** Writes imported milestones, issues and pulls, with their labels, people and connections. */
import { reserveIds } from '../../../../store/reserved-ids.ts'
import { type IssueMembers, issue, milestone } from '../definitions/issues.ts'
import { type PullRecord, pull } from '../definitions/pulls.ts'
import { readRecords } from '../reading/record-reading.ts'
import { insertReactions, insertRows, type WriteContext } from './write-context.ts'

export async function writeMilestones({ trx, engine, index, checked }: WriteContext): Promise<void> {
  for await (const placed of readRecords(checked.archive, milestone)) {
    const ids = await reserveIds(engine, trx, 'milestone', placed.length)
    await insertRows(
      trx,
      'milestone',
      placed.map(({ record }, at) => ({
        id: ids[at]!,
        repository_id: index.idOf(record.repository),
        number: record.number,
        state: record.state,
        title: record.title,
        title_key: record.title.toLowerCase(),
        description: record.description,
        creator_id: index.idOf(record.creator),
        open_issue_count: 0,
        closed_issue_count: 0,
        due_on: record.dueOn,
        closed_at: record.closedAt,
        created_at: record.createdAt,
        updated_at: record.updatedAt,
      })),
    )
    for (const [at, { record }] of placed.entries()) index.setId(record.url, ids[at]!)
  }
}

/** References to other issues are written after all issues. */
type Later = { readonly record: IssueMembers; readonly id: number }

export async function writeIssuesAndPulls(context: WriteContext): Promise<void> {
  const later: Later[] = []
  const keep = (records: readonly IssueMembers[], ids: readonly number[]) => {
    for (const [at, record] of records.entries()) {
      const { duplicateOf, crossReferences, connectedPulls, formerPlaces } = record
      const lists = [crossReferences, connectedPulls, formerPlaces]
      if (duplicateOf !== null || lists.some(({ length }) => length > 0)) later.push({ record, id: ids[at]! })
    }
  }
  for await (const placed of readRecords(context.checked.archive, issue)) {
    const records = placed.map(({ record }) => record)
    keep(records, await writeIssues(context, records, false))
  }
  for await (const placed of readRecords(context.checked.archive, pull)) {
    const records = placed.map(({ record }) => record)
    const ids = await writeIssues(context, records, true)
    await writePulls(context, records, ids)
    keep(records, ids)
  }
  for (const one of later) await writeRelations(context, one)
}

async function writeIssues(
  context: WriteContext,
  records: readonly IssueMembers[],
  isPull: boolean,
): Promise<number[]> {
  const { trx, engine, index } = context
  const ids = await reserveIds(engine, trx, 'issue', records.length)
  await insertRows(
    trx,
    'issue',
    records.map((record, at) => ({
      id: ids[at]!,
      repository_id: index.idOf(record.repository),
      number: record.number,
      is_pull: Number(isPull),
      state: record.state,
      state_reason: record.stateReason,
      title: record.title,
      body: context.rewriteOrNull(record.body),
      author_id: index.idOf(record.author),
      milestone_id: index.idOrNull(record.milestone),
      is_locked: Number(record.isLocked),
      lock_reason: record.lockReason,
      pinned_at: record.pinnedAt,
      comment_count: 0,
      closed_by_id: index.idOrNull(record.closedBy),
      closed_at: record.closedAt,
      created_at: record.createdAt,
      updated_at: record.updatedAt,
    })),
  )
  const withIds = records.map((record, at) => ({ record, id: ids[at]! }))
  for (const { record, id } of withIds) index.setId(record.url, id)
  await insertRows(
    trx,
    'issue_label',
    withIds.flatMap(({ record, id }) => record.labels.map((label) => ({ issue_id: id, label_id: index.idOf(label) }))),
  )
  await insertRows(
    trx,
    'issue_assignee',
    withIds.flatMap(({ record, id }) => nameInOrder(context, record, id, record.assignees)),
  )
  await insertRows(
    trx,
    'issue_mention',
    withIds.flatMap(({ record, id }) => nameInOrder(context, record, id, record.mentions)),
  )
  await insertReactions(
    context,
    'issue',
    withIds.map(({ record, id }) => ({
      id,
      repositoryId: index.idOf(record.repository),
      reactions: record.reactions,
    })),
  )
  return ids
}

/** The archive gives the order of names, but not their times. */
const nameInOrder = ({ index }: WriteContext, { createdAt }: IssueMembers, issueId: number, users: readonly string[]) =>
  users.map((user, at) => ({ issue_id: issueId, user_id: index.idOf(user), created_at: createdAt + at }))

async function writePulls(
  context: WriteContext,
  records: readonly PullRecord[],
  ids: readonly number[],
): Promise<void> {
  const { trx, index, made, ready } = context
  await insertRows(
    trx,
    'pull',
    records.map((record, at) => {
      const base = made.get(record.repository)!
      const head = record.head.repository === null ? undefined : made.get(record.head.repository)!
      return {
        issue_id: ids[at]!,
        repository_id: base.id,
        base_ref: record.base.ref,
        base_sha: record.base.sha,
        fork_sha: record.forkSha,
        head_repository_id: head?.id ?? null,
        head_owner_id: index.idOrNull(record.head.owner),
        head_ref: record.head.ref,
        head_sha: record.head.sha,
        was_head_private: Number(record.wasHeadPrivate),
        is_head_deleted: Number(record.isHeadDeleted),
        ref_sha: ready.get(record.repository)!.refs.get(`refs/pull/${record.number}/head`) ?? null,
        is_draft: Number(record.isDraft),
        // Only the owner of the head can allow this.
        may_maintainers_push: Number(record.mayMaintainersPush && head?.ownerId === index.idOf(record.author)),
        merged_at: record.mergedAt,
        merged_by_id: index.idOrNull(record.mergedBy),
        merge_sha: record.mergeSha,
        // Earlier pushes belong to the imported events.
        head_push_id: head?.pushId ?? 0,
        base_push_id: base.pushId,
      }
    }),
  )
  await insertRows(
    trx,
    'review_request',
    records.flatMap((record, at) =>
      record.requests
        .filter(({ reviewer, team }) => reviewer !== null || team !== null)
        .map(({ reviewer, team }) => ({
          issue_id: ids[at]!,
          user_id: index.idOrNull(reviewer),
          team_id: reviewer === null ? index.idOrNull(team) : null,
          created_at: record.createdAt,
        })),
    ),
  )
}

async function writeRelations({ trx, index }: WriteContext, { record, id }: Later): Promise<void> {
  if (record.duplicateOf !== null)
    await trx
      .updateTable('issue')
      .set({ duplicate_of_id: index.idOf(record.duplicateOf) })
      .where('id', '=', id)
      .execute()
  await insertRows(
    trx,
    'cross_reference',
    record.crossReferences.map(({ source, actor, createdAt }) => ({
      target_id: id,
      source_id: index.idOf(source),
      actor_id: index.idOf(actor),
      created_at: createdAt,
    })),
  )
  await insertRows(
    trx,
    'issue_former_place',
    record.formerPlaces.map(({ repository, number }) => ({
      repository_id: index.idOf(repository),
      number,
      issue_id: id,
    })),
  )
  await insertRows(
    trx,
    'issue_connection',
    record.connectedPulls.map((address) => ({
      issue_id: id,
      pull_id: index.idOf(address),
      created_at: record.createdAt,
    })),
  )
}
