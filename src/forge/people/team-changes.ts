/** Records a change of a team: in the audit log, and as activity. */
import type { SignedIn } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import { auditOrganisation, auditRepository, auditUser } from '../access/audit-place.ts'
import type { Level } from '../access/level.ts'
import type { Repository } from '../access/repository.ts'
import type { ActivityRecord, Changes } from '../activity/activity.ts'
import type { Person } from '../person.ts'
import type { Team } from './team.ts'

export type TeamChanges = ReturnType<typeof makeTeamChanges>

export function makeTeamChanges({ clock, activity }: { clock: Clock; activity: ActivityRecord }) {
  const placeOf = ({ actor, team }: By) => ({
    actorId: actor.account.id,
    organisationId: team.organisation.id,
  })
  const audit = (trx: Db, { actor, team }: By, action: string, place: object, data: Record<string, string> = {}) =>
    recordAudit(trx, clock.now(), actor, {
      action: `team.${action}`,
      ...auditOrganisation(team.organisation),
      ...place,
      data: { team: `${team.organisation.login}/${team.slug}`, ...data },
    })
  const tell = (trx: Db, by: By, data: TeamData) =>
    activity.record(trx, {
      kind: 'team-changed',
      ...placeOf(by),
      subjectId: by.team.id,
      data: { ...data, gone: { team: by.team } },
    })

  return {
    async noteMade(trx: Db, by: By, action: 'created' | 'deleted'): Promise<void> {
      await audit(trx, by, action === 'created' ? 'create' : 'destroy', {})
      await tell(trx, by, { action })
    },

    async noteEdited(trx: Db, by: By, before: Team): Promise<void> {
      const { team } = by
      const changes = listChanges(before, team)
      if (before.name !== team.name) await audit(trx, by, 'rename', {}, { old_name: before.name })
      if (before.privacy !== team.privacy) await audit(trx, by, 'change_privacy', {}, { privacy: team.privacy })
      if (before.parentId !== team.parentId) await audit(trx, by, 'change_parent_team', {})
      if (Object.keys(changes).length > 0) await tell(trx, by, { action: 'edited', changes })
    },

    async noteMember(trx: Db, by: By, user: Person, action: 'added' | 'removed', data = {}): Promise<void> {
      await audit(trx, by, action === 'added' ? 'add_member' : 'remove_member', auditUser(user), data)
      await activity.record(trx, {
        kind: `team-member-${action}`,
        ...placeOf(by),
        subjectId: user.id,
        data: { gone: { team: by.team } },
      })
    },

    /** `level`: the team's new level; undefined if it loses the repository. */
    async noteRepository(trx: Db, by: By, repository: Repository, level: Level | undefined, isNew = false) {
      const action = level === undefined ? 'remove' : isNew ? 'add' : 'update'
      const name = action === 'update' ? 'update_repository_permission' : `${action}_repository`
      await audit(trx, by, name, auditRepository(repository), level === undefined ? {} : { permission: level })
      if (action === 'update') return
      await tell(trx, by, {
        action: action === 'add' ? 'added_to_repository' : 'removed_from_repository',
        repositoryId: repository.id,
      })
    },
  }
}

type By = { readonly actor: SignedIn; readonly team: Team }
type TeamData = {
  readonly action: 'created' | 'edited' | 'deleted' | 'added_to_repository' | 'removed_from_repository'
  readonly changes?: Changes
  readonly repositoryId?: number
}

function listChanges(before: Team, after: Team): Changes {
  const names = [
    ['name', 'name'],
    ['description', 'description'],
    ['privacy', 'privacy'],
    ['notificationSetting', 'notification_setting'],
  ] as const
  const changed = names.filter(([key]) => before[key] !== after[key])
  return Object.fromEntries(changed.map(([key, name]) => [name, { from: before[key] ?? '' }]))
}
