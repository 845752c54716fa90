/** Resolves the people and teams that a text mentions, as far as they may read the repository. */
import type { Db } from '../../../store/schema/schema.ts'
import { listReaders } from '../../access/repository.ts'
import type { Mentions } from '../../activity/activity.ts'
import { findMentions, type Mention } from '../../markup/mentions.ts'
import { recordEvent } from '../event-recording.ts'
import { type IssueAct, placeOf } from '../issue-act.ts'

/** The mentions that the former text did not have. The author is left out. */
export async function resolveMentions(
  db: Db,
  act: Pick<IssueAct, 'repository' | 'actorId'>,
  text: string,
  formerText = '',
): Promise<Mentions> {
  const added = withoutFormer(findMentions(text), findMentions(formerText))
  if (added.length === 0) return { users: [], teams: [] }
  return { users: await resolveUsers(db, act, added), teams: await resolveTeams(db, act, added) }
}

const keyOf = ({ login, team }: Mention): string => `${login}/${team ?? ''}`.toLowerCase()

function withoutFormer(found: readonly Mention[], former: readonly Mention[]): Mention[] {
  const known = new Set(former.map(keyOf))
  return found.filter((mention) => !known.has(keyOf(mention)))
}

async function resolveUsers(
  db: Db,
  { repository, actorId }: Pick<IssueAct, 'repository' | 'actorId'>,
  mentions: readonly Mention[],
): Promise<number[]> {
  const names = mentions.filter(({ team }) => team === undefined).map(({ login }) => login.toLowerCase())
  if (names.length === 0) return []
  const rows = await db
    .selectFrom('account')
    .select('id')
    .where('name_key', 'in', names)
    .where('kind', '=', 'user')
    .where('id', '!=', actorId)
    .orderBy('id')
    .execute()
  const ids = rows.map(({ id }) => id)
  const readers = await listReaders(db, repository.id, ids)
  return readers === 'everyone' ? ids : ids.filter((id) => readers.has(id))
}

/** Only teams of the repository's own organisation can be mentioned. */
async function resolveTeams(
  db: Db,
  { repository: { owner } }: Pick<IssueAct, 'repository'>,
  mentions: readonly Mention[],
): Promise<number[]> {
  const slugs = mentions
    .filter(({ login, team }) => team !== undefined && login.toLowerCase() === owner.login.toLowerCase())
    .map(({ team }) => team!.toLowerCase())
  if (slugs.length === 0 || owner.kind !== 'organisation') return []
  const rows = await db
    .selectFrom('team')
    .select('id')
    .where('organisation_id', '=', owner.id)
    .where('slug', 'in', slugs)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Each mention records `mentioned`, then `subscribed`, with the mentioned user as the actor. An edit does so only for
 * users whom the issue never mentioned before, so that repeated edits leave no trail.
 */
export async function noteMentioned(
  trx: Db,
  { act, issueId, users, isEdit }: { act: IssueAct; issueId: number; users: readonly number[]; isEdit: boolean },
): Promise<void> {
  if (users.length === 0) return
  const rows = await trx
    .insertInto('issue_mention')
    .values(users.map((id) => ({ issue_id: issueId, user_id: id, created_at: act.now })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .execute()
  const firstNamed = new Set(rows.map(({ user_id }) => user_id))
  for (const actorId of users.filter((id) => !isEdit || firstNamed.has(id))) {
    const place = { ...placeOf(act, issueId), actorId }
    await recordEvent(trx, place, 'mentioned', {})
    await recordEvent(trx, place, 'subscribed', {})
  }
}
