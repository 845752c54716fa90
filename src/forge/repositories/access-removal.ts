/** Removes a blocked user's access, deploy keys, stars and watches in the repositories of the owner who blocked them. */
import type { SignedIn } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Db } from '../../store/schema/schema.ts'
import { auditOrganisation, auditUser } from '../access/audit-place.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { endedColumns, recordEndedInvitations } from '../activity/ended-invitations.ts'
import { endDeployKeys } from '../keys/key-audit.ts'
import type { Person } from '../person.ts'
import { recount, watchLock } from './watching.ts'

type Removal = {
  readonly activity: ActivityRecord
  readonly actor: SignedIn
  readonly owner: Person
  readonly user: Person
  readonly now: number
}

/** Locks for the write that calls `partWithin`. */
export async function listRemovalLocks(db: Db, owner: Person, user: Person): Promise<string[]> {
  const query = db.selectFrom('watch').innerJoin('repository', 'repository.id', 'watch.repository_id')
  const rows = await query
    .select('repository.id')
    .where('user_id', '=', user.id)
    .where('repository.owner_id', '=', owner.id)
    .execute()
  return rows.map(({ id }) => watchLock(id))
}

/** Ends the user's collaborations, invitations, deploy keys, stars and watches in the owner's repositories. */
export async function removeAccessWithin(trx: Db, { activity, actor, owner, user, now }: Removal): Promise<void> {
  const own = trx.selectFrom('repository').select('id').where('owner_id', '=', owner.id)
  const left = await trx
    .deleteFrom('collaborator')
    .where('user_id', '=', user.id)
    .where('repository_id', 'in', own)
    .returning('repository_id')
    .execute()
  for (const { repository_id: repositoryId } of left) {
    const what = { actorId: actor.account.id, repositoryId, subjectId: user.id }
    await activity.record(trx, { kind: 'collaborator-removed', ...what })
    await recordAudit(trx, now, actor, {
      action: 'repo.remove_member',
      ...auditOrganisation(owner),
      repository: { id: repositoryId, name: `${owner.login}/${await nameOf(trx, repositoryId)}` },
      ...auditUser(user),
    })
  }
  const ended = await trx
    .deleteFrom('repository_invitation')
    .where((eb) => eb.or([eb('inviter_id', '=', user.id), eb('invitee_id', '=', user.id)]))
    .where('repository_id', 'in', own)
    .returning(endedColumns)
    .execute()
  await recordEndedInvitations(trx, activity, actor.account.id, ended)
  await endDeployKeys(trx, { actor, owner, user, now })
  await trx.deleteFrom('star').where('user_id', '=', user.id).where('repository_id', 'in', own).execute()
  const watched = await trx
    .deleteFrom('watch')
    .where('user_id', '=', user.id)
    .where('repository_id', 'in', own)
    .returning('repository_id')
    .execute()
  for (const { repository_id } of watched) await recount(trx, repository_id)
}

async function nameOf(db: Db, repositoryId: number): Promise<string> {
  const query = db.selectFrom('repository').select('name').where('id', '=', repositoryId)
  return (await query.executeTakeFirstOrThrow()).name
}
